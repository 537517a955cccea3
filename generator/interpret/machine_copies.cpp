// Copies that are under way for a while: by the copy engine, and to other blocks of the cluster.
#include <fmt/format.h>

#include "generator/interpret/machine.h"

namespace tilejit::interpret {

/// Copies of one role that land on one barrier are known to have landed one after the other.
Entity Machine::stream(int block, ir::SyncId sync, int slot, std::size_t fiber) {
    const auto next = static_cast<Entity>(warps_.size() + streams_.size());
    const auto [found, made] = streams_.try_emplace({block, sync, slot, fiber}, next);
    if (made) {
        stream_epochs_.push_back(0);
    }
    return found->second;
}

void Machine::watch_copy(const Transfer& copy, Entity stream, bool out) {
    const Warp* warp = copy.fiber->warps.front();
    Event event = copy.event;
    event.verb = out ? "stores it by a copy" : "fills it by a copy";
    Accessing by{{note(event), copy.epoch, stream, 0}, warp, cluster_, true};
    const std::size_t elements = shared_.buffers[static_cast<std::size_t>(copy.slot.buffer)].granules.size();
    for (std::size_t e = 0; e < elements; ++e) {
        watch_cells(copy.slot, e, by, !out);
    }
    if (!options_.check_global) {
        return;
    }
    event.verb = out ? "writes it by a copy" : "reads it by a copy";
    by = {{note(event), copy.epoch, stream, 0}, warp, cluster_, false};
    const Memory& memory = environment_.tensors[static_cast<std::size_t>(copy.part.tensor)];
    const std::string& name = program_.tensors[static_cast<std::size_t>(copy.part.tensor)].argument;
    for_each_inside(environment_, copy.axes, copy.part,
                    [&](std::ptrdiff_t, std::int64_t from, std::int64_t count, std::ptrdiff_t step, std::ptrdiff_t) {
                        for (std::int64_t i = 0; i < count; ++i) {
                            Cell& cell = global_cells_[memory.data + (memory.wide ? 4 : 2) * (from + i * step)];
                            out ? shadow_.write(cell, by, name) : shadow_.read(cell, by, name);
                        }
                    });
}

void Machine::run(Fiber& fiber, const ir::Stmt& stmt, const ir::CopyIn& op) {
    check_dependency(fiber, stmt, op.tensor);
    const Slot slot = slot_of(fiber, op.buffer, op.position);
    Transfer copy;
    copy.fiber = &fiber;
    copy.event = event_of(fiber, stmt, slot.position);
    copy.slot = slot;
    copy.part = tensor_part(fiber, op.tensor, op.at);
    copy.axes = buffer_of(slot).axes;
    copy.barrier = &barrier(slot.block, op.sync, slot.position);
    copy.barrier->check_ready(copy.event, {fiber.warps.front()});
    copy.phase = phase_of(op.sync, slot.position);
    copy.bytes = shared_.buffers[static_cast<std::size_t>(slot.buffer)].bytes();
    const Entity entity = stream(slot.block, op.sync, slot.slot, fiber.index);
    copy.epoch = ++stream_epochs_[static_cast<std::size_t>(entity) - warps_.size()];
    watch_copy(copy, entity, false);
    copy.clock.follow(fiber.warps.front()->publish());
    copy.clock.see(entity, copy.epoch);
    note_refill(fiber, stmt, slot, false);
    numbers_->poison(slot);
    transfers_.push_back(std::move(copy));
}

void Machine::run(Fiber& fiber, const ir::Stmt& stmt, const ir::CopyOut& op) {
    check_dependency(fiber, stmt, op.tensor);
    const Slot slot = slot_of(fiber, op.buffer, op.position);
    Transfer copy;
    copy.fiber = &fiber;
    copy.event = event_of(fiber, stmt, slot.position);
    copy.slot = slot;
    copy.part = tensor_part(fiber, op.tensor, op.at);
    copy.axes = buffer_of(slot).axes;
    copy.epoch = ++fiber.copies_started;
    watch_copy(copy, fiber.stores, true);
    transfers_.push_back(std::move(copy));
}

void Machine::run(Fiber& fiber, const ir::Stmt&, const ir::CopyDone& op) {
    const std::uint32_t newest = fiber.copies_started;
    const std::uint32_t read = newest - std::min(newest, static_cast<std::uint32_t>(op.pending));
    for (std::size_t i = 0; i < transfers_.size();) {
        const bool due =
            transfers_[i].fiber == &fiber && transfers_[i].barrier == nullptr && transfers_[i].epoch <= read;
        due ? land(i) : static_cast<void>(++i);
    }
    fiber.warps.front()->learn(fiber.stores, read);
}

/// For each warp, a bit for each lane that has a part of the tile to send; without a layout, all.
std::vector<std::uint32_t> Machine::sending_lanes(ir::ValueId id, std::size_t warps) {
    const Holders* held = holders(id);
    std::vector<std::uint32_t> lanes(warps, held == nullptr ? UINT32_MAX : 0);
    if (held != nullptr) {
        for (const Holder& holder : held->writers) {
            lanes[static_cast<std::size_t>(holder.warp)] |= std::uint32_t{1} << static_cast<unsigned>(holder.lane);
        }
    }
    return lanes;
}

void Machine::run(Fiber& fiber, const ir::Stmt& stmt, const ir::SendTo& op) {
    Clock clock;
    const std::int64_t position = fiber.evaluate(op.position);
    for (int block = 0; block < static_cast<int>(blocks_.size()); ++block) {
        if (op.all || block == position % static_cast<std::int64_t>(blocks_.size())) {
            barrier(block, op.sync, position).check_ready(event_of(fiber, stmt, position), fiber.warps);
        }
    }
    // A warp of which only some lanes send tells what its lanes knew when they last met.
    const std::vector<std::uint32_t> lanes = sending_lanes(op.in, fiber.warps.size());
    for (std::size_t w = 0; w < fiber.warps.size(); ++w) {
        if (lanes[w] != 0) {
            clock.follow(lanes[w] == UINT32_MAX ? fiber.warps[w]->publish_each_lane() : fiber.warps[w]->publish());
        }
    }
    for (int block = 0; block < static_cast<int>(blocks_.size()); ++block) {
        if (op.all || block == position % static_cast<std::int64_t>(blocks_.size())) {
            send(fiber, stmt, op, block, clock);
        }
    }
}

void Machine::send(Fiber& fiber, const ir::Stmt& stmt, const ir::SendTo& op, int block, const Clock& clock) {
    Slot slot = slot_of(fiber, op.buffer, op.position);
    slot.block = block;
    const std::vector<ir::AxisId>& axes = program_.values[static_cast<std::size_t>(op.in)].axes;
    Transfer copy;
    copy.fiber = &fiber;
    copy.event = event_of(fiber, stmt, slot.position);
    copy.slot = slot;
    copy.to = slot_part(fiber, stmt, slot, axes, op.at);
    copy.tile = numbers_->keep(fiber.index, op.in);
    copy.barrier = &barrier(block, op.sync, slot.position);
    copy.phase = phase_of(op.sync, slot.position);
    copy.bytes = static_cast<std::int64_t>(copy.to.elements->size() * size_of(buffer_of(slot).dtype));
    const Entity entity = stream(block, op.sync, slot.slot, fiber.index);
    copy.epoch = ++stream_epochs_[static_cast<std::size_t>(entity) - warps_.size()];
    copy.clock = clock;
    copy.clock.see(entity, copy.epoch);
    if (const Holders* held = holders(op.in)) {
        Event sends = copy.event;
        sends.verb = "sends into it";
        const std::uint32_t event = note(sends);
        for (const Holder& holder : held->writers) {
            watch_cells(slot, static_cast<std::size_t>(copy.to.first) + (*copy.to.elements)[holder.element],
                        {{event, copy.epoch, entity, holder.lane},
                         fiber.warps[static_cast<std::size_t>(holder.warp)],
                         cluster_,
                         false},
                        true);
        }
    }
    numbers_->poison(copy.to);
    transfers_.push_back(std::move(copy));
}

void Machine::land(std::size_t index) {
    const Transfer copy = std::move(transfers_[index]);
    transfers_.erase(transfers_.begin() + static_cast<std::ptrdiff_t>(index));
    ++progress_;
    if (copy.barrier == nullptr) {
        numbers_->drain(copy.slot, copy.axes, copy.part);
        return;
    }
    if (blocks_[static_cast<std::size_t>(copy.slot.block)].stage == Stage::left) {
        fault(copy.event, fmt::format("writes `{}` in the memory of block {}, which has ended",
                                      buffer_of(copy.slot).name, copy.slot.block));
    }
    if (copy.tile) {
        numbers_->deliver(copy.tile, copy.to);
    } else {
        numbers_->fill(copy.slot, copy.axes, copy.part);
    }
    copy.barrier->land(copy.event, copy.phase, copy.bytes, copy.clock);
}

}  // namespace tilejit::interpret
