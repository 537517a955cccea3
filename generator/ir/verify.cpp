#include "generator/ir/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace tilejit::ir {
namespace {

class Structure {
public:
    explicit Structure(const Program& program) : program_(program) {}

    void run() {
        for (const Kernel& kernel : program_.kernels) {
            kernel_ = &kernel;
            if (kernel.roles.size() != 1 || kernel.grid.empty()) {
                fail(kernel.at, fmt::format("kernel '{}' needs one role and one to three dimensions of blocks, came {} "
                                            "roles and {} dimensions",
                                            kernel.name, kernel.roles.size(), kernel.grid.size()));
            }
            scope_.assign(kernel.grid.begin(), kernel.grid.end());
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
                       [&](const Load& op) { spans(stmt, op.tensor, op.at); },
                       [&](const Store& op) { spans(stmt, op.tensor, op.at); },
                       [&](const SharedLoad& op) { buffer(op.buffer); },
                       [&](const SharedStore& op) { buffer(op.buffer); },
                       [](const Constant&) {},
                       [&](const Parameter& op) { param(op.param); },
                       [](const Map& op) {
                           internal_check(static_cast<int>(op.args.size()) == arity_of(op.function), "arity");
                       },
                       [](const Reduce&) {},
                       [](const Contract&) {},
                       [](const Mma&) {},
                       [](const Barrier&) {},
                       [&](const For& op) { loop(stmt, op); },
                   },
                   stmt.op);
    }

    void spans(const Stmt& stmt, TensorId tensor, const std::vector<Span>& at) const {
        internal_check(at.size() == program_.tensors[static_cast<std::size_t>(tensor)].dims.size(),
                       "rank of an access");
        for (const Span& span : at) {
            for (const auto& [var, coefficient] : span.origin.terms) {
                if (std::find(scope_.begin(), scope_.end(), var) == scope_.end()) {
                    fail(stmt, fmt::format("'{}' is used outside the kernel or loop that counts it",
                                           program_.variables[static_cast<std::size_t>(var)].name));
                }
                if (coefficient < 0) {
                    fail(stmt, "an index may not decrease");
                }
            }
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

    const Program& program_;
    const Kernel* kernel_ = nullptr;
    std::vector<VarId> scope_;
    std::set<ValueId> defined_;
};

struct Pending {
    std::set<BufferId> read;
    std::set<BufferId> written;
};

/// Returns false at the first conflict.
bool safe(const std::vector<Stmt>& body, Pending& pending, const Stmt*& culprit) {
    for (const Stmt& stmt : body) {
        culprit = &stmt;
        if (const auto* load = std::get_if<SharedLoad>(&stmt.op)) {
            if (pending.written.contains(load->buffer)) {
                return false;
            }
            pending.read.insert(load->buffer);
        } else if (const auto* store = std::get_if<SharedStore>(&stmt.op)) {
            if (pending.written.contains(store->buffer) || pending.read.contains(store->buffer)) {
                return false;
            }
            pending.written.insert(store->buffer);
        } else if (std::holds_alternative<Barrier>(stmt.op)) {
            pending = {};
        } else if (const auto* loop = std::get_if<For>(&stmt.op)) {
            Pending before = pending;
            for (int turn = 0; turn < 2; ++turn) {
                if (!safe(loop->body, pending, culprit)) {
                    return false;
                }
            }
            pending.read.merge(before.read);
            pending.written.merge(before.written);
        }
    }
    return true;
}

}  // namespace

void verify(const Program& program) { Structure(program).run(); }

void verify_barriers(const Program& program) {
    for (const Kernel& kernel : program.kernels) {
        for (const Role& role : kernel.roles) {
            Pending pending;
            const Stmt* culprit = nullptr;
            if (!safe(role.body, pending, culprit)) {
                throw InternalError(fmt::format("internal error: no barrier before the shared access of {}:{}",
                                                culprit->at.file, culprit->at.line));
            }
        }
    }
}

}  // namespace tilejit::ir
