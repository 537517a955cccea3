/// \file Who accessed each piece of memory last, and whether the next access is ordered after it.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "generator/interpret/clock.h"
#include "generator/interpret/events.h"

namespace tilejit::interpret {

/// An access that happened.
struct Access {
    static constexpr std::uint32_t kNever = UINT32_MAX;
    std::uint32_t event = kNever;
    std::uint32_t epoch = 0;
    std::int32_t entity = 0;
    std::int32_t lane = 0;  ///< of a warp; `Holder::kSeveral`: more than one
};

/// An access that is about to happen: by a warp, or by a copy that a warp starts.
struct Accessing {
    Access access;
    const Warp* warp = nullptr;
    std::int64_t cluster = 0;
    bool engine = false;   ///< sees only what was fenced
    bool follows = false;  ///< may rely on what must have happened, see `Clock`
};

/// The last write of a piece of memory and the reads since.
struct Cell {
    Access writer;
    Access reader;
    std::vector<Access> more_readers;
};

/// Races are `ProtocolError`s that name both sides.
class Shadow {
public:
    explicit Shadow(const std::vector<Event>& events) : events_(events) {}

    /// Entities below this are warps.
    void start(Entity warps) { warps_ = warps; }
    void read(Cell& cell, const Accessing& by, const std::string& what) const;
    void write(Cell& cell, const Accessing& by, const std::string& what) const;

private:
    void check(const Access& earlier, bool writes, const Accessing& by, const std::string& what) const;
    [[noreturn]] void race(const Access& earlier, const Accessing& by, const std::string& what,
                           const std::string& why) const;

    const std::vector<Event>& events_;
    Entity warps_ = 0;
};

}  // namespace tilejit::interpret
