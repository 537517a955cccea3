/// \file What programs are made of: axes, indices, tensors, tiles in registers and in shared memory.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
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
using ChannelId = int;
using SyncId = int;

/// Where in the DSL an operation was written.
struct Location {
    std::string file;
    int line = 0;
};

struct Axis {
    std::string name;
    int extent = 1;
};

/// A block coordinate, the rank of a block in its cluster, a tile, or a loop counter.
struct Variable {
    std::string name;
    int grid_axis = -1;  ///< 0..2 for a block coordinate, -1 otherwise
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
    bool weights = false;  ///< an input that no kernel before this one writes: may be read ahead of time
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

/// Tiles in shared memory, `slots` of them side by side. Where element (i, j, ..) of a slot is, was
/// chosen by a pass: at `sum of i * stride` elements, but for the last axis, which may be cut into
/// blocks; `swizzled` then exchanges the 16-byte units of each 1024 bytes (bits 4-6 of the byte address
/// are xored with bits 7-9), as the copy engine does.
struct Buffer {
    std::string name;
    DType dtype = DType::f32;
    std::vector<AxisId> axes;
    int slots = 1;             ///< of an exchange: 0 until `lower-collectives` has chosen it
    int every = 1;             ///< positions that share a slot's turn: each block of a cluster owns one of them
    std::vector<int> strides;  ///< elements, one an axis
    int block = 0;             ///< when positive: elements of the last axis that are neighbours
    int block_stride = 0;      ///< elements between two such blocks
    bool swizzled = false;
    std::int64_t slot_bytes = 0;  ///< from one slot to the next
    std::int64_t offset = -1;     ///< bytes
};

/// How tiles move between memory and roles, or between roles.
///   ring            filled from memory by one role, read by others, refilled when all have released it
///   reduce_scatter  every block of a cluster sends its part of a tile to the tile's owner, which sums
///                   them in rank order; the buffer's first axis is the sender's rank
///   all_gather      the tile's owner sends a tile to every block of the cluster
/// The owner of the tile of turn t is the block of rank t % cluster.
struct Channel {
    enum class Kind { ring, reduce_scatter, all_gather };
    std::string name;
    Kind kind = Kind::ring;
    BufferId buffer = -1;
    Location at;
};

/// Barriers in shared memory, one a slot. A phase ends when `arrivals` warps or threads have arrived and
/// all bytes that were announced have landed.
struct Sync {
    std::string name;
    int slots = 1;
    int every = 1;  ///< as of `Buffer`
    int arrivals = 1;
    std::int64_t offset = -1;  ///< bytes
};

/// The index into one dimension of a tensor: `origin + sum of step * coordinate`.
struct Span {
    Index origin;
    std::vector<std::pair<AxisId, int>> axes;
    bool operator==(const Span&) const = default;
};

/// How a load or store touches global memory; chosen by passes.
struct Access {
    int vector = 1;              ///< elements per instruction
    std::vector<bool> checked;   ///< per dimension: indices may pass its extent
    std::vector<AxisId> padded;  ///< axes whose padding must be left out
};

}  // namespace tilejit::ir
