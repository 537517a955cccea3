// Barriers of roles, of clusters, and in shared memory.
#include "generator/interpret/machine.h"

namespace tilejit::interpret {

PhaseBarrier& Machine::barrier(int block, ir::SyncId id, std::int64_t position) {
    const ir::Sync& sync = kernel_.syncs[static_cast<std::size_t>(id)];
    return blocks_[static_cast<std::size_t>(block)]
        .barriers[static_cast<std::size_t>(id)][static_cast<std::size_t>(position / sync.every % sync.slots)];
}

std::int64_t Machine::phase_of(ir::SyncId id, std::int64_t position) const {
    const ir::Sync& sync = kernel_.syncs[static_cast<std::size_t>(id)];
    return position / sync.every / sync.slots;
}

bool Machine::ready(Fiber& fiber, const ir::Stmt& stmt, const ir::Wait& op) {
    const std::int64_t position = fiber.evaluate(op.position);
    const Event event = event_of(fiber, stmt, position);
    PhaseBarrier& state = barrier(fiber.actor->rank, op.sync, position);
    state.check_ready(event, fiber.warps);
    const std::int64_t phase = phase_of(op.sync, position) - (op.before ? 1 : 0);
    if (!state.over(event, phase)) {
        return false;
    }
    // Each lane waits for itself: lanes of a warp learn nothing of each other.
    for (Warp* warp : fiber.warps) {
        if (phase >= 0) {
            warp->learn(state.passed());
        }
    }
    if (op.before) {
        free_waits_[&fiber] = {&state, phase, position};
    }
    return true;
}

bool Machine::ready(Fiber& fiber, const ir::Stmt&, const ir::ClusterBarrier&) {
    if (!fiber.meeting) {
        for (Warp* warp : fiber.warps) {
            warp->meet();
            gathering_.join(warp->publish());
        }
        fiber.meeting = meetings_;
        if (++arrived_ == static_cast<int>(blocks_.size())) {
            arrived_ = 0;
            gathered_ = std::move(gathering_);
            gathering_ = {};
            ++meetings_;
            ++progress_;
        }
    }
    if (meetings_ == *fiber.meeting) {
        return false;
    }
    fiber.meeting.reset();
    for (Warp* warp : fiber.warps) {
        warp->learn(gathered_);
    }
    return true;
}

void Machine::run(Fiber& fiber, const ir::Stmt&, const ir::Barrier&) {
    Clock all;
    for (Warp* warp : fiber.warps) {
        warp->meet();
        all.join(warp->publish());
    }
    for (Warp* warp : fiber.warps) {
        warp->learn(all);
    }
}

void Machine::run(Fiber& fiber, const ir::Stmt&, const ir::InitSyncs&) {
    for (std::vector<PhaseBarrier>& slots : blocks_[static_cast<std::size_t>(fiber.actor->rank)].barriers) {
        for (PhaseBarrier& state : slots) {
            state.init(*fiber.warps.front());
        }
    }
}

void Machine::run(Fiber& fiber, const ir::Stmt& stmt, const ir::Arrive& op) {
    const std::int64_t position = fiber.evaluate(op.position);
    const Event event = event_of(fiber, stmt, position);
    PhaseBarrier& state = barrier(fiber.actor->rank, op.sync, position);
    std::vector<Warp*> warps = fiber.warps;
    using By = ir::Arrive::By;
    warps.resize(op.by == By::first_warp ? 1 : warps.size());
    state.check_ready(event, warps);
    for (Warp* warp : warps) {
        if (op.by != By::threads) {
            warp->meet();
        }
        const Clock clock = op.by == By::threads ? warp->publish_each_lane() : warp->publish();
        for (int lane = 0; lane < (op.by == By::threads ? 32 : 1); ++lane) {
            state.arrive(event, phase_of(op.sync, position), clock);
        }
    }
    ++progress_;
}

void Machine::run(Fiber& fiber, const ir::Stmt& stmt, const ir::Expect& op) {
    const std::int64_t position = fiber.evaluate(op.position);
    const Event event = event_of(fiber, stmt, position);
    PhaseBarrier& state = barrier(fiber.actor->rank, op.sync, position);
    state.check_ready(event, {fiber.warps.front()});
    state.expect(event, phase_of(op.sync, position), op.bytes);
    state.arrive(event, phase_of(op.sync, position), fiber.warps.front()->publish());
    ++progress_;
}

void Machine::run(Fiber& fiber, const ir::Stmt&, const ir::ProxyFence&) {
    for (Warp* warp : fiber.warps) {
        warp->fence();
    }
}

void Machine::run(Fiber& fiber, const ir::Stmt&, const ir::DependencyWait&) {
    fiber.dependency_waited = true;
    if (fiber.actor->role == nullptr) {
        blocks_[static_cast<std::size_t>(fiber.actor->rank)].dependency_waited = true;
    }
}

void Machine::run(Fiber&, const ir::Stmt&, const ir::LaunchDependents&) {}

}  // namespace tilejit::interpret
