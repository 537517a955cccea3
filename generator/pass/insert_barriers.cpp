// before:  share s1 = h        loop { r2 = read s1 ; share s1 = r3 }
// after:   share s1 = h        loop { barrier ; r2 = read s1 ; barrier ; share s1 = r3 }
//
// Hazards follow from what operations declare to read and write, loop back edges included: a loop's
// body is walked a second time from the state in which it ended.
#include <map>

#include "generator/pass/pass.h"

namespace tilejit::pass {
namespace {

/// Which shared tiles were touched since the last barrier.
struct Touched {
    std::map<ir::BufferId, bool> read;
    std::map<ir::BufferId, bool> written;

    void clear() {
        read.clear();
        written.clear();
    }
    void merge(const Touched& other) {
        read.insert(other.read.begin(), other.read.end());
        written.insert(other.written.begin(), other.written.end());
    }
};

void walk(std::vector<ir::Stmt>& body, Touched& touched) {
    for (std::size_t i = 0; i < body.size(); ++i) {
        bool conflict = false;
        if (const auto* load = std::get_if<ir::SharedLoad>(&body[i].op)) {
            conflict = touched.written.contains(load->buffer);
        } else if (const auto* store = std::get_if<ir::SharedStore>(&body[i].op)) {
            conflict = touched.written.contains(store->buffer) || touched.read.contains(store->buffer);
        } else if (std::holds_alternative<ir::Barrier>(body[i].op)) {
            touched.clear();
        }
        if (conflict) {
            body.insert(body.begin() + static_cast<std::ptrdiff_t>(i), {ir::Barrier{}, body[i].at});
            touched.clear();
            ++i;
        }
        if (const auto* load = std::get_if<ir::SharedLoad>(&body[i].op)) {
            touched.read[load->buffer] = true;
        } else if (const auto* store = std::get_if<ir::SharedStore>(&body[i].op)) {
            touched.written[store->buffer] = true;
        } else if (auto* inner = ir::body_of(body[i].op)) {
            Touched before = touched;
            walk(*inner, touched);
            touched.merge(before);
            Touched again = touched;
            walk(*inner, again);
            touched.merge(again);
        }
    }
}

}  // namespace

void insert_barriers(ir::Program& program) {
    for (ir::Kernel& kernel : program.kernels) {
        for (ir::Role& role : kernel.roles) {
            Touched touched;
            walk(role.body, touched);
        }
    }
}

}  // namespace tilejit::pass
