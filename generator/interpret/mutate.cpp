#include "generator/interpret/mutate.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace tilejit::interpret {
namespace {

using Body = std::vector<ir::Stmt>;

/// The lists of statements of a kernel, in the order of their numbers.
template <class Kernel>
auto lists_of(Kernel& kernel) {
    std::vector<decltype(&kernel.prologue)> lists{&kernel.prologue};
    for (auto& role : kernel.roles) {
        lists.push_back(&role.body);
    }
    lists.push_back(&kernel.epilogue);
    return lists;
}

std::string list_name(const ir::Kernel& kernel, std::size_t list) {
    if (list == 0 || list > kernel.roles.size()) {
        return list == 0 ? "prologue" : "epilogue";
    }
    return fmt::format("role `{}`", kernel.roles[list - 1].name);
}

class Finder {
public:
    explicit Finder(const ir::Program& program) : program_(program) {}

    std::vector<Mutation> removals() {
        for_each([&](const Body& body, std::size_t i) {
            if (const std::string name = synchronisation(body[i].op); !name.empty()) {
                add(Mutation::Kind::remove, body[i], "without " + name);
            }
        });
        return std::move(found_);
    }

    std::vector<Mutation> others() {
        for_each([&](const Body& body, std::size_t i) {
            move_later(body, i);
            move_earlier(body, i);
            change(body[i]);
        });
        return std::move(found_);
    }

private:
    template <class Visit>
    void for_each(Visit&& visit) {
        for (std::size_t k = 0; k < program_.kernels.size(); ++k) {
            kernel_ = &program_.kernels[k];
            where_.kernel = k;
            const auto lists = lists_of(*kernel_);
            for (where_.list = 0; where_.list < lists.size(); ++where_.list) {
                walk(*lists[where_.list], visit);
            }
        }
    }

    template <class Visit>
    void walk(const Body& body, Visit& visit) {
        where_.path.push_back(0);
        for (std::size_t i = 0; i < body.size(); ++i) {
            where_.path.back() = i;
            visit(body, i);
            if (const Body* inner = ir::body_of(body[i].op)) {
                walk(*inner, visit);
            }
        }
        where_.path.pop_back();
    }

    void add(Mutation::Kind kind, const ir::Stmt& stmt, const std::string& what, std::size_t to = 0, int bytes = 0) {
        Mutation mutation = where_;
        mutation.kind = kind;
        mutation.to = to;
        mutation.bytes = bytes;
        mutation.at = stmt.at;
        mutation.what = fmt::format("kernel `{}`, {}: {}", kernel_->name, list_name(*kernel_, where_.list), what);
        found_.push_back(std::move(mutation));
    }

    const std::string& sync(ir::SyncId id) const { return kernel_->syncs[static_cast<std::size_t>(id)].name; }
    const std::string& buffer(ir::BufferId id) const { return kernel_->buffers[static_cast<std::size_t>(id)].name; }

    /// What a statement of synchronisation is called; empty for others.
    std::string synchronisation(const ir::Op& op) const {
        return std::visit(
            ir::Overload{
                [](const ir::Barrier&) { return std::string("the role's barrier"); },
                [](const ir::InitSyncs&) { return std::string("the preparation of the barriers"); },
                [](const ir::ClusterBarrier&) { return std::string("the meeting of the cluster"); },
                [&](const ir::Arrive& o) { return fmt::format("the arrival at `{}`", sync(o.sync)); },
                [&](const ir::Expect& o) { return fmt::format("the announcement to `{}`", sync(o.sync)); },
                [&](const ir::Wait& o) { return fmt::format("the wait for `{}`", sync(o.sync)); },
                [](const ir::CopyDone&) { return std::string("the wait for copies out"); },
                [](const ir::ProxyFence&) { return std::string("the proxy fence"); },
                [](const ir::DependencyWait&) { return std::string("the wait for the kernels ahead"); },
                [](const ir::LaunchDependents&) { return std::string(); },
                [](const ir::ChannelUse auto&) { return std::string(); },
                [](const ir::EngineCopy auto&) { return std::string(); },
                [](const ir::OneOf<ir::Load, ir::Store, ir::SharedLoad, ir::SharedStore, ir::SendTo, ir::Constant,
                                   ir::Parameter, ir::Map, ir::Reduce, ir::Contract, ir::Split, ir::Select,
                                   ir::Mma> auto&) { return std::string(); },
                [](const ir::Loop auto&) { return std::string(); },
            },
            op);
    }

    /// The shared tile whose slots a barrier guards: `rows` of `rows.full`.
    std::optional<ir::BufferId> guarded(ir::SyncId id) const {
        const std::string name = sync(id).substr(0, sync(id).rfind('.'));
        for (std::size_t b = 0; b < kernel_->buffers.size(); ++b) {
            if (kernel_->buffers[b].name == name) {
                return static_cast<ir::BufferId>(b);
            }
        }
        return std::nullopt;
    }

    /// True when the statement, or one inside it, fulfils the condition.
    template <class Condition>
    static bool any(const ir::Stmt& stmt, const Condition& condition) {
        const Body* inner = ir::body_of(stmt.op);
        return condition(stmt.op) || (inner != nullptr && std::any_of(inner->begin(), inner->end(), [&](const auto& s) {
                                          return any(s, condition);
                                      }));
    }

    /// The shared tile that an operation of a role accesses in its own block, and whether it writes it.
    struct Use {
        ir::BufferId buffer = -1;
        bool writes = false;
    };
    static Use use_of(const ir::Op& op) {
        if (const auto* load = std::get_if<ir::SharedLoad>(&op)) {
            return {load->buffer, false};
        }
        if (const auto* store = std::get_if<ir::SharedStore>(&op)) {
            return {store->buffer, true};
        }
        if (const auto* in = std::get_if<ir::CopyIn>(&op)) {
            return {in->buffer, true};
        }
        if (const auto* out = std::get_if<ir::CopyOut>(&op)) {
            return {out->buffer, false};
        }
        return {};
    }
    static bool uses(const ir::Stmt& stmt, std::optional<ir::BufferId> buffer, bool writes = false) {
        return any(stmt, [&](const ir::Op& op) {
            const Use use = use_of(op);
            return use.buffer >= 0 && (!buffer || use.buffer == *buffer) && (use.writes || !writes);
        });
    }
    static bool conflict(const ir::Stmt& a, const ir::Stmt& b) {
        return any(a, [&](const ir::Op& first) {
            const Use use = use_of(first);
            return use.buffer >= 0 && any(b, [&](const ir::Op& second) {
                       const Use other = use_of(second);
                       return other.buffer == use.buffer && (use.writes || other.writes);
                   });
        });
    }
    bool touches_results(const ir::Stmt& stmt) const {
        return any(stmt, [&](const ir::Op& op) {
            const auto tensor = std::visit(
                [](const auto& o) -> ir::TensorId {
                    if constexpr (requires { o.tensor; }) {
                        return o.tensor;
                    }
                    return -1;
                },
                op);
            return tensor >= 0 && !program_.tensors[static_cast<std::size_t>(tensor)].weights;
        });
    }

    template <class Condition>
    void later(const Body& body, std::size_t i, const Condition& condition) {
        for (std::size_t j = i + 1; j < body.size(); ++j) {
            if (condition(body[j])) {
                add(Mutation::Kind::move, body[i],
                    fmt::format("{} moved behind line {}", synchronisation(body[i].op), body[j].at.line), j + 1);
                return;
            }
        }
    }

    template <class Condition>
    void earlier(const Body& body, std::size_t i, const Condition& condition) {
        for (std::size_t j = i; j-- > 0;) {
            if (condition(body[j])) {
                add(Mutation::Kind::move, body[i],
                    fmt::format("{} moved before line {}", synchronisation(body[i].op), body[j].at.line), j);
                return;
            }
        }
    }

    void move_later(const Body& body, std::size_t i) {
        const ir::Op& op = body[i].op;
        if (const auto* wait = std::get_if<ir::Wait>(&op)) {
            // What only waits for readers protects the next write.
            const bool writes = sync(wait->sync).ends_with(".read");
            if (const auto buffer = guarded(wait->sync)) {
                later(body, i, [&](const ir::Stmt& stmt) { return uses(stmt, buffer, writes); });
            }
        } else if (std::holds_alternative<ir::Barrier>(op)) {
            later(body, i, [](const ir::Stmt& stmt) { return uses(stmt, std::nullopt); });
        } else if (std::holds_alternative<ir::ProxyFence>(op)) {
            later(body, i, [](const ir::Stmt& stmt) {
                return std::holds_alternative<ir::CopyOut>(stmt.op) || std::holds_alternative<ir::Arrive>(stmt.op);
            });
        } else if (std::holds_alternative<ir::CopyDone>(op)) {
            later(body, i, [](const ir::Stmt& stmt) { return std::holds_alternative<ir::Arrive>(stmt.op); });
        } else if (std::holds_alternative<ir::DependencyWait>(op)) {
            later(body, i, [this](const ir::Stmt& stmt) { return touches_results(stmt); });
        }
    }

    void move_earlier(const Body& body, std::size_t i) {
        const ir::Op& op = body[i].op;
        if (const auto* arrive = std::get_if<ir::Arrive>(&op)) {
            if (const auto buffer = guarded(arrive->sync)) {
                earlier(body, i, [&](const ir::Stmt& stmt) { return uses(stmt, buffer); });
            }
        } else if (std::holds_alternative<ir::Barrier>(op)) {
            const auto next = std::find_if(body.begin() + static_cast<std::ptrdiff_t>(i), body.end(),
                                           [](const ir::Stmt& stmt) { return uses(stmt, std::nullopt); });
            bool other = false;
            earlier(body, i, [&](const ir::Stmt& stmt) {
                other = other || std::holds_alternative<ir::Barrier>(stmt.op);
                return !other && next != body.end() && conflict(stmt, *next);
            });
        } else if (std::holds_alternative<ir::ProxyFence>(op)) {
            earlier(body, i, [](const ir::Stmt& stmt) {
                return any(stmt, [](const ir::Op& o) { return std::holds_alternative<ir::SharedStore>(o); });
            });
        } else if (std::holds_alternative<ir::CopyDone>(op)) {
            earlier(body, i, [](const ir::Stmt& stmt) { return std::holds_alternative<ir::CopyOut>(stmt.op); });
        } else if (std::holds_alternative<ir::ClusterBarrier>(op)) {
            earlier(body, i, [](const ir::Stmt& stmt) { return std::holds_alternative<ir::InitSyncs>(stmt.op); });
        }
    }

    void change(const ir::Stmt& stmt) {
        if (const auto* expect = std::get_if<ir::Expect>(&stmt.op)) {
            constexpr int kBytes = 16;
            for (const int bytes : {kBytes, -kBytes}) {
                add(Mutation::Kind::bytes, stmt,
                    fmt::format("{} bytes announced to `{}` instead of {}", expect->bytes + bytes, sync(expect->sync),
                                expect->bytes),
                    0, bytes);
            }
        } else if (const auto* in = std::get_if<ir::CopyIn>(&stmt.op)) {
            add(Mutation::Kind::remove, stmt, fmt::format("without the copy into `{}`", buffer(in->buffer)));
        } else if (const auto* out = std::get_if<ir::CopyOut>(&stmt.op)) {
            add(Mutation::Kind::remove, stmt, fmt::format("without the copy out of `{}`", buffer(out->buffer)));
        } else if (const auto* send = std::get_if<ir::SendTo>(&stmt.op)) {
            add(Mutation::Kind::remove, stmt, fmt::format("without the send to `{}`", buffer(send->buffer)));
        }
    }

    const ir::Program& program_;
    const ir::Kernel* kernel_ = nullptr;
    Mutation where_;
    std::vector<Mutation> found_;
};

}  // namespace

std::vector<Mutation> removals(const ir::Program& program) { return Finder(program).removals(); }

std::vector<Mutation> mutations(const ir::Program& program) {
    std::vector<Mutation> all = removals(program);
    const std::vector<Mutation> others = Finder(program).others();
    all.insert(all.end(), others.begin(), others.end());
    return all;
}

ir::Program mutated(ir::Program program, const Mutation& mutation) {
    Body* body = lists_of(program.kernels[mutation.kernel])[mutation.list];
    for (std::size_t depth = 0; depth + 1 < mutation.path.size(); ++depth) {
        body = ir::body_of((*body)[mutation.path[depth]].op);
    }
    const auto at = body->begin() + static_cast<std::ptrdiff_t>(mutation.path.back());
    switch (mutation.kind) {
        case Mutation::Kind::remove:
            body->erase(at);
            break;
        case Mutation::Kind::bytes:
            std::get<ir::Expect>(at->op).bytes += mutation.bytes;
            break;
        case Mutation::Kind::move: {
            const auto to = body->begin() + static_cast<std::ptrdiff_t>(mutation.to);
            to <= at ? std::rotate(to, at, at + 1) : std::rotate(at, at + 1, to);
            break;
        }
    }
    return program;
}

}  // namespace tilejit::interpret
