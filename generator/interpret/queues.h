/// \file Channels as the author wrote them: queues of tiles between roles.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "generator/interpret/clock.h"
#include "generator/ir/ir.h"

namespace tilejit::interpret {

/// One channel in one block.
class Queue {
public:
    using Use = ir::Acquire::Use;

    /// `elements`: of a whole tile, of all senders; `readers`: roles by use; `slots`: of a ring.
    Queue(std::int64_t elements, std::array<int, 3> readers, int slots)
        : elements_(elements), readers_(readers), slots_(slots) {}

    bool can_fill(std::int64_t position) const;
    bool can_acquire(std::int64_t position, Use use) const;
    void fill(std::int64_t position, const Clock& clock) { send(position, elements_, clock); }
    void send(std::int64_t position, std::int64_t elements, const Clock& clock);
    /// True when that was the last use of the tile.
    bool release(std::int64_t position, Use use, const Clock& clock);

    /// What a role learns when it may go on.
    const Clock& clock(std::int64_t position) { return tiles_[position].clock; }
    /// Gives a ring's slot to the next tile: the one before it need not be remembered.
    void forget(std::int64_t position) { tiles_.erase(position); }

private:
    struct Tile {
        std::int64_t received = 0;
        std::array<int, 3> released{};
        Clock clock;
    };
    const Tile* find(std::int64_t position) const;

    std::int64_t elements_;
    std::array<int, 3> readers_;
    int slots_;
    std::map<std::int64_t, Tile> tiles_;
};

}  // namespace tilejit::interpret
