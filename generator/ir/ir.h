/// \file The intermediate representation: programs over tiles.
///
/// A program is a list of kernels, launched in order on one stream. A kernel is a grid of thread
/// blocks; a block is a set of roles, each a group of warps that runs a list of tile operations
/// together. Tiles have named axes with constant extents; operands are matched by axis, so a tile
/// that lacks an axis is broadcast along it. Values are assigned once; loops carry tiles.
///
/// Roles meet in channels. As written, a channel is used by `Fill`, `Acquire`, `Release`, `Drain` and
/// `Send`; the passes `lower-collectives` and `lower-rings` replace these by copies, remote stores and
/// the arrivals and waits on barriers in shared memory (`Sync`) that make them safe.
///
/// Every use of a channel has a *position*: how many uses of it by the same role came before. Position
/// p is held in slot `p / every % slots` of the channel's buffer, for the `p / every / slots`-th time.
///
/// `Op` is a closed variant. Visitors are overload sets without a catch-all, so that a new
/// operation makes the compiler list every place to extend.
#pragma once

#include <array>
#include <concepts>
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
    std::int64_t slot_bytes = 0;
    std::int64_t offset = -1;  ///< bytes
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

// Channels as the author wrote them.

/// Fills the ring's slot of this position with part of a tensor; spans are over the buffer's axes.
/// Elements outside the tensor are zero. Waits until the slot is free.
struct Fill {
    ChannelId channel = -1;
    Index position;
    TensorId tensor = -1;
    std::vector<Span> at;
};

/// Waits for the tile of this position.
struct Acquire {
    enum class Use {
        read,     ///< reads it
        update,   ///< the last reader; writes it in place when all that only read have released it
        updated,  ///< reads it after the update
    };
    ChannelId channel = -1;
    Index position;
    Use use = Use::read;
};

/// The role no longer reads or writes the tile of this position.
struct Release {
    ChannelId channel = -1;
    Index position;
    Acquire::Use use = Acquire::Use::read;
};

/// Stores the whole tile of this position to a tensor; elements outside are left out.
struct Drain {
    ChannelId channel = -1;
    Index position;
    TensorId tensor = -1;
    std::vector<Span> at;
};

/// Sends a tile to a part of the channel's tile: of a reduce_scatter to the owner's, of an all_gather to
/// every block's. One span an axis of the buffer; of a reduce_scatter the first is the sender's rank.
struct Send {
    ChannelId channel = -1;
    Index position;
    ValueId in = -1;
    std::vector<Span> at;
};

// Channels as they are run.

/// Prepares all barriers of the block; seen by the cluster after the next `ClusterBarrier`.
struct InitSyncs {};

/// All threads of all blocks of the cluster meet (of the block where there is no cluster).
struct ClusterBarrier {};

/// Each warp of the role arrives once, when all its threads are here; or only the first warp does.
struct Arrive {
    SyncId sync = -1;
    Index position;
    bool first_warp = false;
};

/// The role's first thread arrives and announces bytes that will land.
struct Expect {
    SyncId sync = -1;
    Index position;
    int bytes = 0;
};

/// Waits for the end of this position's phase; or, with `before`, of the phase before it, which of the
/// first is long over.
struct Wait {
    SyncId sync = -1;
    Index position;
    bool before = false;
};

/// The copy engine fills a slot with part of a tensor and lands `slot_bytes` on the barrier.
struct CopyIn {
    BufferId buffer = -1;
    Index position;
    TensorId tensor = -1;
    std::vector<Span> at;
    SyncId sync = -1;
};

/// The copy engine stores a slot to part of a tensor; the first thread of the role starts it.
struct CopyOut {
    BufferId buffer = -1;
    Index position;
    TensorId tensor = -1;
    std::vector<Span> at;
};

/// The thread that started copies out waits until all but the newest `pending` have read their slots.
struct CopyDone {
    int pending = 0;
};

/// Stores a tile into the same buffer of other blocks of the cluster and lands its bytes on their
/// barrier: of the owner of this position, or of all.
struct SendTo {
    ValueId in = -1;
    BufferId buffer = -1;
    Index position;
    std::vector<Span> at;
    SyncId sync = -1;
    bool all = false;
};

/// What the thread wrote to shared memory is seen by copies that are started later.
struct ProxyFence {};

/// Waits for the kernels before this one in the stream. Only weights may be read earlier.
struct DependencyWait {};

/// Kernels after this one in the stream may begin.
struct LaunchDependents {};

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
    bool unrolled = false;
    std::vector<Carried> carried;
    std::vector<Stmt> body;
};

/// The tiles of a persistent kernel that this cluster (or block) takes: turn t is tile
/// `first + t * clusters` while that is below the kernel's `tiles`. With `owned`, only the turns whose
/// owner this block is. A copy of a role takes every `copies`-th of its turns.
struct TileLoop {
    VarId tile = -1;
    VarId turn = -1;
    bool owned = false;
    std::vector<Stmt> body;
};

using Op =
    std::variant<Load, Store, SharedLoad, SharedStore, Constant, Parameter, Map, Reduce, Contract, Split, Select, Mma,
                 Barrier, Fill, Acquire, Release, Drain, Send, InitSyncs, ClusterBarrier, Arrive, Expect, Wait, CopyIn,
                 CopyOut, CopyDone, SendTo, ProxyFence, DependencyWait, LaunchDependents, For, TileLoop>;

struct Stmt {
    Op op;
    Location at;
};

template <class T, class... Of>
concept OneOf = (std::same_as<T, Of> || ...);

/// The uses of channels, which passes replace.
template <class T>
concept ChannelUse = OneOf<T, Fill, Acquire, Release, Drain, Send>;

/// What makes uses of shared memory and of other kernels' results wait for each other.
template <class T>
concept Synchronisation = OneOf<T, Barrier, InitSyncs, ClusterBarrier, Arrive, Expect, Wait, CopyDone, ProxyFence,
                                DependencyWait, LaunchDependents>;

/// Copies by the copy engine.
template <class T>
concept EngineCopy = OneOf<T, CopyIn, CopyOut>;

/// Operations with a body.
template <class T>
concept Loop = OneOf<T, For, TileLoop>;

/// A group of warps that runs `body`; or several such groups, which take turns.
struct Role {
    std::string name;
    int warps = 1;  ///< of one copy
    int copies = 1;
    int registers = 0;  ///< a thread, of the block's pool; 0: an equal share
    std::vector<Stmt> body;
};

struct Kernel {
    std::string name;
    std::vector<VarId> grid;      ///< block coordinates x, y, z; none of a persistent kernel
    std::optional<Extent> tiles;  ///< of a persistent kernel: as many clusters run as fit, and share them
    int cluster = 1;              ///< blocks that share their work through each other's memory
    VarId rank = -1;              ///< the block's number in its cluster
    std::vector<Role> roles;
    std::vector<Channel> channels;
    std::vector<Buffer> buffers;
    std::vector<Sync> syncs;
    std::vector<Stmt> prologue;  ///< run by all threads before and after the roles
    std::vector<Stmt> epilogue;
    std::int64_t shared_bytes = 0;
    int min_blocks = 1;  ///< blocks that must fit a multiprocessor: bounds registers
    Location at;

    /// Of all roles and their copies; where roles have register budgets, whole groups of four warps.
    int threads() const;
    /// The first thread of a role.
    int first_thread(const Role& role) const;
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

/// The body of a loop; null for other operations.
const std::vector<Stmt>* body_of(const Op& op);
std::vector<Stmt>* body_of(Op& op);

/// How often a channel's positions are shared among the blocks of a cluster: `cluster` where a tile has
/// an owner, 1 otherwise.
int every_of(const Kernel& kernel, const Channel& channel);

/// The name of an element-wise function and its number of operands.
const char* name_of(Function function);
int arity_of(Function function);

}  // namespace tilejit::ir
