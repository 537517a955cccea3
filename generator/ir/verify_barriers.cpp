#include <fmt/format.h>

#include "generator/ir/hazards.h"
#include "generator/ir/verify.h"

namespace tilejit::ir {
namespace {

void check(const std::vector<Stmt>& body, Hazards& hazards) {
    for (const Stmt& stmt : body) {
        if (hazards.conflicts(stmt.op)) {
            throw InternalError(fmt::format("internal error: no barrier before the shared access of {}:{}",
                                            stmt.at.file, stmt.at.line));
        }
        hazards.add(stmt.op);
        if (std::holds_alternative<Barrier>(stmt.op)) {
            hazards.barrier();
        } else if (const std::vector<Stmt>* inner = body_of(stmt.op)) {
            hazards.enter(stmt.op);
            const Hazards before = hazards;
            check(*inner, hazards);
            hazards.next_turn(stmt.op);
            check(*inner, hazards);
            hazards.merge(before);
        }
    }
}

}  // namespace

void verify_barriers(const Program& program) {
    for (const Kernel& kernel : program.kernels) {
        for (const Role& role : kernel.roles) {
            Hazards hazards(program, kernel);
            check(role.body, hazards);
        }
    }
}

}  // namespace tilejit::ir
