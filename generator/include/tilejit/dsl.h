/// \file The tile DSL: what the author of a kernel writes.
///
/// A program is a few kernels launched in order. A kernel is a grid of blocks; in each block, roles
/// (groups of warps) work on tiles. A tile has named axes and lives in the registers of a role;
/// which thread holds which element is its layout, chosen from the `Spread` given where the tile is
/// made and carried forward from there. There is no thread index, no barrier and no pointer.
///
///     ProgramBuilder p{"scale", spec};
///     Axis row = p.axis("row", 4), column = p.axis("column", 256);
///     Tensor x = p.input("x", DType::bf16, {p.batch(), width});
///     Tensor y = p.output("y", DType::bf16, {p.batch(), width});
///     KernelBuilder k = p.kernel("scale");
///     Index t = k.blocks("tile", ceil_div(p.batch(), 4)), c = k.blocks("columns", ceil_div(width, 256));
///     k.role("scale", {.warps = 4}, [&](RoleBuilder& r) {
///         Tile v = r.load(x(4 * t + row, 256 * c + column), spread({row, column}).vector(column, 8));
///         r.store(to_bf16(2.0F * to_f32(v)), y(4 * t + row, 256 * c + column));
///     });
///     return p.finish();
///
/// Tiles combine by axis: a tile that lacks an axis is repeated along it. Everything is fp32 unless
/// converted; nothing is reassociated, and only `fma`, `contract` and `mma` fuse.
///
/// Several roles of a block work at the same time and meet in channels, which own all synchronisation:
///
///     Tiles tiles = k.persistent("tile", ceil_div(p.batch(), 4));
///     Ring rows = k.ring("rows", DType::bf16, {row, column}, 3);
///     k.role("load", {.warps = 1}, [&](RoleBuilder& r) {
///         r.tiles(tiles, [&](Index t) { r.fill(rows, x(4 * t + row, column)); });
///     });
///     k.role("scale", {.warps = 4}, [&](RoleBuilder& r) {
///         r.tiles(tiles, [&](Index t) {
///             Slot slot = r.peek(rows);
///             r.store(to_bf16(2.0F * to_f32(r.load(slot(row, column), streaming))), y(4 * t + row, column));
///         });
///     });
///
/// A slot is released when its last use in the enclosing body is over; nothing else need be said.
///
/// Misuse throws `GenerateError` with the DSL's file and line.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "tilejit/dtype.h"

namespace tilejit {
struct Specialization;
namespace ir {
struct Program;
}
}  // namespace tilejit

namespace tilejit::dsl {

namespace detail {
struct State;
}

/// File and line of the DSL code that called; filled in by default arguments.
struct Where {
    const char* file;
    int line;
    static Where here(const char* file = __builtin_FILE(), int line = __builtin_LINE()) { return {file, line}; }
};

/// An extent: a constant, the open dimension `batch`, or `ceil_div` of it.
struct Size {
    std::int64_t constant = 1;
    std::int64_t per = 0;  ///< when positive: ceil_div(batch, per)

    Size(std::int64_t value) : constant(value) {}  // NOLINT: numbers are sizes
    Size(std::int64_t value, std::int64_t divisor) : constant(value), per(divisor) {}
};
Size ceil_div(Size size, std::int64_t divisor);

/// An axis of tiles with a constant extent.
struct Axis {
    int id = -1;
    int extent = 1;
    bool operator==(const Axis& other) const { return id == other.id; }
};

/// An affine expression of block coordinates, loop counters and axes.
struct Index {
    std::int64_t constant = 0;
    std::vector<std::pair<int, std::int64_t>> variables;  ///< (variable, coefficient)
    std::vector<std::pair<int, int>> axes;                ///< (axis, step)

    Index(std::int64_t value = 0) : constant(value) {}  // NOLINT: numbers are indices
    Index(Axis axis) : axes{{axis.id, 1}} {}            // NOLINT: axes are indices
};
Index operator+(Index a, const Index& b);
Index operator*(std::int64_t factor, Index index);

/// Part of a tensor in global memory, of a shared tile, or of a tile in a channel: one index a dimension.
/// A tile loaded from it has the axes that the indices mention, in order of appearance.
struct View {
    enum class Of { tensor, shared, channel };
    Of of = Of::tensor;
    int id = -1;
    std::vector<Index> at;
    Index position = {};  ///< of a channel's tile
};

/// A tensor in global memory. Last dimension contiguous; rows (last but one of the argument) may be
/// apart by any stride, which is given at launch.
class Tensor {
public:
    /// One index per dimension. Elements outside the tensor load as zero and are not stored.
    template <class... I>
    View operator()(const I&... index) const {
        return View{View::Of::tensor, id_, {Index(index)...}};
    }
    /// The same tensor with dimension `dim` seen as several, row-major.
    Tensor split(int dim, std::initializer_list<std::int64_t> extents, Where where = Where::here()) const;

private:
    friend class ProgramBuilder;
    Tensor(std::shared_ptr<detail::State> state, int id) : state_(std::move(state)), id_(id) {}
    std::shared_ptr<detail::State> state_;
    int id_;
};

/// A parameter given at launch.
struct Param {
    int id = -1;
};

/// How a tile is spread over the threads of its role, see `ir::Spread`.
struct Spread {
    std::vector<int> over;
    int vector_axis = -1;
    int width = 1;
    bool whole_lanes = false;

    /// Each thread holds `elements` neighbours on `axis`.
    Spread vector(Axis axis, int elements) const;
    /// A power of two of lanes covers the last axis, so that it can be reduced across lanes.
    Spread lanes() const;
};
/// Threads are dealt to these axes, the last fastest. `spread({})`: every thread holds everything.
Spread spread(std::initializer_list<Axis> over);

/// A tile in registers. A handle: cheap to copy, never changes.
class Tile {
public:
    Tile() = default;

private:
    friend class RoleBuilder;
    friend class Shared;
    friend class Operand;
    friend struct detail::State;
    Tile(detail::State* state, int id) : state_(state), id_(id) {}
    detail::State* state_ = nullptr;
    int id_ = -1;
};

/// A tile, or a number that every element of one has, and where it was written.
class Operand {
public:
    Operand(Tile tile, const char* file = __builtin_FILE(), int line = __builtin_LINE())  // NOLINT: by design
        : tile_(tile), where_{file, line} {}
    Operand(float value, const char* file = __builtin_FILE(), int line = __builtin_LINE())  // NOLINT: by design
        : value_(value), where_{file, line} {}

private:
    friend struct detail::State;
    Tile tile_;
    float value_ = 0;
    Where where_;
};

// Element by element, fp32, each rounded once.
Tile operator+(const Operand& a, const Operand& b);
Tile operator-(const Operand& a, const Operand& b);
Tile operator*(const Operand& a, const Operand& b);
Tile operator/(const Operand& a, const Operand& b);
Tile operator-(const Operand& a);
Tile min(const Operand& a, const Operand& b);
Tile max(const Operand& a, const Operand& b);
Tile fma(const Operand& a, const Operand& b, const Operand& c);
Tile exp(const Operand& a);
Tile sqrt(const Operand& a);
/// 1 / (1 + exp(-a)).
Tile sigmoid(const Operand& a);
/// 1 / a within an ulp, far faster than a division. Subnormal numbers count as 0.
Tile reciprocal(const Operand& a);
Tile to_f32(const Operand& a);   ///< bf16 -> f32, exact
Tile to_bf16(const Operand& a);  ///< f32 -> bf16, nearest even

/// Sum over the axes in the order given, ascending, the first slowest.
Tile sum(const Operand& a, std::initializer_list<Axis> axes);
Tile sum(const Operand& a, Axis axis);
/// Largest element along an axis.
Tile largest(const Operand& a, Axis axis);
/// `init + sum of a * b` along `axis`, one fma a term, ascending.
Tile contract(const Operand& a, const Operand& b, Axis axis);
Tile contract(const Operand& a, const Operand& b, Axis axis, const Operand& init);

/// An f32 tile as two of bf16 along a new axis `part` of extent 2: hi, the value rounded, and lo, what is
/// left of it rounded. The weights of `mma`.
Tile split(const Operand& a, Axis part);
/// What a tile has at one coordinate of an axis that each thread holds whole.
Tile select(const Operand& a, Axis axis, const Index& at);

/// Tensor-core product of `weights`, split along `part`, with bf16 `tokens`, added to `acc`, whose axis
/// `part` keeps the hi and the lo products apart. The sum runs over `chunk` (extent 4) and `element`
/// (extent 8). The operands share the remaining axes (one warp each) but for one axis of weights (M, a
/// multiple of 8) and one of tokens (N, a multiple of 8). Weights are the instruction's M side, so that
/// a tile may be as narrow as 8 tokens.
Tile mma(const Operand& weights, const Operand& tokens, Axis chunk, Axis element, Axis part, const Operand& acc);

/// A tile in shared memory, written once by its role and read back in other layouts.
class Shared {
public:
    /// The whole tile; spread as given, or as its first use needs.
    Tile read(Where where = Where::here()) const;
    Tile read(const Spread& spread, Where where = Where::here()) const;
    /// Part of it, for `RoleBuilder::load`: one index per axis, in the order of the tile that was shared.
    template <class... I>
    View operator()(const I&... index) const {
        return View{View::Of::shared, id_, {Index(index)...}};
    }

private:
    friend class RoleBuilder;
    Shared(detail::State* state, int kernel, int id) : state_(state), kernel_(kernel), id_(id) {}
    detail::State* state_;
    int kernel_;
    int id_;
};

/// The tiles of a persistent kernel, see `KernelBuilder::persistent`.
struct Tiles {
    int kernel = -1;
};

/// A ring of `stages` tiles in shared memory between memory and the roles that read it. One role fills
/// it; each reader takes every tile once; a slot is filled again when all have released it.
struct Ring {
    int kernel = -1;
    int channel = -1;
};

/// A channel between the blocks of a cluster, see `KernelBuilder::reduce_scatter` and `all_gather`.
class Exchange {
public:
    /// One index per axis of the exchanged tile.
    template <class... I>
    View operator()(const I&... index) const {
        return View{View::Of::channel, channel_, {Index(index)...}};
    }

private:
    friend class KernelBuilder;
    friend class RoleBuilder;
    Exchange(int kernel, int channel) : kernel_(kernel), channel_(channel) {}
    int kernel_;
    int channel_;
};

/// A tile of a channel that a role has been given. It may be used in the body in which it was asked for,
/// and is released there after its last use.
class Slot {
public:
    /// One index per axis of the channel's tile.
    template <class... I>
    View operator()(const I&... index) const {
        return View{View::Of::channel, channel_, {Index(index)...}, position_};
    }

private:
    friend class RoleBuilder;
    Slot(int channel, Index position) : channel_(channel), position_(std::move(position)) {}
    int channel_;
    Index position_;
};

struct RoleOptions {
    int warps = 1;
    /// Registers of a thread, a multiple of 8 from 24 to 240; roles that share four warps need the same
    /// number. 0: every thread of the block has the same.
    int registers = 0;
    /// So many groups of `warps`, which take turns at the tiles of a persistent kernel.
    int copies = 1;
};

/// The operations of a role that touch memory or control.
class RoleBuilder {
public:
    /// A tile of global memory; spread as given, or as its first use needs.
    Tile load(const View& view, Where where = Where::here());
    Tile load(const View& view, const Spread& spread, Where where = Where::here());
    /// Writes a tile; the view's axes must be the tile's.
    void store(const Operand& tile, const View& view);
    /// Writes a tile to shared memory.
    Shared share(const std::string& name, const Operand& tile);

    /// The persistent loop: `body` for each tile that this block's cluster takes. Work before the loop is
    /// done once (what it loads stays in registers: stationary weights), work after it at the end.
    void tiles(const Tiles& tiles, const std::function<void(Index)>& body, Where where = Where::here());
    /// As `tiles`, but only for the tiles that this block owns: each block of a cluster owns every
    /// so-manieth.
    void owned_tiles(const Tiles& tiles, const std::function<void(Index)>& body, Where where = Where::here());

    /// Fills the ring's next slot with part of a tensor; the view's axes must be the ring's. Elements
    /// outside the tensor are zero. How (copy engine, asynchronous or plain loads) follows from target
    /// and alignment.
    void fill(const Ring& ring, const View& view, Where where = Where::here());
    /// The ring's next tile, to be read.
    Slot peek(const Ring& ring, Where where = Where::here());
    /// The ring's next tile, to be read and then written in place by `store`: when all roles that only
    /// peek have released it.
    Slot take(const Ring& ring, Where where = Where::here());
    /// The ring's next tile after the role that takes it has written it.
    Slot updated(const Ring& ring, Where where = Where::here());
    /// Stores a whole slot, taken or updated, to a tensor by the copy engine. The view's axes must be
    /// the ring's.
    void store(const Slot& slot, const View& view, Where where = Where::here());

    /// Sends a tile to part of the exchange's tile. Together a role's sends make the whole tile.
    void send(const Operand& tile, const View& view);
    /// The exchange's next tile. A tile loaded from a slot of a reduce_scatter is the sum over the
    /// cluster's blocks in the order of their ranks.
    Slot receive(const Exchange& exchange, Where where = Where::here());
    /// A tile whose elements are all `value`.
    Tile fill(std::initializer_list<Axis> axes, float value, Where where = Where::here());
    /// A launch parameter as a tile without axes.
    Tile scalar(Param param, Where where = Where::here());

    /// `count` turns, or as many as the integer parameter says. What `body` returns is carried into
    /// the next turn and out of the loop.
    void loop(const std::string& name, std::int64_t count, const std::function<void(Index)>& body,
              Where where = Where::here());
    Tile loop(const std::string& name, Param count, Tile init, const std::function<Tile(Tile)>& body,
              Where where = Where::here());
    template <std::size_t N>
    std::array<Tile, N> loop(
        const std::string& name, std::int64_t count, const std::array<Tile, N>& init,
        const std::type_identity_t<std::function<std::array<Tile, N>(Index, std::array<Tile, N>)>>& body,
        Where where = Where::here()) {
        return carry_array(name, count, false, init, body, where);
    }
    /// As `loop`, written out turn by turn, so that `select` can take what the turn asks for from
    /// registers.
    template <std::size_t N>
    std::array<Tile, N> unrolled(
        const std::string& name, std::int64_t count, const std::array<Tile, N>& init,
        const std::type_identity_t<std::function<std::array<Tile, N>(Index, std::array<Tile, N>)>>& body,
        Where where = Where::here()) {
        return carry_array(name, count, true, init, body, where);
    }

private:
    friend class KernelBuilder;
    explicit RoleBuilder(detail::State* state) : state_(state) {}
    template <std::size_t N>
    std::array<Tile, N> carry_array(const std::string& name, std::int64_t count, bool unroll,
                                    const std::array<Tile, N>& init,
                                    const std::function<std::array<Tile, N>(Index, std::array<Tile, N>)>& body,
                                    Where where) {
        std::array<Tile, N> result;
        const auto out = carry(
            name, count, {}, unroll, {init.begin(), init.end()},
            [&](Index turn, const std::vector<Tile>& in) {
                std::array<Tile, N> args;
                std::copy(in.begin(), in.end(), args.begin());
                const auto next = body(std::move(turn), args);
                return std::vector<Tile>(next.begin(), next.end());
            },
            where);
        std::copy(out.begin(), out.end(), result.begin());
        return result;
    }
    std::vector<Tile> carry(const std::string& name, std::int64_t count, Param param, bool unroll,
                            const std::vector<Tile>& init,
                            const std::function<std::vector<Tile>(Index, const std::vector<Tile>&)>& body, Where where);
    void turns(const Tiles& tiles, bool owned, const std::function<void(Index)>& body, Where where);
    Slot acquire(int kernel, int channel, int use, Where where);
    detail::State* state_;
};

/// One kernel: its blocks, channels and roles. It is finished when the next is begun.
class KernelBuilder {
public:
    /// Adds a dimension to the grid (at most three) and returns the block's coordinate on it.
    Index blocks(const std::string& name, Size count, Where where = Where::here());
    /// Instead of `blocks`: as many blocks (or clusters) run as fit the device, and share `count` tiles.
    Tiles persistent(const std::string& name, Size count, Where where = Where::here());
    /// `blocks` blocks, at most 16 and as the target allows, work on the same tiles and exchange through
    /// each other's memory. Of a persistent kernel. Returns the block's rank.
    Index cluster(const std::string& name, int blocks, Where where = Where::here());

    /// A ring whose tiles have these axes, the last one contiguous.
    Ring ring(const std::string& name, DType dtype, std::initializer_list<Axis> axes, int stages,
              Where where = Where::here());
    /// Every block of the cluster sends an f32 tile of these axes to the tile's owner, which receives
    /// their sum. Sent in `tiles`, received in `owned_tiles`.
    Exchange reduce_scatter(const std::string& name, std::initializer_list<Axis> axes, Where where = Where::here());
    /// The tile's owner sends an f32 tile of these axes to every block of the cluster. Sent in
    /// `owned_tiles`, received in `tiles`.
    Exchange all_gather(const std::string& name, std::initializer_list<Axis> axes, Where where = Where::here());

    /// At least this many blocks must fit one multiprocessor; bounds the registers of a thread.
    void min_blocks(int count, Where where = Where::here());
    void role(const std::string& name, RoleOptions options, const std::function<void(RoleBuilder&)>& body,
              Where where = Where::here());

private:
    friend class ProgramBuilder;
    KernelBuilder(std::shared_ptr<detail::State> state, int id) : state_(std::move(state)), id_(id) {}
    int channel(int kind, const std::string& name, DType dtype, std::initializer_list<Axis> axes, int stages,
                Where where);
    std::shared_ptr<detail::State> state_;
    int id_;
};

/// Builds a program. Kernels run in the order in which they are begun.
class ProgramBuilder {
public:
    /// `name` is the prefix of the kernels' symbols.
    ProgramBuilder(const std::string& name, const Specialization& specialization);

    /// The open dimension (a constant when the specialisation bakes it in); only a first dimension
    /// may be it.
    Size batch() const;
    Axis axis(const std::string& name, std::int64_t extent, Where where = Where::here());
    Tensor input(const std::string& name, DType dtype, std::initializer_list<Size> dims, Where where = Where::here());
    /// An input that no kernel ahead in the stream writes, such as a model's weights: it may be read
    /// before they have finished.
    Tensor weights(const std::string& name, DType dtype, std::initializer_list<Size> dims, Where where = Where::here());
    Tensor output(const std::string& name, DType dtype, std::initializer_list<Size> dims, Where where = Where::here());
    /// Scratch memory; its first dimension is the batch.
    Tensor workspace(const std::string& name, DType dtype, std::initializer_list<Size> dims,
                     Where where = Where::here());
    Param param_f32(const std::string& name);
    Param param_i32(const std::string& name);
    KernelBuilder kernel(const std::string& name, Where where = Where::here());
    ir::Program finish();

private:
    Tensor tensor(int kind, const std::string& name, DType dtype, std::initializer_list<Size> dims, Where where);
    std::shared_ptr<detail::State> state_;
};

}  // namespace tilejit::dsl
