/// \file The program under construction, behind the DSL's handles.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "generator/ir/ir.h"
#include "tilejit/dsl.h"

namespace tilejit::dsl::detail {

// What the device templates' tables hold.
constexpr std::size_t kMaxDims = 5;         ///< of a tensor, `View::kMaxDims`
constexpr std::size_t kMaxIndexAxes = 4;    ///< in the index of one dimension, `View::kMaxAxes`
constexpr std::size_t kMaxReducedAxes = 4;  ///< of one reduction, `Over::kMaxAxes`

struct State {
    ir::Program program;
    std::optional<std::int64_t> exact_batch;
    std::vector<std::vector<ir::Stmt>*> blocks;  ///< innermost last; empty outside a role

    [[noreturn]] static void fail(Where where, const std::string& what);
    static ir::Location location(Where where);

    ir::Kernel& kernel() { return program.kernels.back(); }
    int kernel_id() const { return static_cast<int>(program.kernels.size()) - 1; }
    /// The kernel of a builder; it must be the one under construction.
    ir::Kernel& kernel(int id, Where where);
    void append(ir::Op op, Where where);
    ir::ValueId add_value(DType dtype, std::vector<ir::AxisId> axes, Where where);
    const ir::Value& value(ir::ValueId id) const { return program.values[static_cast<std::size_t>(id)]; }
    ir::Value& value(ir::ValueId id) { return program.values[static_cast<std::size_t>(id)]; }
    const std::string& axis_name(ir::AxisId id) const { return program.axes[static_cast<std::size_t>(id)].name; }
    std::string describe(ir::ValueId id) const;  ///< `f32[token, column]`

    Tile tile(ir::ValueId id) { return {this, id}; }
    static ir::ValueId id_of(Tile tile) { return tile.id_; }

    /// The state that the operands belong to; at least one of them is a tile.
    static State& of(const std::vector<const Operand*>& operands);
    static Where where(const Operand& operand) { return operand.where_; }
    /// The operand as a value; a number becomes a constant.
    ir::ValueId use(const Operand& operand);

    static Tile map(ir::Function function, const std::vector<const Operand*>& operands);
    static Tile reduce(const Operand& a, std::vector<ir::AxisId> axes, ir::Reduction reduction);
    static Tile contract(const Operand& a, const Operand& b, Axis axis, const Operand* init);
    static Tile mma(const Operand& weights, const Operand& tokens, Axis chunk, Axis element, Axis part,
                    const Operand& acc);

    Tile load(const View& view, const Spread* wanted, Where where);
    std::vector<ir::Span> spans(const View& view, Where where) const;
    std::vector<ir::AxisId> axes_of(const std::vector<ir::Span>& spans, Where where) const;
    static ir::Index index(const Index& index);
    void spread(ir::ValueId id, const Spread& spread, Where where);
};

/// The axes of both, those of `a` first.
std::vector<ir::AxisId> united(const std::vector<ir::AxisId>& a, const std::vector<ir::AxisId>& b);
bool has(const std::vector<ir::AxisId>& axes, ir::AxisId axis);
bool same_axes(const std::vector<ir::AxisId>& a, const std::vector<ir::AxisId>& b);

}  // namespace tilejit::dsl::detail
