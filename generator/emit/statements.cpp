#include "generator/emit/statements.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>

#include "generator/emit/tensor_map.h"
#include "generator/ir/print.h"

namespace tilejit::emit {
namespace {

std::string float_text(float value) {
    if (!std::isfinite(value)) {
        std::uint32_t bits = 0;
        std::memcpy(&bits, &value, sizeof(bits));
        return fmt::format("__uint_as_float({:#010x}U)", bits);
    }
    return ir::hex_text(value) + "F";
}

}  // namespace

void Statements::write(const std::vector<ir::Stmt>& body) {
    find_needed_tiles(body);
    block(body);
}

void Statements::block(const std::vector<ir::Stmt>& body) {
    for (const ir::Stmt& stmt : body) {
        print(stmt);
    }
}

void Statements::define(ir::ValueId out, const std::string& call) {
    lines_.line(fmt::format("const auto v{} = {};", out, call) + where_);
}

void Statements::call(const std::string& text) { lines_.line(text + ";" + where_); }

std::string Statements::role() {
    internal_check(role_ != nullptr, "an operation of a role is in a role");
    return phrases_.role(*role_);
}

void Statements::print(const ir::Stmt& stmt) {
    where_ = stmt.at.file.empty() ? "" : fmt::format("  // {}:{}", stmt.at.file, stmt.at.line);
    Phrases& p = phrases_;
    std::visit(
        ir::Overload{
            [&](const ir::Load& op) {
                const std::string held = p.layout(op.out);
                define(op.out, fmt::format("tj::load<{}, {}, {}>({})", held, p.view(op.tensor, op.at, op.access),
                                           op.access.vector, p.place(op.tensor, op.at)));
            },
            [&](const ir::Store& op) {
                call(fmt::format("tj::store<{}, {}>({}, v{})", p.view(op.tensor, op.at, op.access), op.access.vector,
                                 p.place(op.tensor, op.at), op.in));
            },
            [&](const ir::SharedLoad& op) {
                const std::string held = p.layout(op.out);
                const std::string buffer = p.buffer(op.buffer);
                define(op.out, fmt::format("tj::read<{}, {}, {}, {}>({})", held, buffer,
                                           p.slot_view(op.buffer, op.at, op.access), op.access.vector,
                                           p.slot_place(op.position, op.at)));
            },
            [&](const ir::SharedStore& op) {
                const std::string buffer = p.buffer(op.buffer);
                const std::string place = p.slot_place(op.position, op.at);
                call(fmt::format("tj::write<{}, {}, {}>(v{}{}{})", buffer, p.slot_view(op.buffer, op.at, op.access),
                                 op.access.vector, op.in, place.empty() ? "" : ", ", place));
            },
            [&](const ir::Constant& op) { number(op.out, float_text(op.value)); },
            [&](const ir::Parameter& op) { number(op.out, p.param(op.param)); },
            [&](const ir::Map& op) {
                std::string args;
                for (const ir::ValueId arg : op.args) {
                    args += (args.empty() ? "" : ", ") + operand(arg);
                }
                define(op.out,
                       fmt::format("tj::map<tj::fn::{}, {}>({})", ir::name_of(op.function), p.layout(op.out), args));
            },
            [&](const ir::Reduce& op) { reduce(op); },
            [&](const ir::Contract& op) { contract(op); },
            [&](const ir::Split& op) {
                define(op.out, fmt::format("tj::split<{}, {}>(v{})", p.layout(op.out), op.part, op.in));
            },
            [&](const ir::Select& op) {
                define(op.out, fmt::format("tj::select<{}, {}, {}>(v{}, {})", p.layout(op.out), op.axis,
                                           p.extent(op.axis), op.in, p.index(op.at)));
            },
            [&](const ir::Mma& op) {
                define(op.out, fmt::format("tj::mma<{}, {}>(v{}, v{}, v{})", p.extent(op.m) / 8, p.extent(op.n) / 8,
                                           op.weights, op.tokens, op.acc));
            },
            [&](const ir::Barrier&) { call(fmt::format("tj::barrier<{}>()", role())); },
            [](const ir::ChannelUse auto&) { internal_check(false, "channels are lowered before text is written"); },
            [&](const ir::InitSyncs&) {
                std::string all;
                for (std::size_t i = 0; i < p.kernel().syncs.size(); ++i) {
                    all += (i > 0 ? ", " : "") + p.sync(static_cast<ir::SyncId>(i));
                }
                call(fmt::format("tj::init_syncs<{}>()", all));
            },
            [&](const ir::ClusterBarrier&) { call(fmt::format("tj::cluster_barrier<{}>()", p.kernel().cluster)); },
            [&](const ir::Arrive& op) {
                const std::string sync = p.sync(op.sync);
                const std::string at = p.index(op.position);
                switch (op.by) {
                    case ir::Arrive::By::warps:
                        return call(fmt::format("tj::arrive<{}>({})", sync, at));
                    case ir::Arrive::By::first_warp:
                        return call(fmt::format("tj::arrive_once<{}, {}>({})", sync, role(), at));
                    case ir::Arrive::By::threads:
                        return call(fmt::format("tj::arrive_each<{}>({})", sync, at));
                }
            },
            [&](const ir::Expect& op) {
                const std::string sync = p.sync(op.sync);
                call(fmt::format("tj::expect<{}, {}, {}>({})", sync, role(), op.bytes, p.index(op.position)));
            },
            [&](const ir::Wait& op) {
                call(fmt::format("tj::{}<{}>({})", op.before ? "wait_before" : "wait", p.sync(op.sync),
                                 p.index(op.position)));
            },
            [&](const ir::CopyIn& op) { copy(op); },
            [&](const ir::CopyOut& op) { copy(op); },
            [&](const ir::CopyDone& op) { call(fmt::format("tj::copy_done<{}, {}>()", role(), op.pending)); },
            [&](const ir::SendTo& op) { send(op); },
            [&](const ir::ProxyFence&) { call("tj::proxy_fence()"); },
            [&](const ir::DependencyWait&) { call("tj::wait_for_dependencies()"); },
            [&](const ir::LaunchDependents&) { call("tj::launch_dependents()"); },
            [&](const ir::For& op) { loop(op); },
            [&](const ir::TileLoop& op) { loop(op); },
        },
        stmt.op);
}

/// Numbers are written where element-wise operations use them; other operations need a tile.
void Statements::number(ir::ValueId id, const std::string& text) {
    numbers_[id] = text;
    if (needs_tile_.contains(id)) {
        define(id, fmt::format("tj::fill<{}>({})", phrases_.layout(id), text));
    }
}

std::string Statements::operand(ir::ValueId id) const {
    const auto known = numbers_.find(id);
    return known != numbers_.end() ? known->second : fmt::format("v{}", id);
}

void Statements::find_needed_tiles(const std::vector<ir::Stmt>& body) {
    for (const ir::Stmt& stmt : body) {
        if (const auto* contract = std::get_if<ir::Contract>(&stmt.op)) {
            needs_tile_.insert({contract->a, contract->b});
        } else if (!std::holds_alternative<ir::Map>(stmt.op)) {
            for (const ir::ValueId id : ir::inputs_of(stmt.op)) {
                needs_tile_.insert(id);
            }
        }
        if (const auto* loop = std::get_if<ir::For>(&stmt.op)) {
            for (const ir::For::Carried& carried : loop->carried) {
                needs_tile_.insert(carried.next);
            }
        }
        if (const auto* inner = ir::body_of(stmt.op)) {
            find_needed_tiles(*inner);
        }
    }
}

void Statements::reduce(const ir::Reduce& op) {
    const std::string held = phrases_.layout(op.out);
    define(op.out,
           fmt::format("tj::reduce<tj::fn::{}, {}, {}>(v{})", op.reduction == ir::Reduction::sum ? "sum" : "largest",
                       held, phrases_.over(op.axes), op.in));
}

void Statements::contract(const ir::Contract& op) {
    const std::string init = op.init ? operand(*op.init) : float_text(0.0F);
    define(op.out, fmt::format("tj::contract<{}, {}, {}>(v{}, v{}, {})", phrases_.layout(op.out), op.axis,
                               phrases_.extent(op.axis), op.a, op.b, init));
}

void Statements::send(const ir::SendTo& op) {
    const std::string buffer = phrases_.buffer(op.buffer);
    const std::string view = phrases_.slot_view(op.buffer, op.at, op.access);
    call(fmt::format("tj::{}<{}, {}, {}, {}, {}>(v{}, {}, {})", op.all ? "send_to_all" : "send_to_owner", buffer, view,
                     phrases_.sync(op.sync), op.access.vector, phrases_.kernel().cluster, op.in,
                     phrases_.index(op.position), phrases_.origin(op.at)));
}

void Statements::copy(const ir::CopyIn& op) {
    const EngineBox box = engine_box(phrases_.program(), phrases_.kernel(), op.buffer, op.tensor, op.at);
    const std::string buffer = phrases_.buffer(op.buffer);
    const std::string sync = phrases_.sync(op.sync);
    call(fmt::format("tj::copy_in<{}, {}, {}>({}, {}, {})", buffer, sync, role(), phrases_.map(op.tensor, box.map),
                     phrases_.index(op.position), phrases_.corner(box.corner)));
}

void Statements::copy(const ir::CopyOut& op) {
    const EngineBox box = engine_box(phrases_.program(), phrases_.kernel(), op.buffer, op.tensor, op.at);
    const std::string buffer = phrases_.buffer(op.buffer);
    call(fmt::format("tj::copy_out<{}, {}>({}, {}, {})", buffer, role(), phrases_.map(op.tensor, box.map),
                     phrases_.index(op.position), phrases_.corner(box.corner)));
}

void Statements::loop(const ir::For& op) {
    for (const ir::For::Carried& carried : op.carried) {
        lines_.line(fmt::format("auto v{} = v{};", carried.out, carried.init));
    }
    const std::string count = op.param ? phrases_.param(*op.param) : std::to_string(op.count);
    lines_.line(op.unrolled ? "#pragma unroll" : "#pragma unroll 1");
    lines_.open(fmt::format("for (int {0} = 0; {0} < {1}; ++{0}) {{", phrases_.variable(op.var), count) + where_);
    for (const ir::For::Carried& carried : op.carried) {
        lines_.line(fmt::format("const auto& v{} = v{};", carried.arg, carried.out));
    }
    block(op.body);
    for (const ir::For::Carried& carried : op.carried) {
        lines_.line(fmt::format("v{} = v{};", carried.out, carried.next));
    }
    lines_.close();
}

void Statements::loop(const ir::TileLoop& op) {
    const int cluster = phrases_.kernel().cluster;
    const int owners = op.owned ? cluster : 1;
    internal_check(role_ != nullptr, "tiles are walked by roles");
    std::string first = op.owned && cluster > 1 ? "tj::rank()" : "";
    if (role_->copies > 1) {
        first += fmt::format("{}tj::copy<{}>(){}", first.empty() ? "" : " + ", role(),
                             owners > 1 ? fmt::format(" * {}", owners) : "");
    }
    const std::string turn = phrases_.variable(op.turn);
    const int step = owners * role_->copies;
    lines_.line("#pragma unroll 1");
    lines_.open(fmt::format("for (int {0} = {1}; {0} < turns; {2}) {{", turn, first.empty() ? "0" : first,
                            step == 1 ? "++" + turn : fmt::format("{} += {}", turn, step)) +
                where_);
    if (mentions(op.body, op.tile)) {
        lines_.line(fmt::format("const tj::i64 {} = tj::tile<{}>({});", phrases_.variable(op.tile), cluster, turn));
    }
    block(op.body);
    lines_.close();
}

}  // namespace tilejit::emit
