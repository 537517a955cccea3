// Channels: how roles fill, acquire and release them, and what they send through them.
#include <fmt/format.h>

#include <algorithm>

#include "generator/dsl/state.h"

namespace tilejit::dsl {
namespace detail {
namespace {

using Kind = ir::Channel::Kind;
using Use = ir::Acquire::Use;

/// True when the statement, or one inside it, uses the tile of the channel.
bool uses(const ir::Stmt& stmt, ir::ChannelId channel, ir::BufferId buffer) {
    if (const auto* load = std::get_if<ir::SharedLoad>(&stmt.op)) {
        return load->buffer == buffer;
    }
    if (const auto* store = std::get_if<ir::SharedStore>(&stmt.op)) {
        return store->buffer == buffer;
    }
    if (const auto* drain = std::get_if<ir::Drain>(&stmt.op)) {
        return drain->channel == channel;
    }
    if (const auto* acquire = std::get_if<ir::Acquire>(&stmt.op)) {
        return acquire->channel == channel;
    }
    const std::vector<ir::Stmt>* body = ir::body_of(stmt.op);
    return body != nullptr &&
           std::any_of(body->begin(), body->end(), [&](const ir::Stmt& inner) { return uses(inner, channel, buffer); });
}

}  // namespace

ir::Channel& State::channel(int kernel_of_handle, int id, Where where) {
    if (scopes.empty()) {
        fail(where, "channels are used in the body of a role");
    }
    if (kernel_of_handle != kernel_id()) {
        fail(where, "a channel is used outside its kernel");
    }
    return kernel().channels[static_cast<std::size_t>(id)];
}

ir::Index State::position(Where where) const {
    ir::Index index;
    for (const Counter& counter : counters) {
        if (counter.kind == Counter::Kind::open) {
            fail(where, "a channel cannot be used in a loop whose number of turns is a parameter");
        }
        if (counter.kind == Counter::Kind::counted) {
            for (auto& term : index.terms) {
                term.second *= counter.count;
            }
        }
        index.terms.emplace_back(counter.var, 1);
    }
    std::sort(index.terms.begin(), index.terms.end());
    return index;
}

const Held& State::held(const View& view, Where where) const {
    for (auto scope = scopes.rbegin(); scope != scopes.rend(); ++scope) {
        for (const Held& tile : scope->held) {
            if (view.of == View::Of::channel && tile.channel == view.id && tile.position == index(view.position)) {
                return tile;
            }
        }
    }
    fail(where, "a channel's tile is used outside the body in which it was asked for");
}

void State::close() {
    Scope& scope = scopes.back();
    // Tiles that are released at the same place are so in the order in which they were asked for: of an
    // exchange before the ring's that its sender waits for.
    for (auto held = scope.held.rbegin(); held != scope.held.rend(); ++held) {
        const Held& tile = *held;
        const ir::BufferId buffer = program.kernels.back().channels[static_cast<std::size_t>(tile.channel)].buffer;
        const auto last = std::find_if(scope.body->rbegin(), scope.body->rend(),
                                       [&](const ir::Stmt& stmt) { return uses(stmt, tile.channel, buffer); });
        const ir::Location at = last->at;
        scope.body->insert(last.base(), {ir::Release{tile.channel, tile.position, tile.use}, at});
    }
    scopes.pop_back();
}

std::vector<ir::Span> State::shared_spans(const View& view, Where where) {
    const bool shared = view.of == View::Of::shared;
    const ir::Channel* channel = shared ? nullptr : &kernel().channels[static_cast<std::size_t>(view.id)];
    const ir::Buffer& buffer = shared ? kernel().buffers[static_cast<std::size_t>(view.id)] : buffer_of(*channel);
    const bool by_rank = channel != nullptr && channel->kind == Kind::reduce_scatter;
    const std::size_t axes = buffer.axes.size() - (by_rank ? 1 : 0);
    if (view.at.size() != axes) {
        fail(where, fmt::format("the tile '{}' has {} axes, came {} indices", buffer.name, axes, view.at.size()));
    }
    return spans(view.at, where);
}

Tile State::load_shared(const View& view, const Spread* wanted, Where where) {
    ir::SharedLoad load{-1, view.id, {}, shared_spans(view, where), {}};
    std::optional<ir::AxisId> rank;
    if (view.of == View::Of::channel) {
        held(view, where);
        const ir::Channel& channel = kernel().channels[static_cast<std::size_t>(view.id)];
        load.buffer = channel.buffer;
        load.position = index(view.position);
        if (channel.kind == Kind::reduce_scatter) {
            rank = buffer_of(channel).axes.front();
            load.at.insert(load.at.begin(), ir::Span{{}, {{*rank, 1}}});
        }
    }
    load.out = add_value(kernel().buffers[static_cast<std::size_t>(load.buffer)].dtype, axes_of(load.at, where), where);
    if (wanted != nullptr) {
        spread(load.out, *wanted, where);
    }
    const Tile loaded = tile(load.out);
    append(std::move(load), where);
    return rank ? reduce(Operand(loaded, where.file, where.line), {*rank}, ir::Reduction::sum) : loaded;
}

void State::store_slot(ir::ValueId in, const View& view, Where where) {
    if (view.of == View::Of::shared) {
        fail(where, "a shared tile is written once, by share()");
    }
    if (held(view, where).use != Use::update) {
        fail(where, "only a tile that was taken can be written; take() it instead of peek()");
    }
    const ir::Channel& channel = kernel().channels[static_cast<std::size_t>(view.id)];
    ir::SharedStore store{in, channel.buffer, index(view.position), shared_spans(view, where), {}};
    if (buffer_of(channel).dtype != value(in).dtype || !same_axes(axes_of(store.at, where), value(in).axes)) {
        fail(where, fmt::format("the tile {} does not fit this part of channel '{}' ({})", describe(in), channel.name,
                                tilejit::name_of(buffer_of(channel).dtype)));
    }
    append(std::move(store), where);
}

}  // namespace detail

using detail::State;

int KernelBuilder::channel(int kind, const std::string& name, DType dtype, std::initializer_list<Axis> axes, int stages,
                           Where where) {
    ir::Kernel& kernel = state_->kernel(id_, where);
    if (!state_->scopes.empty()) {
        State::fail(where, "channels are made before the roles that use them");
    }
    if (axes.size() == 0) {
        State::fail(where, fmt::format("the tiles of channel '{}' need an axis", name));
    }
    ir::Channel channel{name, static_cast<ir::Channel::Kind>(kind), static_cast<ir::BufferId>(kernel.buffers.size()),
                        State::location(where)};
    ir::Buffer buffer;
    buffer.name = name;
    buffer.dtype = dtype;
    buffer.slots = stages;
    buffer.every = ir::every_of(kernel, channel);
    if (channel.kind == detail::Kind::reduce_scatter) {
        state_->program.axes.push_back({name + "_rank", kernel.cluster});
        buffer.axes.push_back(static_cast<ir::AxisId>(state_->program.axes.size() - 1));
    }
    for (const Axis& axis : axes) {
        if (detail::has(buffer.axes, axis.id)) {
            State::fail(where, fmt::format("axis '{}' came twice in channel '{}'", state_->axis_name(axis.id), name));
        }
        buffer.axes.push_back(axis.id);
    }
    kernel.buffers.push_back(std::move(buffer));
    kernel.channels.push_back(std::move(channel));
    return static_cast<int>(kernel.channels.size() - 1);
}

Ring KernelBuilder::ring(const std::string& name, DType dtype, std::initializer_list<Axis> axes, int stages,
                         Where where) {
    if (stages < 1) {
        State::fail(where, fmt::format("ring '{}' needs 1 stage or more, came {}", name, stages));
    }
    return {id_, channel(static_cast<int>(detail::Kind::ring), name, dtype, axes, stages, where)};
}

Exchange KernelBuilder::reduce_scatter(const std::string& name, std::initializer_list<Axis> axes, Where where) {
    return {id_, channel(static_cast<int>(detail::Kind::reduce_scatter), name, DType::f32, axes, 0, where)};
}

Exchange KernelBuilder::all_gather(const std::string& name, std::initializer_list<Axis> axes, Where where) {
    return {id_, channel(static_cast<int>(detail::Kind::all_gather), name, DType::f32, axes, 0, where)};
}

void RoleBuilder::fill(const Ring& ring, const View& view, Where where) {
    const ir::Channel& channel = state_->channel(ring.kernel, ring.channel, where);
    ir::Fill fill{ring.channel, state_->position(where), view.id, state_->spans(view, where)};
    const ir::Tensor& tensor = state_->program.tensors[static_cast<std::size_t>(view.id)];
    const ir::Buffer& buffer = state_->buffer_of(channel);
    if (tensor.dtype != buffer.dtype || !detail::same_axes(state_->axes_of(fill.at, where), buffer.axes)) {
        State::fail(where, fmt::format("this part of '{}' ({}) does not fit ring '{}' ({})", tensor.argument,
                                       tilejit::name_of(tensor.dtype), channel.name, tilejit::name_of(buffer.dtype)));
    }
    state_->append(std::move(fill), where);
}

Slot RoleBuilder::acquire(int kernel, int channel, int use, Where where) {
    const ir::Channel& made = state_->channel(kernel, channel, where);
    for (const detail::Scope& scope : state_->scopes) {
        for (const detail::Held& tile : scope.held) {
            if (tile.channel == channel) {
                State::fail(where, fmt::format("the role has a tile of channel '{}' already", made.name));
            }
        }
    }
    const ir::Index position = state_->position(where);
    state_->append(ir::Acquire{channel, position, static_cast<ir::Acquire::Use>(use)}, where);
    state_->scopes.back().held.push_back({channel, position, static_cast<ir::Acquire::Use>(use)});
    Index at;
    at.variables = position.terms;
    return {channel, at};
}

Slot RoleBuilder::peek(const Ring& ring, Where where) {
    return acquire(ring.kernel, ring.channel, static_cast<int>(detail::Use::read), where);
}

Slot RoleBuilder::take(const Ring& ring, Where where) {
    return acquire(ring.kernel, ring.channel, static_cast<int>(detail::Use::update), where);
}

Slot RoleBuilder::updated(const Ring& ring, Where where) {
    return acquire(ring.kernel, ring.channel, static_cast<int>(detail::Use::updated), where);
}

Slot RoleBuilder::receive(const Exchange& exchange, Where where) {
    return acquire(exchange.kernel_, exchange.channel_, static_cast<int>(detail::Use::read), where);
}

void RoleBuilder::store(const Slot& slot, const View& view, Where where) {
    const View whole{View::Of::channel, slot.channel_, {}, slot.position_};
    if (state_->held(whole, where).use == detail::Use::read) {
        State::fail(where, "a slot is stored by the role that takes it, or by one that waits until it is updated");
    }
    const ir::Channel& channel = state_->channel(state_->kernel_id(), slot.channel_, where);
    ir::Drain drain{slot.channel_, State::index(slot.position_), view.id, state_->spans(view, where)};
    const ir::Tensor& tensor = state_->program.tensors[static_cast<std::size_t>(view.id)];
    const ir::Buffer& buffer = state_->buffer_of(channel);
    if (tensor.kind == ir::Tensor::Kind::input || tensor.dtype != buffer.dtype ||
        !detail::same_axes(state_->axes_of(drain.at, where), buffer.axes)) {
        State::fail(where, fmt::format("a tile of ring '{}' cannot be stored to this part of '{}'", channel.name,
                                       tensor.argument));
    }
    state_->append(std::move(drain), where);
}

void RoleBuilder::send(const Operand& tile, const View& view) {
    const Where where = State::where(tile);
    if (view.of != View::Of::channel) {
        State::fail(where, "a tile is sent to part of an exchange's tile");
    }
    const ir::Channel& channel = state_->channel(state_->kernel_id(), view.id, where);
    ir::Send send{view.id, state_->position(where), state_->use(tile), state_->shared_spans(view, where)};
    if (state_->value(send.in).dtype != DType::f32 ||
        !detail::same_axes(state_->axes_of(send.at, where), state_->value(send.in).axes)) {
        State::fail(where, fmt::format("the tile {} does not fit this part of channel '{}' (f32)",
                                       state_->describe(send.in), channel.name));
    }
    if (channel.kind == detail::Kind::reduce_scatter) {
        send.at.insert(send.at.begin(), ir::Span{{0, {{state_->kernel().rank, 1}}}, {}});
    }
    state_->append(std::move(send), where);
}

}  // namespace tilejit::dsl
