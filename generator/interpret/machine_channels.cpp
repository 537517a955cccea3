// Channels as the author wrote them: every position has a place of its own, roles wait for each other.
#include "generator/interpret/machine.h"

namespace tilejit::interpret {
namespace {

/// Roles by how they use the channel.
void count_readers(const std::vector<ir::Stmt>& body, ir::ChannelId channel, std::array<bool, 3>& uses) {
    for (const ir::Stmt& stmt : body) {
        const auto* acquire = std::get_if<ir::Acquire>(&stmt.op);
        if (acquire != nullptr && acquire->channel == channel) {
            uses[static_cast<std::size_t>(acquire->use)] = true;
        }
        if (const std::vector<ir::Stmt>* inner = ir::body_of(stmt.op)) {
            count_readers(*inner, channel, uses);
        }
    }
}

Clock meet(const Fiber& fiber) {
    Clock clock;
    for (Warp* warp : fiber.warps) {
        warp->meet();
        clock.join(warp->publish());
    }
    return clock;
}

void learn(const Fiber& fiber, const Clock& clock) {
    for (Warp* warp : fiber.warps) {
        warp->learn(clock);
    }
}

}  // namespace

std::vector<Queue> Machine::make_queues() const {
    std::vector<Queue> queues;
    for (std::size_t c = 0; c < kernel_.channels.size(); ++c) {
        std::array<int, 3> readers{};
        for (const ir::Role& role : kernel_.roles) {
            std::array<bool, 3> uses{};
            count_readers(role.body, static_cast<ir::ChannelId>(c), uses);
            for (std::size_t use = 0; use < uses.size(); ++use) {
                readers[use] += uses[use] ? 1 : 0;
            }
        }
        const ir::Buffer& buffer = kernel_.buffers[static_cast<std::size_t>(kernel_.channels[c].buffer)];
        queues.emplace_back(static_cast<std::int64_t>(elements_of(program_, buffer.axes)), readers, buffer.slots);
    }
    return queues;
}

Queue& Machine::queue(int block, ir::ChannelId channel) {
    return blocks_[static_cast<std::size_t>(block)].queues[static_cast<std::size_t>(channel)];
}

Slot Machine::queued_slot(int block, ir::ChannelId channel, std::int64_t position) const {
    return {block, kernel_.channels[static_cast<std::size_t>(channel)].buffer, 0, position};
}

bool Machine::ready(Fiber& fiber, const ir::Stmt& stmt, const ir::Fill& op) {
    const int block = fiber.actor->rank;
    const std::int64_t position = fiber.evaluate(op.position);
    Queue& tiles = queue(block, op.channel);
    if (!tiles.can_fill(position)) {
        return false;
    }
    check_dependency(fiber, stmt, op.tensor);
    const Slot slot = queued_slot(block, op.channel, position);
    if (const std::int64_t before = position - buffer_of(slot).slots; before >= 0) {
        learn(fiber, tiles.clock(before));
        tiles.forget(before);
    }
    numbers_->fill(slot, buffer_of(slot).axes, tensor_part(fiber, op.tensor, op.at));
    tiles.fill(position, meet(fiber));
    ++progress_;
    return true;
}

bool Machine::ready(Fiber& fiber, const ir::Stmt&, const ir::Acquire& op) {
    const std::int64_t position = fiber.evaluate(op.position);
    Queue& tiles = queue(fiber.actor->rank, op.channel);
    if (!tiles.can_acquire(position, op.use)) {
        return false;
    }
    learn(fiber, tiles.clock(position));
    return true;
}

void Machine::run(Fiber& fiber, const ir::Stmt&, const ir::Release& op) {
    const int block = fiber.actor->rank;
    const std::int64_t position = fiber.evaluate(op.position);
    Queue& tiles = queue(block, op.channel);
    if (tiles.release(position, op.use, meet(fiber))) {
        numbers_->forget(queued_slot(block, op.channel, position));
        if (kernel_.channels[static_cast<std::size_t>(op.channel)].kind != ir::Channel::Kind::ring) {
            tiles.forget(position);
        }
    }
    ++progress_;
}

void Machine::run(Fiber& fiber, const ir::Stmt& stmt, const ir::Drain& op) {
    check_dependency(fiber, stmt, op.tensor);
    const Slot slot = queued_slot(fiber.actor->rank, op.channel, fiber.evaluate(op.position));
    numbers_->drain(slot, buffer_of(slot).axes, tensor_part(fiber, op.tensor, op.at));
}

void Machine::run(Fiber& fiber, const ir::Stmt& stmt, const ir::Send& op) {
    const std::int64_t position = fiber.evaluate(op.position);
    const ir::Channel& channel = kernel_.channels[static_cast<std::size_t>(op.channel)];
    const Clock clock = meet(fiber);
    const auto owner = static_cast<int>(position % kernel_.cluster);
    for (int block = 0; block < static_cast<int>(blocks_.size()); ++block) {
        if (channel.kind == ir::Channel::Kind::all_gather || block == owner) {
            const SlotPart part = slot_part(fiber, stmt, queued_slot(block, op.channel, position),
                                            program_.values[static_cast<std::size_t>(op.in)].axes, op.at);
            numbers_->write(fiber.index, op.in, part);
            queue(block, op.channel).send(position, static_cast<std::int64_t>(part.elements->size()), clock);
        }
    }
    ++progress_;
}

}  // namespace tilejit::interpret
