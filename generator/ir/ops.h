/// \file What a role does with tiles.
#pragma once

#include "generator/ir/types.h"

namespace tilejit::ir {

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

/// Part of a slot to registers; one span an axis of the buffer.
struct SharedLoad {
    ValueId out = -1;
    BufferId buffer = -1;
    Index position;
    std::vector<Span> at;
    Access access;
};

struct SharedStore {
    ValueId in = -1;
    BufferId buffer = -1;
    Index position;
    std::vector<Span> at;
    Access access;
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
/// `sigmoid` is 1 / (1 + exp(-a)) in these steps. `reciprocal` is within an ulp of 1 / a, and takes
/// subnormal numbers for 0.
enum class Function { to_f32, to_bf16, negate, exp, sqrt, sigmoid, reciprocal, add, sub, mul, div, min, max, fma };

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

/// Both bf16 parts of an f32 tile, along a new axis `part` of extent 2: hi, the value rounded, and lo,
/// what is left of it rounded.
struct Split {
    ValueId out = -1;
    ValueId in = -1;
    AxisId part = -1;
};

/// What a tile has at one coordinate of an axis, which threads must hold whole.
struct Select {
    ValueId out = -1;
    ValueId in = -1;
    AxisId axis = -1;
    Index at;
};

/// Matrix product on tensor cores, bf16 in and fp32 accumulators: for both parts of split weights,
/// `out[part, m, n] = acc[part, m, n] + sum over k of weights[part, k, m] * tokens[k, n]`.
/// k is the pair of axes (chunk of 4, element of 8); 16 of k are one instruction: the elements
/// 4h..4h+3 of all chunks, for h = 0, 1.
struct Mma {
    ValueId out = -1;
    ValueId weights = -1;  ///< bf16, axes: batch axes, chunk, element, part, m
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

}  // namespace tilejit::ir
