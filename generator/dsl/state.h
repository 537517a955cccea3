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

/// A channel's tile that a role has, from `Acquire` to `Release`.
struct Held {
    ir::ChannelId channel = -1;
    ir::Index position;
    ir::Acquire::Use use = ir::Acquire::Use::read;
};

/// The body of a role or loop under construction.
struct Scope {
    std::vector<ir::Stmt>* body = nullptr;
    std::vector<Held> held;
};

/// A loop around the operation under construction.
struct Counter {
    enum class Kind { tiles, owned_tiles, counted, open };
    Kind kind = Kind::counted;
    ir::VarId var = -1;
    std::int64_t count = 0;  ///< of a counted loop
};

struct State {
    ir::Program program;
    std::optional<std::int64_t> exact_batch;
    std::vector<Scope> scopes;  ///< innermost last; empty outside a role
    std::vector<Counter> counters;

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
    static Tile split(const Operand& a, Axis part);
    static Tile select(const Operand& a, Axis axis, const Index& at);
    static Tile contract(const Operand& a, const Operand& b, Axis axis, const Operand* init);
    static Tile mma(const Operand& weights, const Operand& tokens, Axis chunk, Axis element, Axis part,
                    const Operand& acc);

    Tile load(const View& view, const Spread* wanted, Where where);
    Tile load_shared(const View& view, const Spread* wanted, Where where);
    void store_slot(ir::ValueId in, const View& view, Where where);
    std::vector<ir::Span> spans(const View& view, Where where) const;
    static std::vector<ir::Span> spans(const std::vector<Index>& indices, Where where);
    /// Of a view of a shared tile, or of a channel's (without the rank that the tile of a reduce_scatter
    /// has besides).
    std::vector<ir::Span> shared_spans(const View& view, Where where);
    const ir::Buffer& buffer_of(const ir::Channel& channel) {
        return kernel().buffers[static_cast<std::size_t>(channel.buffer)];
    }

    /// A channel of the kernel under construction.
    ir::Channel& channel(int kernel, int id, Where where);
    /// How many uses came before one written here; counted by the loops around it.
    ir::Index position(Where where) const;
    /// The tile that `view` is part of, which the role must hold.
    const Held& held(const View& view, Where where) const;

    void open(std::vector<ir::Stmt>& body) { scopes.push_back({&body, {}}); }
    /// Releases what was acquired in the innermost scope, each after its last use, and leaves it.
    void close();
    std::vector<ir::AxisId> axes_of(const std::vector<ir::Span>& spans, Where where) const;
    static ir::Index index(const Index& index);
    void spread(ir::ValueId id, const Spread& spread, Where where);
};

/// The axes of both, those of `a` first.
std::vector<ir::AxisId> united(const std::vector<ir::AxisId>& a, const std::vector<ir::AxisId>& b);
bool has(const std::vector<ir::AxisId>& axes, ir::AxisId axis);
bool same_axes(const std::vector<ir::AxisId>& a, const std::vector<ir::AxisId>& b);

}  // namespace tilejit::dsl::detail
