// What a role does with memory and control.
#include <fmt/format.h>

#include "generator/dsl/state.h"

namespace tilejit::dsl {
namespace detail {
namespace {

/// Spans over all of a shared tile.
std::vector<ir::Span> whole(const std::vector<ir::AxisId>& axes) {
    std::vector<ir::Span> spans;
    for (const ir::AxisId axis : axes) {
        spans.push_back({{}, {{axis, 1}}});
    }
    return spans;
}

}  // namespace
}  // namespace detail

Tile Shared::read(Where where) const { return read(Spread{{}, -2, 1, false}, where); }

Tile Shared::read(const Spread& spread, Where where) const {
    if (kernel_ != state_->kernel_id()) {
        detail::State::fail(where, "a shared tile is used outside its kernel");
    }
    const ir::Buffer& buffer = state_->kernel().buffers[static_cast<std::size_t>(id_)];
    const ir::ValueId out = state_->add_value(buffer.dtype, buffer.axes, where);
    if (spread.vector_axis != -2) {
        state_->spread(out, spread, where);
    }
    state_->append(ir::SharedLoad{out, id_, {}, detail::whole(buffer.axes), {}}, where);
    return state_->tile(out);
}

Tile RoleBuilder::load(const View& view, Where where) { return state_->load(view, nullptr, where); }

Tile RoleBuilder::load(const View& view, const Spread& spread, Where where) {
    return state_->load(view, &spread, where);
}

void RoleBuilder::store(const Operand& tile, const View& view) {
    const Where where = detail::State::where(tile);
    if (view.of != View::Of::tensor) {
        return state_->store_slot(state_->use(tile), view, where);
    }
    ir::Store store{state_->use(tile), view.id, state_->spans(view, where), {}};
    const ir::Tensor& tensor = state_->program.tensors[static_cast<std::size_t>(view.id)];
    if (tensor.kind == ir::Tensor::Kind::input) {
        detail::State::fail(where, fmt::format("'{}' is an input and cannot be stored to", tensor.argument));
    }
    if (tensor.dtype != state_->value(store.in).dtype ||
        !detail::same_axes(state_->axes_of(store.at, where), state_->value(store.in).axes)) {
        detail::State::fail(where,
                            fmt::format("the tile {} does not fit this part of '{}' ({})", state_->describe(store.in),
                                        tensor.argument, tilejit::name_of(tensor.dtype)));
    }
    state_->append(store, where);
}

Shared RoleBuilder::share(const std::string& name, const Operand& tile) {
    const ir::ValueId in = state_->use(tile);
    auto& buffers = state_->kernel().buffers;
    ir::Buffer buffer;
    buffer.name = name;
    buffer.dtype = state_->value(in).dtype;
    buffer.axes = state_->value(in).axes;
    const int id = static_cast<int>(buffers.size());
    state_->append(ir::SharedStore{in, id, {}, detail::whole(buffer.axes), {}}, detail::State::where(tile));
    buffers.push_back(std::move(buffer));
    return {state_, state_->kernel_id(), id};
}

Tile RoleBuilder::fill(std::initializer_list<Axis> axes, float value, Where where) {
    std::vector<ir::AxisId> ids;
    for (const Axis& axis : axes) {
        ids.push_back(axis.id);
    }
    const ir::ValueId out = state_->add_value(DType::f32, ids, where);
    state_->append(ir::Constant{out, value}, where);
    return state_->tile(out);
}

Tile RoleBuilder::scalar(Param param, Where where) {
    const ir::ValueId out = state_->add_value(DType::f32, {}, where);
    state_->append(ir::Parameter{out, param.id}, where);
    return state_->tile(out);
}

std::vector<Tile> RoleBuilder::carry(const std::string& name, std::int64_t count, Param param, bool unroll,
                                     const std::vector<Tile>& init,
                                     const std::function<std::vector<Tile>(Index, const std::vector<Tile>&)>& body,
                                     Where where) {
    ir::For loop;
    loop.var = static_cast<ir::VarId>(state_->program.variables.size());
    loop.count = count;
    loop.unrolled = unroll;
    using Kind = detail::Counter::Kind;
    if (param.id >= 0) {
        loop.param = param.id;
    }
    state_->counters.push_back({loop.param ? Kind::open : Kind::counted, loop.var, count});
    state_->program.variables.push_back({name, -1, {count, 0}});
    std::vector<Tile> args;
    for (const Tile& tile : init) {
        const ir::Value like = state_->value(detail::State::id_of(tile));
        const ir::ValueId arg = state_->add_value(like.dtype, like.axes, where);
        loop.carried.push_back({detail::State::id_of(tile), arg, -1, -1});
        args.push_back(state_->tile(arg));
    }
    Index turn;
    turn.variables = {{loop.var, 1}};
    state_->open(loop.body);
    const std::vector<Tile> next = body(turn, args);
    state_->close();
    state_->counters.pop_back();
    std::vector<Tile> out;
    for (std::size_t i = 0; i < loop.carried.size(); ++i) {
        ir::For::Carried& carried = loop.carried[i];
        carried.next = detail::State::id_of(next[i]);
        const ir::Value like = state_->value(carried.arg);
        if (!detail::same_axes(state_->value(carried.next).axes, like.axes) ||
            state_->value(carried.next).dtype != like.dtype) {
            detail::State::fail(where, fmt::format("loop '{}' carries {} and returns {}", name,
                                                   state_->describe(carried.arg), state_->describe(carried.next)));
        }
        carried.out = state_->add_value(like.dtype, like.axes, where);
        out.push_back(state_->tile(carried.out));
    }
    state_->append(std::move(loop), where);
    return out;
}

void RoleBuilder::loop(const std::string& name, std::int64_t count, const std::function<void(Index)>& body,
                       Where where) {
    carry(
        name, count, {}, false, {},
        [&](const Index& turn, const std::vector<Tile>&) {
            body(turn);
            return std::vector<Tile>{};
        },
        where);
}

Tile RoleBuilder::loop(const std::string& name, Param count, Tile init, const std::function<Tile(Tile)>& body,
                       Where where) {
    return carry(
               name, 0, count, false, {init},
               [&](const Index&, const std::vector<Tile>& in) { return std::vector<Tile>{body(in.front())}; }, where)
        .front();
}

void RoleBuilder::turns(const Tiles& tiles, bool owned, const std::function<void(Index)>& body, Where where) {
    ir::Kernel& kernel = state_->kernel();
    if (tiles.kernel != state_->kernel_id() || !kernel.tiles) {
        detail::State::fail(where, "the tiles belong to another kernel");
    }
    if (!state_->counters.empty()) {
        detail::State::fail(where, "the loop over a persistent kernel's tiles cannot be inside another loop");
    }
    if (owned && kernel.cluster == 1) {
        detail::State::fail(where, "a tile has an owner in a cluster only; make one with cluster()");
    }
    ir::TileLoop loop;
    loop.owned = owned;
    auto& variables = state_->program.variables;
    loop.tile = static_cast<ir::VarId>(variables.size());
    variables.push_back({"tile", -1, *kernel.tiles});
    loop.turn = static_cast<ir::VarId>(variables.size());
    variables.push_back({"turn", -1, *kernel.tiles});
    using Kind = detail::Counter::Kind;
    state_->counters.push_back({owned ? Kind::owned_tiles : Kind::tiles, loop.turn, 0});
    Index tile;
    tile.variables = {{loop.tile, 1}};
    state_->open(loop.body);
    body(tile);
    state_->close();
    state_->counters.pop_back();
    state_->append(std::move(loop), where);
}

void RoleBuilder::tiles(const Tiles& tiles, const std::function<void(Index)>& body, Where where) {
    turns(tiles, false, body, where);
}

void RoleBuilder::owned_tiles(const Tiles& tiles, const std::function<void(Index)>& body, Where where) {
    turns(tiles, true, body, where);
}

}  // namespace tilejit::dsl
