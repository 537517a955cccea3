#include "generator/interpret/queues.h"

namespace tilejit::interpret {

const Queue::Tile* Queue::find(std::int64_t position) const {
    const auto found = tiles_.find(position);
    return found == tiles_.end() ? nullptr : &found->second;
}

bool Queue::can_fill(std::int64_t position) const {
    if (position < slots_) {
        return true;
    }
    const Tile* before = find(position - slots_);
    return before != nullptr && before->released == readers_;
}

bool Queue::can_acquire(std::int64_t position, Use use) const {
    const Tile* tile = find(position);
    if (tile == nullptr || tile->received < elements_) {
        return false;
    }
    const auto done = [&](Use of) {
        const auto i = static_cast<std::size_t>(of);
        return tile->released[i] == readers_[i];
    };
    return use == Use::read || (use == Use::update ? done(Use::read) : done(Use::update));
}

void Queue::send(std::int64_t position, std::int64_t elements, const Clock& clock) {
    Tile& tile = tiles_[position];
    tile.received += elements;
    tile.clock.join(clock);
}

bool Queue::release(std::int64_t position, Use use, const Clock& clock) {
    Tile& tile = tiles_[position];
    ++tile.released[static_cast<std::size_t>(use)];
    tile.clock.join(clock);
    return tile.released == readers_;
}

}  // namespace tilejit::interpret
