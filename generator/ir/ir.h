/// \file The intermediate representation: programs over tiles.
///
/// A program is a list of kernels, launched in order on one stream. A kernel is a grid of thread
/// blocks; a block is a set of roles, each a group of warps that runs a list of tile operations
/// together. Tiles have named axes with constant extents; operands are matched by axis, so a tile
/// that lacks an axis is broadcast along it. Values are assigned once; loops carry tiles.
///
/// `Op` is a closed variant. Visitors are overload sets without a catch-all, so that a new
/// operation makes the compiler list every place to extend.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "generator/launch_plan.h"
#include "templates/layout.h"
#include "tilejit/dtype.h"

namespace tilejit::ir {

using AxisId = int;
using VarId = int;
using TensorId = int;
using ParamId = int;
using ValueId = int;
using BufferId = int;

/// Where in the DSL an operation was written.
struct Location {
    std::string file;
    int line = 0;
};

struct Axis {
    std::string name;
    int extent = 1;
};

/// A block coordinate or a loop counter.
struct Variable {
    std::string name;
    int grid_axis = -1;  ///< 0..2 for a block coordinate, -1 for a loop counter
    Extent extent;       ///< it runs from 0 to extent - 1
};

/// `constant + sum of coefficient * variable`; terms are sorted by variable.
struct Index {
    std::int64_t constant = 0;
    std::vector<std::pair<VarId, std::int64_t>> terms;
    bool operator==(const Index&) const = default;
};

/// A dimension of a tensor. Its stride is `stride` elements, times the tensor's row stride if
/// `by_row`.
struct Dim {
    std::int64_t extent = 1;
    bool open = false;  ///< the extent is the batch, known at launch
    std::int64_t stride = 1;
    bool by_row = false;
    bool operator==(const Dim&) const = default;
};

/// A view of an argument, or of a workspace, in global memory.
struct Tensor {
    enum class Kind { input, output, workspace };
    std::string argument;
    Kind kind = Kind::input;
    DType dtype = DType::f32;
    std::vector<Dim> dims;
    std::int64_t row_elements = 0;  ///< in a row without gaps; of a workspace: per batch row
};

/// A parameter given at launch.
struct Param {
    std::string name;
    bool integer = false;
};

/// How the author wants a tile spread: threads are dealt to `over`, the last axis fastest; each
/// thread holds `vector` neighbours on `vector_axis`; everything else is in a thread's registers.
struct Spread {
    std::vector<AxisId> over;
    AxisId vector_axis = -1;
    int vector = 1;
    bool lanes = false;  ///< cover the last axis with a power of two of lanes, so that they can reduce
};

/// A tile in registers.
struct Value {
    DType dtype = DType::f32;
    std::vector<AxisId> axes;
    std::optional<Spread> spread;
    std::optional<tj::Layout> layout;
};

/// A tile in shared memory, row-major over `axes` with the strides a pass chose.
struct Buffer {
    std::string name;
    DType dtype = DType::f32;
    std::vector<AxisId> axes;
    std::vector<int> strides;  ///< elements
    std::int64_t offset = -1;  ///< bytes
};

/// The index into one dimension of a tensor: `origin + sum of step * coordinate`.
struct Span {
    Index origin;
    std::vector<std::pair<AxisId, int>> axes;
};

/// How a load or store touches global memory; chosen by passes.
struct Access {
    int vector = 1;              ///< elements per instruction
    std::vector<bool> checked;   ///< per dimension: indices may pass its extent
    std::vector<AxisId> padded;  ///< axes whose padding must be left out
};

/// Elements outside the tensor are zero.
struct Load {
    ValueId out = -1;
    TensorId tensor = -1;
    std::vector<Span> at;
    Access access;
};

/// Elements outside the tensor are left out.
struct Store {
    ValueId in = -1;
    TensorId tensor = -1;
    std::vector<Span> at;
    Access access;
};

struct SharedLoad {
    ValueId out = -1;
    BufferId buffer = -1;
};

struct SharedStore {
    ValueId in = -1;
    BufferId buffer = -1;
};

struct Constant {
    ValueId out = -1;
    float value = 0;
};

struct Parameter {
    ValueId out = -1;
    ParamId param = -1;
};

/// Element-wise functions. fp32 with one rounding each; `fma` rounds once, nothing else is fused;
/// `sigmoid` is 1 / (1 + exp(-a)) in these steps.
enum class Function { to_f32, to_bf16, negate, exp, sqrt, sigmoid, add, sub, mul, div, min, max, fma };

struct Map {
    ValueId out = -1;
    Function function = Function::add;
    std::vector<ValueId> args;
};

enum class Reduction { sum, max };

/// Over `axes`, in this order: a thread's slots ascending, first axis slowest; then lanes by
/// butterfly, nearest last.
struct Reduce {
    ValueId out = -1;
    ValueId in = -1;
    std::vector<AxisId> axes;
    Reduction reduction = Reduction::sum;
};

/// `out = init + sum over the axis of a * b`, one fma a term, ascending; `init` is 0 when absent.
struct Contract {
    ValueId out = -1;
    ValueId a = -1;
    ValueId b = -1;
    std::optional<ValueId> init;
    AxisId axis = -1;
};

/// Matrix product on tensor cores, bf16 in and fp32 accumulators: for both parts of the fp32
/// weights, `weights = hi + lo` rounded to bf16 (hi first, lo from the rest),
/// `out[part, m, n] = acc[part, m, n] + sum over k of part(weights[k, m]) * tokens[k, n]`.
/// k is the pair of axes (chunk of 4, element of 8); 16 of k are one instruction: the elements
/// 4h..4h+3 of all chunks, for h = 0, 1.
struct Mma {
    ValueId out = -1;
    ValueId weights = -1;  ///< f32, axes: batch axes, chunk, element, m
    ValueId tokens = -1;   ///< bf16, axes: batch axes, chunk, element, n
    ValueId acc = -1;      ///< f32, axes: batch axes, part, m, n
    AxisId chunk = -1;
    AxisId element = -1;
    AxisId part = -1;
    AxisId m = -1;
    AxisId n = -1;
};

/// All threads of the role meet; shared memory written before is seen after.
struct Barrier {};

struct Stmt;

/// A loop of `count` turns, or as many as an integer parameter says. `carried` tiles start as `init`,
/// are `arg` inside, become `next` at the end of a turn, and are `out` after the loop.
struct For {
    struct Carried {
        ValueId init = -1;
        ValueId arg = -1;
        ValueId next = -1;
        ValueId out = -1;
    };
    VarId var = -1;
    std::int64_t count = 0;
    std::optional<ParamId> param;
    std::vector<Carried> carried;
    std::vector<Stmt> body;
};

using Op =
    std::variant<Load, Store, SharedLoad, SharedStore, Constant, Parameter, Map, Reduce, Contract, Mma, Barrier, For>;

struct Stmt {
    Op op;
    Location at;
};

/// A group of warps that runs `body`.
struct Role {
    std::string name;
    int warps = 1;
    std::vector<Stmt> body;
};

struct Kernel {
    std::string name;
    std::vector<VarId> grid;  ///< block coordinates x, y, z
    std::vector<Role> roles;
    std::vector<Buffer> buffers;
    std::int64_t shared_bytes = 0;
    int min_blocks = 1;  ///< blocks that must fit a multiprocessor: bounds registers
    Location at;

    int threads() const;
};

struct Program {
    std::string name;
    std::string arch;
    bool aligned = true;  ///< as `Access::aligned` says
    std::int64_t batch_low = 1;
    std::int64_t batch_high = INT64_MAX;
    std::vector<Axis> axes;
    std::vector<Variable> variables;
    std::vector<Tensor> tensors;
    std::vector<Param> params;
    std::vector<Value> values;
    std::vector<Kernel> kernels;
};

/// Overload set for `std::visit`.
template <class... F>
struct Overload : F... {
    using F::operator()...;
};
// clang deduces the arguments of an aggregate from version 17 on.
template <class... F>
Overload(F...) -> Overload<F...>;

/// The tiles an operation reads, and those it defines (for a loop: its own, not its body's).
std::vector<ValueId> inputs_of(const Op& op);
std::vector<ValueId> outputs_of(const Op& op);

/// The name of an element-wise function and its number of operands.
const char* name_of(Function function);
int arity_of(Function function);

}  // namespace tilejit::ir
