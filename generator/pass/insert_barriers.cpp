// before:  share s1 = h        loop { r2 = read s1 ; share s1 = r3 }
// after:   share s1 = h        loop { barrier ; r2 = read s1 ; barrier ; share s1 = r3 }
//
// Hazards follow from what operations declare to read and write (ir/hazards.h), loop back edges included:
// a loop's body is walked a second time from the state in which it ended.
#include "generator/ir/hazards.h"
#include "generator/pass/pass.h"

namespace tilejit::pass {
namespace {

void walk(std::vector<ir::Stmt>& body, ir::Hazards& hazards) {
    for (std::size_t i = 0; i < body.size(); ++i) {
        if (hazards.conflicts(body[i].op)) {
            body.insert(body.begin() + static_cast<std::ptrdiff_t>(i), {ir::Barrier{}, body[i].at});
            hazards.barrier();
            ++i;
        }
        hazards.add(body[i].op);
        if (std::holds_alternative<ir::Barrier>(body[i].op)) {
            hazards.barrier();
        } else if (std::vector<ir::Stmt>* inner = ir::body_of(body[i].op)) {
            hazards.enter(body[i].op);
            const ir::Hazards before = hazards;
            walk(*inner, hazards);
            ir::Hazards again = hazards;
            again.merge(before);
            again.next_turn(body[i].op);
            walk(*inner, again);
            hazards = again;
            hazards.merge(before);
        }
    }
}

}  // namespace

void insert_barriers(ir::Program& program) {
    for (ir::Kernel& kernel : program.kernels) {
        for (ir::Role& role : kernel.roles) {
            ir::Hazards hazards(program, kernel);
            walk(role.body, hazards);
        }
    }
}

}  // namespace tilejit::pass
