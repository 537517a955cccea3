// before:  role {             w1 = load weights[..] ; loop { x2 = load x[..] ; .. } }
// after:   role {             w1 = load weights[..] ; wait for dependencies ; loop { x2 = load x[..] ; .. } }
//          prologue { .. ; launch dependents }
//
// A kernel with weights may begin while those before it in the stream still run: it waits for them
// before it touches anything else in memory, for their results and because they may still read what it
// writes. In turn it lets the next kernels begin at once.
#include <algorithm>

#include "generator/pass/pass.h"

namespace tilejit::pass {
namespace {

class Accesses {
public:
    explicit Accesses(const ir::Program& program) : program_(program) {}

    bool of_weights(const std::vector<ir::Stmt>& body) const { return any(body, true); }
    bool of_others(const ir::Stmt& stmt) const { return touches(stmt, false); }

private:
    bool any(const std::vector<ir::Stmt>& body, bool weights) const {
        return std::any_of(body.begin(), body.end(), [&](const ir::Stmt& stmt) { return touches(stmt, weights); });
    }

    /// True when the statement, or one inside it, accesses global memory that is weights, or is not.
    bool touches(const ir::Stmt& stmt, bool weights) const {
        if (const std::vector<ir::Stmt>* inner = ir::body_of(stmt.op)) {
            return any(*inner, weights);
        }
        return std::visit(
            [&](const auto& op) {
                if constexpr (ir::OneOf<std::decay_t<decltype(op)>, ir::Load, ir::Store, ir::CopyIn, ir::CopyOut>) {
                    return program_.tensors[static_cast<std::size_t>(op.tensor)].weights == weights;
                } else {
                    return false;
                }
            },
            stmt.op);
    }

    const ir::Program& program_;
};

}  // namespace

void insert_dependency_waits(ir::Program& program) {
    const Accesses accesses(program);
    for (ir::Kernel& kernel : program.kernels) {
        if (std::none_of(kernel.roles.begin(), kernel.roles.end(),
                         [&](const ir::Role& role) { return accesses.of_weights(role.body); })) {
            continue;
        }
        kernel.prologue.push_back({ir::LaunchDependents{}, kernel.at});
        for (ir::Role& role : kernel.roles) {
            const auto first = std::find_if(role.body.begin(), role.body.end(),
                                            [&](const ir::Stmt& stmt) { return accesses.of_others(stmt); });
            if (first != role.body.end()) {
                const ir::Location at = first->at;
                role.body.insert(first, {ir::DependencyWait{}, at});
            }
        }
    }
}

}  // namespace tilejit::pass
