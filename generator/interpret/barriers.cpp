#include "generator/interpret/barriers.h"

#include <fmt/format.h>

#include <algorithm>

namespace tilejit::interpret {

std::string PhaseBarrier::name() const {
    return sync_->slots > 1 ? fmt::format("`{}` (slot {})", sync_->name, slot_) : fmt::format("`{}`", sync_->name);
}

void PhaseBarrier::init() {
    ready_ = true;
    pending_ = sync_->arrivals;
}

void PhaseBarrier::init(const Warp& warp) {
    init();
    maker_ = warp.self();
    made_ = warp.epoch();
}

void PhaseBarrier::check_ready(const Event& event, const std::vector<Warp*>& warps) const {
    if (!ready_) {
        fault(event, fmt::format("uses {} before it was prepared", name()));
    }
    const bool told = maker_ < 0 || std::all_of(warps.begin(), warps.end(), [&](const Warp* warp) {
                          return warp->self() == maker_ || warp->clock().seen(maker_) >= made_;
                      });
    if (!told) {
        fault(event, fmt::format("uses {} without having met the threads that prepared it", name()));
    }
}

void PhaseBarrier::check_phase(const Event& event, std::int64_t phase, const char* does) const {
    if (phase != phases_) {
        fault(event,
              fmt::format("{} phase {} of {}, which is in phase {}: {}", does, phase, name(), phases_, missing()));
    }
}

void PhaseBarrier::end_phase_if_complete() {
    if (pending_ == 0 && bytes_ == 0) {
        ++phases_;
        pending_ = sync_->arrivals;
        passed_ = std::move(arriving_);
        arriving_ = {};
    }
}

void PhaseBarrier::arrive(const Event& event, std::int64_t phase, const Clock& clock) {
    check_phase(event, phase, "arrives for");
    if (pending_ == 0) {
        fault(event,
              fmt::format("arrives at {}, where all {} of phase {} have arrived", name(), sync_->arrivals, phases_));
    }
    arriving_.join(clock);
    --pending_;
    end_phase_if_complete();
}

void PhaseBarrier::expect(const Event& event, std::int64_t phase, std::int64_t bytes) {
    check_phase(event, phase, "announces bytes for");
    bytes_ += bytes;
}

void PhaseBarrier::land(const Event& event, std::int64_t phase, std::int64_t bytes, const Clock& clock) {
    check_phase(event, phase, "lands bytes for");
    arriving_.join(clock);
    bytes_ -= bytes;
    end_phase_if_complete();
}

bool PhaseBarrier::over(const Event& event, std::int64_t phase) const {
    if (phase < 0) {
        return true;
    }
    // A waiter gives the parity of its phase: it can tell the phase that runs from the one before, no more.
    if (phase > phases_) {
        fault(event, fmt::format("waits for phase {} of {} while phase {} runs: the parity would let it pass", phase,
                                 name(), phases_));
    }
    if (phase + 1 < phases_) {
        fault(event, fmt::format("waits for phase {} of {}, after which {} more ended already: the parity would not "
                                 "let it pass",
                                 phase, name(), phases_ - phase - 1));
    }
    return phase < phases_;
}

std::string PhaseBarrier::missing() const {
    const std::string bytes = bytes_ < 0 ? fmt::format("{} bytes landed that are not announced", -bytes_)
                                         : fmt::format("{} bytes have not landed", bytes_);
    return fmt::format("{} of {} arrivals are missing{}", pending_, sync_->arrivals, bytes_ == 0 ? "" : ", " + bytes);
}

std::string PhaseBarrier::open() const {
    return ready_ && (pending_ != sync_->arrivals || bytes_ != 0) ? missing() : "";
}

}  // namespace tilejit::interpret
