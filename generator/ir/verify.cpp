#include "generator/ir/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace tilejit::ir {
namespace {

class Structure {
public:
    explicit Structure(const Program& program) : program_(program) {}

    void run() {
        for (const Kernel& kernel : program_.kernels) {
            kernel_ = &kernel;
            check(kernel);
            scope_.assign(kernel.grid.begin(), kernel.grid.end());
            if (kernel.rank >= 0) {
                scope_.push_back(kernel.rank);
            }
            for (const Role& role : kernel.roles) {
                defined_.clear();
                visit(role.body);
            }
        }
    }

private:
    [[noreturn]] static void fail(const Location& at, const std::string& what) {
        throw GenerateError(fmt::format("{}:{}: {}", at.file, at.line, what));
    }
    [[noreturn]] static void fail(const Stmt& stmt, const std::string& what) { fail(stmt.at, what); }

    static void check(const Kernel& kernel) {
        if (kernel.roles.empty() || (kernel.grid.empty() && !kernel.tiles)) {
            fail(kernel.at, fmt::format("kernel '{}' needs a role, and blocks() or persistent(); came {} roles and {} "
                                        "dimensions of blocks",
                                        kernel.name, kernel.roles.size(), kernel.grid.size()));
        }
        constexpr int kMaxThreads = 1024;
        if (kernel.threads() > kMaxThreads) {
            fail(kernel.at, fmt::format("the roles of kernel '{}' have {} threads together, a block may have {}",
                                        kernel.name, kernel.threads(), kMaxThreads));
        }
        check_registers(kernel);
    }

    /// Budgets are set by groups of four warps and come from the pool that the launch gives the block.
    static void check_registers(const Kernel& kernel) {
        std::map<int, const Role*> group_of;
        bool any = false;
        int first = 0;
        for (const Role& role : kernel.roles) {
            any = any || role.registers > 0;
            for (int warp = first; warp < first + role.warps * role.copies; ++warp) {
                const Role* other = group_of.emplace(warp / 4, &role).first->second;
                if (other->registers != role.registers) {
                    fail(kernel.at, fmt::format("roles '{}' and '{}' share four warps and need the same number of "
                                                "registers, came {} and {}",
                                                other->name, role.name, other->registers, role.registers));
                }
            }
            first += role.warps * role.copies;
        }
        if (!any) {
            return;
        }
        constexpr int kPool = 65536;
        const int share = kPool / kernel.threads() / 8 * 8;
        int wanted = 0;
        for (const auto& [group, role] : group_of) {
            if (role->registers == 0) {
                fail(kernel.at, fmt::format("role '{}' has no number of registers, but others of kernel '{}' have",
                                            role->name, kernel.name));
            }
            wanted += 128 * role->registers;
        }
        if (wanted > share * kernel.threads()) {
            fail(kernel.at, fmt::format("the roles of kernel '{}' want {} registers, the block has {} ({} threads of "
                                        "{})",
                                        kernel.name, wanted, share * kernel.threads(), kernel.threads(), share));
        }
    }

    void visit(const std::vector<Stmt>& body) {
        for (const Stmt& stmt : body) {
            for (const ValueId id : inputs_of(stmt.op)) {
                internal_check(id >= 0 && id < static_cast<ValueId>(program_.values.size()), "value out of range");
                if (!defined_.contains(id)) {
                    fail(stmt,
                         "a tile is used outside the role, loop or kernel that made it; pass it through memory or "
                         "carry it");
                }
            }
            check(stmt);
            for (const ValueId id : outputs_of(stmt.op)) {
                internal_check(defined_.insert(id).second, "a value is defined twice");
            }
        }
    }

    void check(const Stmt& stmt) {
        std::visit(Overload{
                       [&](const OneOf<Load, Store, Fill, Drain> auto& op) { tensor(stmt, op.tensor, op.at); },
                       [&](const OneOf<SharedLoad, SharedStore, SendTo> auto& op) { shared(stmt, op.buffer, op); },
                       [&](const Send& op) {
                           shared(stmt, kernel_->channels[static_cast<std::size_t>(op.channel)].buffer, op);
                       },
                       [&](const EngineCopy auto& op) {
                           tensor(stmt, op.tensor, op.at);
                           buffer(op.buffer);
                       },
                       [](const Constant&) {},
                       [&](const Parameter& op) { param(op.param); },
                       [](const Map& op) {
                           internal_check(static_cast<int>(op.args.size()) == arity_of(op.function), "arity");
                       },
                       [](const Reduce&) {},
                       [](const Contract&) {},
                       [](const Split&) {},
                       [&](const Select& op) { origin(stmt, op.at); },
                       [](const Mma&) {},
                       [](const OneOf<Acquire, Release> auto&) {},
                       [](const Synchronisation auto&) {},
                       [&](const For& op) { loop(stmt, op); },
                       [&](const TileLoop& op) { tile_loop(op); },
                   },
                   stmt.op);
    }

    void tensor(const Stmt& stmt, TensorId id, const std::vector<Span>& at) const {
        internal_check(at.size() == program_.tensors[static_cast<std::size_t>(id)].dims.size(), "rank of an access");
        spans(stmt, at);
    }

    template <class Access>
    void shared(const Stmt& stmt, BufferId id, const Access& op) const {
        buffer(id);
        const Buffer& whole = kernel_->buffers[static_cast<std::size_t>(id)];
        internal_check(op.at.size() == whole.axes.size(), "rank of a shared access");
        spans(stmt, op.at);
        origin(stmt, op.position);
        for (std::size_t d = 0; d < op.at.size(); ++d) {
            const int extent = program_.axes[static_cast<std::size_t>(whole.axes[d])].extent;
            if (const std::int64_t last = last_index(op.at[d]); last >= extent) {
                fail(stmt, fmt::format("index {} of '{}' reaches {}, it has {} elements of axis '{}'", d, whole.name,
                                       last, extent, program_.axes[static_cast<std::size_t>(whole.axes[d])].name));
            }
        }
    }

    /// The largest index of a span; what a tile index adds is unbounded.
    std::int64_t last_index(const Span& span) const {
        std::int64_t last = span.origin.constant;
        for (const auto& [var, coefficient] : span.origin.terms) {
            const Extent& extent = program_.variables[static_cast<std::size_t>(var)].extent;
            last += extent.per > 0 ? INT32_MAX : coefficient * std::max<std::int64_t>(extent.constant - 1, 0);
        }
        for (const auto& [axis, step] : span.axes) {
            last += static_cast<std::int64_t>(step) * (program_.axes[static_cast<std::size_t>(axis)].extent - 1);
        }
        return last;
    }

    void origin(const Stmt& stmt, const Index& index) const {
        for (const auto& [var, coefficient] : index.terms) {
            if (std::find(scope_.begin(), scope_.end(), var) == scope_.end()) {
                fail(stmt, fmt::format("'{}' is used outside the kernel or loop that counts it",
                                       program_.variables[static_cast<std::size_t>(var)].name));
            }
            if (coefficient < 0) {
                fail(stmt, "an index may not decrease");
            }
        }
    }

    void spans(const Stmt& stmt, const std::vector<Span>& at) const {
        for (const Span& span : at) {
            origin(stmt, span.origin);
            for (const auto& [axis, step] : span.axes) {
                if (step < 1) {
                    fail(stmt, fmt::format("an index may not stand still or decrease along a tile, came {} * '{}'",
                                           step, program_.axes[static_cast<std::size_t>(axis)].name));
                }
            }
            if (span.origin.constant < 0) {
                fail(stmt, fmt::format("an index may not be negative, came {}", span.origin.constant));
            }
        }
    }

    void buffer(BufferId id) const {
        internal_check(id >= 0 && id < static_cast<BufferId>(kernel_->buffers.size()), "shared tile out of range");
    }

    void param(ParamId id) const {
        internal_check(id >= 0 && id < static_cast<ParamId>(program_.params.size()), "parameter out of range");
    }

    void loop(const Stmt& stmt, const For& op) {
        const std::set<ValueId> before = defined_;
        scope_.push_back(op.var);
        for (const For::Carried& carried : op.carried) {
            defined_.insert(carried.arg);
        }
        if (op.param) {
            param(*op.param);
            if (!program_.params[static_cast<std::size_t>(*op.param)].integer) {
                fail(stmt, "a loop counts to an integer parameter");
            }
        }
        visit(op.body);
        for (const For::Carried& carried : op.carried) {
            if (!defined_.contains(carried.next) || std::any_of(op.carried.begin(), op.carried.end(),
                                                                [&](const auto& c) { return c.arg == carried.next; })) {
                fail(stmt, "a loop carries tiles that its body makes");
            }
        }
        scope_.pop_back();
        defined_ = before;
    }

    void tile_loop(const TileLoop& op) {
        const std::set<ValueId> before = defined_;
        scope_.insert(scope_.end(), {op.tile, op.turn});
        visit(op.body);
        scope_.resize(scope_.size() - 2);
        defined_ = before;
    }

    const Program& program_;
    const Kernel* kernel_ = nullptr;
    std::vector<VarId> scope_;
    std::set<ValueId> defined_;
};

}  // namespace

void verify(const Program& program) {
    Structure(program).run();
    for (const Kernel& kernel : program.kernels) {
        verify_channels(kernel);
    }
}

}  // namespace tilejit::ir
