/// \file Barriers in shared memory (mbarriers): phases of arrivals and bytes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "generator/interpret/clock.h"
#include "generator/interpret/events.h"

namespace tilejit::interpret {

/// One barrier. A phase ends when all arrivals have come and as many bytes have landed as were announced;
/// bytes may land before they are announced, but only in their own phase.
class PhaseBarrier {
public:
    PhaseBarrier(const ir::Sync& sync, int slot) : sync_(&sync), slot_(slot) {}

    /// By one thread of `warp`; or before the kernel began, where no pass has put that in yet.
    void init(const Warp& warp);
    void init();
    /// Throws unless every one of `warps` has been told that the barrier is ready.
    void check_ready(const Event& event, const std::vector<Warp*>& warps) const;

    void arrive(const Event& event, std::int64_t phase, const Clock& clock);
    void expect(const Event& event, std::int64_t phase, std::int64_t bytes);
    void land(const Event& event, std::int64_t phase, std::int64_t bytes, const Clock& clock);

    /// True when `phase` is over; what a waiter then learns is `passed()`. Throws when its parity would tell
    /// a waiter something else.
    bool over(const Event& event, std::int64_t phase) const;
    const Clock& passed() const { return passed_; }

    /// What is still missing, for reports; empty when nothing of the phase has happened.
    std::string open() const;
    std::string missing() const;
    std::string name() const;
    std::int64_t phases() const { return phases_; }

private:
    void check_phase(const Event& event, std::int64_t phase, const char* does) const;
    void end_phase_if_complete();

    const ir::Sync* sync_;
    int slot_;
    bool ready_ = false;
    Entity maker_ = -1;
    std::uint32_t made_ = 0;
    std::int64_t phases_ = 0;  ///< that are over
    int pending_ = 0;
    std::int64_t bytes_ = 0;  ///< announced and not landed
    Clock arriving_;
    Clock passed_;
};

}  // namespace tilejit::interpret
