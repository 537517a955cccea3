// before:  acc2 = mma(w, x, acc)                       (no layouts)
// after:   acc2 = mma(w, x, acc)   w, x, acc, acc2 held as the operands of m16n8k16:
//          lane = 4 g + t;  x: n = 8 j + column g, k = (chunk t, elements in slots)
//          w: m = 8 i + g, k alike, both parts in slots
//          acc: m = 8 i + g (hi in rows 0-7, lo in rows 8-15), n = 8 j + column 2 t + e
//          axes that both operands share (but k) are one warp each
//
// Column c of a tile of 8 is n = c / 2 + 4 * (c % 2): a quarter of a warp then reads chunks 0-3 of n = i and of
// n = i + 4, which a swizzled slot of a ring keeps in different banks.
#include <fmt/format.h>

#include <algorithm>

#include "generator/layout/layout.h"
#include "generator/pass/pass.h"

namespace tilejit::pass {
namespace {

class AtomChooser {
public:
    AtomChooser(ir::Program& program, int warps) : program_(program), warps_(warps) {}

    void visit(const std::vector<ir::Stmt>& body) {
        for (const ir::Stmt& stmt : body) {
            if (const auto* mma = std::get_if<ir::Mma>(&stmt.op)) {
                choose(*mma, stmt.at);
            } else if (const auto* inner = ir::body_of(stmt.op)) {
                visit(*inner);
            }
        }
    }

private:
    int extent(ir::AxisId axis) const { return program_.axes[static_cast<std::size_t>(axis)].extent; }
    ir::Value& value(ir::ValueId id) { return program_.values[static_cast<std::size_t>(id)]; }

    void choose(const ir::Mma& mma, const ir::Location& at) {
        tj::Layout batch{};
        batch.threads = 32 * warps_;
        int stride = 32;
        const auto& axes = value(mma.weights).axes;
        for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis) {
            const bool inside = *axis == mma.chunk || *axis == mma.element || *axis == mma.part || *axis == mma.m;
            if (!inside && extent(*axis) > 1) {
                batch.thread[batch.thread_count++] = {*axis, extent(*axis), 1, stride};
                stride *= extent(*axis);
            }
        }
        if (stride > batch.threads) {
            throw GenerateError(
                fmt::format("{}:{}: mma takes one warp for each of {} products side by side, the role "
                            "has {} warps; give it more or loop over fewer at a time",
                            at.file, at.line, stride / 32, warps_));
        }
        require(mma.weights, weights(batch, mma), at);
        require(mma.tokens, tokens(batch, mma), at);
        require(mma.acc, accumulator(batch, mma), at);
        require(mma.out, accumulator(batch, mma), at);
    }

    static void add_slots(tj::Layout& layout, ir::AxisId axis, int count, int step) {
        if (count > 1) {
            const int stride = layout.slots();
            layout.slot[layout.slot_count++] = {axis, count, step, stride};
        }
    }

    tj::Layout weights(tj::Layout layout, const ir::Mma& mma) const {
        layout.thread[layout.thread_count++] = {mma.chunk, 4, 1, 1};
        layout.thread[layout.thread_count++] = {mma.m, 8, 1, 4};
        add_slots(layout, mma.element, 8, 1);
        add_slots(layout, mma.part, 2, 1);
        add_slots(layout, mma.m, extent(mma.m) / 8, 8);
        return layout;
    }

    tj::Layout tokens(tj::Layout layout, const ir::Mma& mma) const {
        layout.thread[layout.thread_count++] = {mma.chunk, 4, 1, 1};
        layout.thread[layout.thread_count++] = {mma.n, 2, 4, 4};
        layout.thread[layout.thread_count++] = {mma.n, 4, 1, 8};
        add_slots(layout, mma.element, 8, 1);
        add_slots(layout, mma.n, extent(mma.n) / 8, 8);
        return layout;
    }

    tj::Layout accumulator(tj::Layout layout, const ir::Mma& mma) const {
        layout.thread[layout.thread_count++] = {mma.n, 4, 1, 1};
        layout.thread[layout.thread_count++] = {mma.m, 8, 1, 4};
        add_slots(layout, mma.n, 2, 4);
        add_slots(layout, mma.part, 2, 1);
        add_slots(layout, mma.m, extent(mma.m) / 8, 8);
        add_slots(layout, mma.n, extent(mma.n) / 8, 8);
        return layout;
    }

    void require(ir::ValueId id, const tj::Layout& wanted, const ir::Location& at) {
        ir::Value& held = value(id);
        if (held.spread || (held.layout && *held.layout != wanted)) {
            throw GenerateError(
                fmt::format("{}:{}: an operand of mma cannot be spread by hand: the instruction needs {}", at.file,
                            at.line, layout::describe(program_, wanted)));
        }
        held.layout = wanted;
    }

    ir::Program& program_;
    int warps_;
};

}  // namespace

void choose_atoms(ir::Program& program) {
    for (const ir::Kernel& kernel : program.kernels) {
        for (const ir::Role& role : kernel.roles) {
            AtomChooser(program, role.warps).visit(role.body);
        }
    }
}

}  // namespace tilejit::pass
