#include "generator/ir/print.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "generator/layout/layout.h"

namespace tilejit::ir {
namespace {

class Printer {
public:
    explicit Printer(const Program& program) : program_(program) {}

    std::string run() {
        line(fmt::format("program {} {} {} batch {}..{}", program_.name, program_.arch,
                         program_.aligned ? "aligned" : "element", program_.batch_low,
                         program_.batch_high == INT64_MAX ? "" : std::to_string(program_.batch_high)));
        for (std::size_t i = 0; i < program_.tensors.size(); ++i) {
            tensor(static_cast<TensorId>(i));
        }
        for (const Kernel& kernel : program_.kernels) {
            this->kernel(kernel);
        }
        return std::move(text_);
    }

    std::string index(const Index& index) const {
        std::string text;
        for (const auto& [var, coefficient] : index.terms) {
            text += text.empty() ? "" : " + ";
            text += coefficient == 1 ? "" : fmt::format("{} * ", coefficient);
            text += program_.variables[static_cast<std::size_t>(var)].name;
        }
        if (index.constant != 0 || text.empty()) {
            text += fmt::format("{}{}", text.empty() ? "" : " + ", index.constant);
        }
        return text;
    }

private:
    void line(const std::string& text) {
        text_ += std::string(2 * static_cast<std::size_t>(indent_), ' ') + text + "\n";
    }

    const std::string& axis(AxisId id) const { return program_.axes[static_cast<std::size_t>(id)].name; }

    static std::string extent(const Extent& extent) {
        return extent.per > 0 ? (extent.per == 1 ? "batch" : fmt::format("ceil_div(batch, {})", extent.per))
                              : std::to_string(extent.constant);
    }

    void tensor(TensorId id) {
        const Tensor& tensor = program_.tensors[static_cast<std::size_t>(id)];
        static constexpr const char* kKinds[] = {"input", "output", "workspace"};
        std::string dims;
        for (const Dim& dim : tensor.dims) {
            dims += fmt::format("{}{}@{}{}", dims.empty() ? "" : ", ", dim.open ? "batch" : std::to_string(dim.extent),
                                dim.stride, dim.by_row ? "*row" : "");
        }
        line(fmt::format("{} t{} = {} {}[{}]", kKinds[static_cast<int>(tensor.kind)], id, tensor.argument,
                         name_of(tensor.dtype), dims));
    }

    void kernel(const Kernel& kernel) {
        std::string grid;
        for (const VarId var : kernel.grid) {
            const Variable& variable = program_.variables[static_cast<std::size_t>(var)];
            grid += fmt::format("{}{} < {}", grid.empty() ? "" : ", ", variable.name, extent(variable.extent));
        }
        if (kernel.tiles) {
            grid = fmt::format("tile < {}{}", extent(*kernel.tiles),
                               kernel.cluster > 1 ? fmt::format(", cluster {}", kernel.cluster) : "");
        }
        line(fmt::format("kernel {} {}({}) shared {} bytes", kernel.name, kernel.tiles ? "persistent" : "grid", grid,
                         kernel.shared_bytes));
        kernel_ = &kernel;
        channels(kernel);
        block(kernel.prologue);
        for (const Role& role : kernel.roles) {
            ++indent_;
            line(fmt::format("role {} warps {}{}{}", role.name, role.warps,
                             role.copies > 1 ? fmt::format(" copies {}", role.copies) : "",
                             role.registers > 0 ? fmt::format(" registers {}", role.registers) : ""));
            block(role.body);
            --indent_;
        }
        block(kernel.epilogue);
    }

    void channels(const Kernel& kernel) {
        static constexpr const char* kKinds[] = {"ring", "reduce_scatter", "all_gather"};
        ++indent_;
        for (const Channel& channel : kernel.channels) {
            const Buffer& buffer = kernel.buffers[static_cast<std::size_t>(channel.buffer)];
            line(fmt::format("{} {} {}[{}] slots {}{}", kKinds[static_cast<int>(channel.kind)], channel.name,
                             name_of(buffer.dtype), axes(buffer.axes), buffer.slots,
                             buffer.swizzled ? " swizzled" : ""));
        }
        for (const Sync& sync : kernel.syncs) {
            line(fmt::format("barrier {} slots {} arrivals {}", sync.name, sync.slots, sync.arrivals));
        }
        --indent_;
    }

    void block(const std::vector<Stmt>& body) {
        ++indent_;
        for (const Stmt& stmt : body) {
            print(stmt);
        }
        --indent_;
    }

    std::string typed(ValueId id) const {
        const Value& value = program_.values[static_cast<std::size_t>(id)];
        std::string text = fmt::format("v{}: {}[", id, name_of(value.dtype));
        for (std::size_t i = 0; i < value.axes.size(); ++i) {
            text += fmt::format("{}{} {}", i > 0 ? ", " : "", axis(value.axes[i]),
                                program_.axes[static_cast<std::size_t>(value.axes[i])].extent);
        }
        return text + "]" + (value.layout ? " " + layout::describe(program_, *value.layout) : "");
    }

    std::string tensor_part(TensorId id, const std::vector<Span>& at, const Access& access = {}) const {
        return spans(program_.tensors[static_cast<std::size_t>(id)].argument, at, access);
    }

    std::string buffer_part(BufferId id, const Index& position, const std::vector<Span>& at,
                            const Access& access = {}) const {
        return spans(buffer(id, position), at, access);
    }

    std::string channel_buffer(ChannelId id, const Index& position) const {
        return buffer(kernel_->channels[static_cast<std::size_t>(id)].buffer, position);
    }

    std::string sync(SyncId id, const Index& position) const {
        return fmt::format("{}({})", kernel_->syncs[static_cast<std::size_t>(id)].name, index(position));
    }

    std::string spans(const std::string& whole, const std::vector<Span>& at, const Access& access) const {
        std::string text = whole + "[";
        for (std::size_t d = 0; d < at.size(); ++d) {
            std::string part = index(at[d].origin);
            for (const auto& [id_of_axis, step] : at[d].axes) {
                part = (part == "0" ? "" : part + " + ") + (step == 1 ? "" : fmt::format("{} * ", step)) +
                       axis(id_of_axis);
            }
            text += (d > 0 ? ", " : "") + part;
        }
        text += "]";
        if (!access.checked.empty() || !access.padded.empty() || access.vector > 1) {
            text += fmt::format(" vector {}", access.vector);
            for (std::size_t d = 0; d < access.checked.size(); ++d) {
                text += access.checked[d] ? fmt::format(" check {}", d) : "";
            }
            for (const AxisId padded : access.padded) {
                text += fmt::format(" check {}", axis(padded));
            }
        }
        return text;
    }

    /// With the position where there are several slots.
    std::string buffer(BufferId id, const Index& position) const {
        const Buffer& buffer = kernel_->buffers[static_cast<std::size_t>(id)];
        return buffer.name + (buffer.offset < 0 ? "" : fmt::format("@{}", buffer.offset)) +
               (position.terms.empty() ? "" : fmt::format("({})", index(position)));
    }

    std::string axes(const std::vector<AxisId>& ids) const {
        std::string text;
        for (const AxisId id : ids) {
            text += (text.empty() ? "" : ", ") + axis(id);
        }
        return text;
    }

    void print(const Stmt& stmt) {
        const std::string where = fmt::format("  // {}:{}", stmt.at.file, stmt.at.line);
        const auto define = [&](ValueId out, const std::string& what) { line(typed(out) + " = " + what + where); };
        std::visit(
            Overload{
                [&](const Load& op) { define(op.out, "load " + tensor_part(op.tensor, op.at, op.access)); },
                [&](const Store& op) {
                    line(fmt::format("store v{} to {}", op.in, tensor_part(op.tensor, op.at, op.access)) + where);
                },
                [&](const SharedLoad& op) {
                    define(op.out, "read " + buffer_part(op.buffer, op.position, op.at, op.access));
                },
                [&](const SharedStore& op) {
                    line(fmt::format("share v{} as {}", op.in, buffer_part(op.buffer, op.position, op.at, op.access)) +
                         where);
                },
                [&](const Constant& op) { define(op.out, "constant " + hex_text(op.value)); },
                [&](const Parameter& op) {
                    define(op.out, "parameter " + program_.params[static_cast<std::size_t>(op.param)].name);
                },
                [&](const Map& op) {
                    std::string args;
                    for (const ValueId arg : op.args) {
                        args += fmt::format("{}v{}", args.empty() ? "" : ", ", arg);
                    }
                    define(op.out, fmt::format("{}({})", name_of(op.function), args));
                },
                [&](const Reduce& op) {
                    define(op.out, fmt::format("{}(v{}; {})", op.reduction == Reduction::sum ? "sum" : "largest", op.in,
                                               axes(op.axes)));
                },
                [&](const Contract& op) {
                    define(op.out, fmt::format("contract(v{}, v{}; {}){}", op.a, op.b, axis(op.axis),
                                               op.init ? fmt::format(" from v{}", *op.init) : ""));
                },
                [&](const Mma& op) {
                    define(op.out, fmt::format("mma(v{}, v{}) from v{}", op.weights, op.tokens, op.acc));
                },
                [&](const Split& op) { define(op.out, fmt::format("split(v{})", op.in)); },
                [&](const Select& op) {
                    define(op.out, fmt::format("v{} at {} = {}", op.in, axis(op.axis), index(op.at)));
                },
                [&](const ChannelUse auto& op) { line(channel_use(op) + where); },
                [&](const Synchronisation auto& op) { line(synchronisation(op) + where); },
                [&](const CopyIn& op) {
                    line(fmt::format("copy {} to {}, lands on {}", tensor_part(op.tensor, op.at),
                                     buffer(op.buffer, op.position), sync(op.sync, op.position)) +
                         where);
                },
                [&](const CopyOut& op) {
                    line(fmt::format("copy {} to {}", buffer(op.buffer, op.position), tensor_part(op.tensor, op.at)) +
                         where);
                },
                [&](const SendTo& op) {
                    line(fmt::format("send v{} to {}'s {}, lands on {}", op.in, op.all ? "every block" : "the owner",
                                     buffer_part(op.buffer, op.position, op.at, op.access),
                                     sync(op.sync, op.position)) +
                         where);
                },
                [&](const For& op) { loop(op, where); },
                [&](const TileLoop& op) {
                    line(fmt::format("for {} of the cluster{}",
                                     program_.variables[static_cast<std::size_t>(op.tile)].name,
                                     op.owned ? ", owned" : "") +
                         where);
                    block(op.body);
                },
            },
            stmt.op);
    }

    static const char* use(Acquire::Use use) {
        static constexpr const char* kUses[] = {"read", "update", "updated"};
        return kUses[static_cast<int>(use)];
    }

    std::string channel_use(const Fill& op) const {
        return fmt::format("fill {} with {}", channel_buffer(op.channel, op.position), tensor_part(op.tensor, op.at));
    }
    std::string channel_use(const Acquire& op) const {
        return fmt::format("acquire {} to {}", channel_buffer(op.channel, op.position), use(op.use));
    }
    std::string channel_use(const Release& op) const {
        return fmt::format("release {}", channel_buffer(op.channel, op.position));
    }
    std::string channel_use(const Drain& op) const {
        return fmt::format("drain {} to {}", channel_buffer(op.channel, op.position), tensor_part(op.tensor, op.at));
    }
    std::string channel_use(const Send& op) const {
        return fmt::format("send v{} to {}", op.in, spans(channel_buffer(op.channel, op.position), op.at, {}));
    }

    static std::string synchronisation(const Barrier&) { return "barrier"; }
    static std::string synchronisation(const InitSyncs&) { return "prepare barriers"; }
    static std::string synchronisation(const ClusterBarrier&) { return "cluster barrier"; }
    static std::string synchronisation(const ProxyFence&) { return "fence for the copy engine"; }
    static std::string synchronisation(const DependencyWait&) { return "wait for the kernels before"; }
    static std::string synchronisation(const LaunchDependents&) { return "let the kernels after begin"; }
    static std::string synchronisation(const CopyDone& op) {
        return fmt::format("wait until all copies but {} have read", op.pending);
    }
    std::string synchronisation(const Arrive& op) const {
        static constexpr const char* kBy[] = {"", " by the first warp", " by each thread"};
        return fmt::format("arrive at {}{}", sync(op.sync, op.position), kBy[static_cast<int>(op.by)]);
    }
    std::string synchronisation(const Expect& op) const {
        return fmt::format("expect {} bytes at {}", op.bytes, sync(op.sync, op.position));
    }
    std::string synchronisation(const Wait& op) const {
        return fmt::format("wait for {}{}", op.before ? "the phase before " : "", sync(op.sync, op.position));
    }

    void loop(const For& op, const std::string& where) {
        const std::string count =
            op.param ? program_.params[static_cast<std::size_t>(*op.param)].name : std::to_string(op.count);
        line(fmt::format("for {} < {}", program_.variables[static_cast<std::size_t>(op.var)].name, count) + where);
        ++indent_;
        for (const For::Carried& carried : op.carried) {
            line(fmt::format("v{} starts as v{}, becomes v{}, leaves as v{}", carried.arg, carried.init, carried.next,
                             carried.out));
        }
        --indent_;
        block(op.body);
    }

    const Program& program_;
    const Kernel* kernel_ = nullptr;
    std::string text_;
    int indent_ = 0;
};

}  // namespace

std::string hex_text(float number) {
    // Neither printf nor fmt: their hexadecimal has the decimal point of the C locale.
    char digits[32];
    const char* end = std::to_chars(digits, digits + sizeof(digits), std::fabs(number), std::chars_format::hex).ptr;
    return fmt::format("{}{}{}", std::signbit(number) ? "-" : "", std::isfinite(number) ? "0x" : "",
                       std::string_view(digits, static_cast<std::size_t>(end - digits)));
}

std::string to_text(const Program& program) { return Printer(program).run(); }
std::string to_text(const Program& program, const Index& index) { return Printer(program).index(index); }

}  // namespace tilejit::ir
