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

#include <concepts>
#include <variant>

#include "generator/ir/channel_ops.h"
#include "generator/ir/ops.h"

namespace tilejit::ir {

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
