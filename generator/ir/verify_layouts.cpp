#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "generator/ir/verify.h"
#include "generator/layout/layout.h"

namespace tilejit::ir {
namespace {

class Layouts {
public:
    explicit Layouts(const Program& program) : program_(program) {}

    void visit(const std::vector<Stmt>& body) {
        for (const Stmt& stmt : body) {
            stmt_ = &stmt;
            for (const ValueId id : outputs_of(stmt.op)) {
                covers(id);
            }
            std::visit(Overload{
                           [](const OneOf<Load, SharedLoad, Constant, Parameter> auto&) {},
                           [](const OneOf<Store, SharedStore, SendTo> auto&) {},
                           [&](const Map& op) { map(op); },
                           [&](const Reduce& op) { reduce(op); },
                           [&](const Contract& op) { contract(op); },
                           [&](const Split& op) { along(op.in, op.out, op.part, "operand"); },
                           [&](const Select& op) { along(op.out, op.in, op.axis, "result"); },
                           [](const Mma&) {},
                           [](const ChannelUse auto&) {},
                           [](const Synchronisation auto&) {},
                           [](const EngineCopy auto&) {},
                           [&](const For& op) { loop(op); },
                           [&](const TileLoop& op) { visit(op.body); },
                       },
                       stmt.op);
        }
    }

private:
    const Value& value(ValueId id) const { return program_.values[static_cast<std::size_t>(id)]; }
    const tj::Layout& layout(ValueId id) const { return *value(id).layout; }
    int extent(AxisId axis) const { return program_.axes[static_cast<std::size_t>(axis)].extent; }

    [[noreturn]] void fail(const std::string& what) const {
        throw GenerateError(fmt::format("{}:{}: {}", stmt_->at.file, stmt_->at.line, what));
    }

    std::string shape(ValueId id) const {
        std::string text = fmt::format("{}[", name_of(value(id).dtype));
        for (std::size_t i = 0; i < value(id).axes.size(); ++i) {
            text += (i > 0 ? ", " : "") + program_.axes[static_cast<std::size_t>(value(id).axes[i])].name;
        }
        return text + "]";
    }

    void covers(ValueId id) const {
        if (!value(id).layout) {
            fail(fmt::format(
                "nothing says how the tile {} is spread over threads; give a spread where it is loaded or read",
                shape(id)));
        }
        if (!layout::independent(layout(id))) {
            fail(
                fmt::format("the operands of the tile {} deal different axes to the same threads: {}\nSpread one of "
                            "them over both axes' threads, or leave its spread out.",
                            shape(id), layout::describe(program_, layout(id))));
        }
        for (const AxisId axis : value(id).axes) {
            if (layout(id).covered(axis) < extent(axis)) {
                fail(fmt::format("the layout of the tile {} covers {} of {} elements of axis '{}': {}", shape(id),
                                 layout(id).covered(axis), extent(axis),
                                 program_.axes[static_cast<std::size_t>(axis)].name,
                                 layout::describe(program_, layout(id))));
            }
        }
    }

    void needs(const tj::Layout& outer, ValueId operand, const char* what) const {
        if (!layout::serves(outer, layout(operand), value(operand).axes)) {
            fail(
                fmt::format("{} {} is held as\n  {}\nand needed as\n  {}\nSpread it so where it is loaded, or pass it "
                            "through share() and read().",
                            what, shape(operand), layout::describe(program_, layout(operand)),
                            layout::describe(program_, layout::restricted(outer, value(operand).axes))));
        }
    }

    void map(const Map& op) const {
        for (const ValueId arg : op.args) {
            needs(layout(op.out), arg, "operand");
        }
    }

    void reduce(const Reduce& op) const {
        const tj::Layout& in = layout(op.in);
        for (int i = 0; i < in.thread_count; ++i) {
            const tj::Piece& piece = in.thread[i];
            const bool reduced = std::find(op.axes.begin(), op.axes.end(), piece.axis) != op.axes.end();
            const bool butterfly = std::has_single_bit(static_cast<unsigned>(piece.extent)) &&
                                   std::has_single_bit(static_cast<unsigned>(piece.stride)) &&
                                   piece.extent * piece.stride <= 32;
            if (reduced && !butterfly) {
                fail(fmt::format(
                    "cannot reduce axis '{}' of {} across these threads: {}\nUse a power of two of lanes of "
                    "one warp (spread(..).lanes()), or pass it through share() and read().",
                    program_.axes[static_cast<std::size_t>(piece.axis)].name, shape(op.in),
                    layout::describe(program_, in)));
            }
        }
        if (!layout::ascending(in, op.axes)) {
            fail(fmt::format("cannot reduce {} in the order given: the registers hold it as {}", shape(op.in),
                             layout::describe(program_, in)));
        }
        if (!layout::serves(in, layout(op.out), value(op.out).axes)) {
            fail(fmt::format("the result of the reduction {} is held as\n  {}\nand needed as\n  {}", shape(op.out),
                             layout::describe(program_, layout::restricted(in, value(op.out).axes)),
                             layout::describe(program_, layout(op.out))));
        }
    }

    void contract(const Contract& op) const {
        const tj::Layout outer = layout::with_axis(layout(op.out), op.axis, extent(op.axis));
        needs(outer, op.a, "operand");
        needs(outer, op.b, "operand");
        if (op.init) {
            needs(layout(op.out), *op.init, "start value");
        }
    }

    /// Each thread holds all of `axis` of the wide tile, and the rest as of the narrow one.
    void along(ValueId narrow, ValueId wide, AxisId axis, const char* what) const {
        if (layout(wide).on_threads(axis)) {
            fail(fmt::format("axis '{}' of {} must be whole in each thread, but is spread over threads: {}",
                             program_.axes[static_cast<std::size_t>(axis)].name, shape(wide),
                             layout::describe(program_, layout(wide))));
        }
        needs(layout(wide), narrow, what);
    }

    void loop(const For& op) {
        const Stmt* here = stmt_;
        visit(op.body);
        stmt_ = here;
        for (const For::Carried& carried : op.carried) {
            for (const ValueId id : {carried.init, carried.next, carried.out}) {
                if (layout(id) != layout(carried.arg)) {
                    fail(fmt::format("the carried tile {} is held as\n  {}\nand as\n  {}", shape(id),
                                     layout::describe(program_, layout(carried.arg)),
                                     layout::describe(program_, layout(id))));
                }
            }
        }
    }

    const Program& program_;
    const Stmt* stmt_ = nullptr;
};

}  // namespace

void verify_layouts(const Program& program) {
    for (const Kernel& kernel : program.kernels) {
        for (const Role& role : kernel.roles) {
            Layouts(program).visit(role.body);
        }
    }
}

}  // namespace tilejit::ir
