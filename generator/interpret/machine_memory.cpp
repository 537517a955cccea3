// Accesses of roles to global and shared memory.
#include <fmt/format.h>

#include "generator/interpret/machine.h"

namespace tilejit::interpret {

TensorPart Machine::tensor_part(const Fiber& fiber, ir::TensorId tensor, const std::vector<ir::Span>& at) const {
    return {tensor, &at, fiber.evaluate(at)};
}

Slot Machine::slot_of(const Fiber& fiber, ir::BufferId buffer, const ir::Index& position) const {
    const ir::Buffer& whole = kernel_.buffers[static_cast<std::size_t>(buffer)];
    const std::int64_t at = fiber.evaluate(position);
    return {fiber.actor->rank, buffer, static_cast<int>(at / whole.every % std::max(whole.slots, 1)), at};
}

SlotPart Machine::slot_part(const Fiber& fiber, const ir::Stmt& stmt, const Slot& slot,
                            const std::vector<ir::AxisId>& axes, const std::vector<ir::Span>& at) {
    const Placement& placement = shared_.buffers[static_cast<std::size_t>(slot.buffer)];
    auto found = elements_.find(&stmt);
    if (found == elements_.end()) {
        found = elements_.emplace(&stmt, shared_elements(program_, axes, placement, at)).first;
    }
    SlotPart part{slot, &found->second, 0};
    for (std::size_t d = 0; d < at.size(); ++d) {
        part.first += fiber.evaluate(at[d].origin) * placement.index_steps[d];
    }
    return part;
}

const Holders* Machine::holders(ir::ValueId id) {
    const ir::Value& value = program_.values[static_cast<std::size_t>(id)];
    if (!value.layout) {
        return nullptr;
    }
    auto found = holders_.find(id);
    if (found == holders_.end()) {
        found = holders_.emplace(id, holders_of(program_, value)).first;
    }
    return &found->second;
}

void Machine::watch_cells(const Slot& slot, std::size_t element, Accessing by, bool write) {
    if (!shared_.placed) {
        return;  // roles get their barriers, tiles their places in the last passes
    }
    by.follows = exchanged_[static_cast<std::size_t>(slot.buffer)];
    const Placement& placement = shared_.buffers[static_cast<std::size_t>(slot.buffer)];
    const std::string& name = buffer_of(slot).name;
    std::vector<Cell>& cells = blocks_[static_cast<std::size_t>(slot.block)].cells;
    const std::size_t first =
        placement.first_granule(slot.slot) + static_cast<std::size_t>(placement.granules[element]);
    for (std::size_t g = first; g < first + static_cast<std::size_t>(placement.granules_each); ++g) {
        write ? shadow_.write(cells[g], by, name) : shadow_.read(cells[g], by, name);
    }
}

void Machine::watch_shared(const Fiber& fiber, std::uint32_t event, const SlotPart& part, ir::ValueId id, bool write) {
    const Holders* held = holders(id);
    if (held == nullptr) {
        return;
    }
    for (const Holder& holder : write ? held->writers : held->readers) {
        const Warp& warp = *fiber.warps[static_cast<std::size_t>(holder.warp)];
        watch_cells(part.slot, static_cast<std::size_t>(part.first) + (*part.elements)[holder.element],
                    {{event, warp.epoch(), warp.self(), holder.lane}, &warp, cluster_, false}, write);
    }
}

void Machine::watch_global(const Fiber& fiber, std::uint32_t event, const TensorPart& part, ir::ValueId id,
                           bool write) {
    const Holders* held = holders(id);
    if (held == nullptr || !options_.check_global) {
        return;
    }
    const Memory& memory = environment_.tensors[static_cast<std::size_t>(part.tensor)];
    const std::string& name = program_.tensors[static_cast<std::size_t>(part.tensor)].argument;
    const std::vector<ir::AxisId>& axes = program_.values[static_cast<std::size_t>(id)].axes;
    std::vector<const unsigned char*> addresses(elements_of(program_, axes), nullptr);
    for_each_inside(
        environment_, axes, part,
        [&](std::ptrdiff_t to, std::int64_t from, std::int64_t count, std::ptrdiff_t step, std::ptrdiff_t to_step) {
            for (std::int64_t i = 0; i < count; ++i) {
                addresses[static_cast<std::size_t>(to + i * to_step)] =
                    memory.data + (memory.wide ? 4 : 2) * (from + i * step);
            }
        });
    for (const Holder& holder : write ? held->writers : held->readers) {
        if (addresses[holder.element] != nullptr) {
            const Warp& warp = *fiber.warps[static_cast<std::size_t>(holder.warp)];
            Cell& cell = global_cells_[addresses[holder.element]];
            const Accessing by{{event, warp.epoch(), warp.self(), holder.lane}, &warp, cluster_, false};
            write ? shadow_.write(cell, by, name) : shadow_.read(cell, by, name);
        }
    }
}

void Machine::check_dependency(const Fiber& fiber, const ir::Stmt& stmt, ir::TensorId id) const {
    const ir::Tensor& tensor = program_.tensors[static_cast<std::size_t>(id)];
    if (early_ && !tensor.weights && !fiber.dependency_waited &&
        !blocks_[static_cast<std::size_t>(fiber.actor->rank)].dependency_waited) {
        fault(event_of(fiber, stmt), fmt::format("touches `{}` before it waits for the kernels ahead of this one; only "
                                                 "weights may be read that early",
                                                 tensor.argument));
    }
}

void Machine::run(Fiber& fiber, const ir::Stmt& stmt, const ir::Load& op) {
    check_dependency(fiber, stmt, op.tensor);
    const TensorPart part = tensor_part(fiber, op.tensor, op.at);
    if (options_.check_global) {
        watch_global(fiber, note(event_of(fiber, stmt, -1, "reads it")), part, op.out, false);
    }
    numbers_->load(fiber.index, op.out, part);
}

void Machine::run(Fiber& fiber, const ir::Stmt& stmt, const ir::Store& op) {
    check_dependency(fiber, stmt, op.tensor);
    const TensorPart part = tensor_part(fiber, op.tensor, op.at);
    if (options_.check_global) {
        watch_global(fiber, note(event_of(fiber, stmt, -1, "writes it")), part, op.in, true);
    }
    numbers_->store(fiber.index, op.in, part);
}

void Machine::run(Fiber& fiber, const ir::Stmt& stmt, const ir::SharedLoad& op) {
    const Slot slot = slot_of(fiber, op.buffer, op.position);
    const std::vector<ir::AxisId>& axes = program_.values[static_cast<std::size_t>(op.out)].axes;
    const SlotPart part = slot_part(fiber, stmt, slot, axes, op.at);
    watch_shared(fiber, note(event_of(fiber, stmt, slot.position, "reads it")), part, op.out, false);
    numbers_->read(fiber.index, op.out, part);
}

void Machine::run(Fiber& fiber, const ir::Stmt& stmt, const ir::SharedStore& op) {
    const Slot slot = slot_of(fiber, op.buffer, op.position);
    const std::vector<ir::AxisId>& axes = program_.values[static_cast<std::size_t>(op.in)].axes;
    const SlotPart part = slot_part(fiber, stmt, slot, axes, op.at);
    watch_shared(fiber, note(event_of(fiber, stmt, slot.position, "writes it")), part, op.in, true);
    note_refill(fiber, stmt, slot, true);
    numbers_->write(fiber.index, op.in, part);
}

void Machine::note_refill(Fiber& fiber, const ir::Stmt& stmt, const Slot& slot, bool stored) {
    const auto wait = free_waits_.find(&fiber);
    if (wait == free_waits_.end() || std::get<2>(wait->second) != slot.position) {
        return;
    }
    const auto& [free, phase, position] = wait->second;
    refills_[{slot.block, slot.buffer, slot.slot}] = {&fiber, event_of(fiber, stmt, position), free, phase + 1,
                                                      slot,   stored ? &stmt : nullptr,        {}};
}

/// In the last turns nobody fills a slot again, so that a role that released it too early would go
/// unnoticed. Sees what would come of one more turn.
void Machine::check_refill(Refill& refill) {
    const ir::Buffer& buffer = buffer_of(refill.slot);
    Event event = refill.event;
    if (refill.free->phases() <= refill.phase) {
        fault(event, fmt::format("nothing releases the slot of `{}` that it fills: phase {} of {}: {}", buffer.name,
                                 refill.phase, refill.free->name(), refill.free->missing()));
    }
    event.position += static_cast<std::int64_t>(buffer.slots) * buffer.every;
    event.turn = -1;
    event.verb = "would fill it next";
    const std::uint32_t id = note(event);
    std::vector<Warp>& warps = refill.warps;
    for (Warp& warp : warps) {
        warp.learn(refill.free->passed());
        warp.meet();
    }
    if (refill.stored == nullptr) {
        const std::size_t elements = shared_.buffers[static_cast<std::size_t>(refill.slot.buffer)].granules.size();
        for (std::size_t e = 0; e < elements; ++e) {
            watch_cells(refill.slot, e, {{id, 0, static_cast<Entity>(warps_.size()), 0}, &warps[0], cluster_, true},
                        true);
        }
        return;
    }
    const auto& op = std::get<ir::SharedStore>(refill.stored->op);
    if (const Holders* held = holders(op.in)) {
        const std::vector<std::uint32_t>& elements = elements_.at(refill.stored);
        for (const Holder& holder : held->writers) {
            const Warp& warp = warps[static_cast<std::size_t>(holder.warp)];
            watch_cells(refill.slot, elements[holder.element],
                        {{id, warp.epoch(), warp.self(), holder.lane}, &warp, cluster_, false}, true);
        }
    }
}

}  // namespace tilejit::interpret
