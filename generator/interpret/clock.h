/// \file Vector clocks: what an entity knows of the others.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace tilejit::interpret {

/// A warp of a block, or a stream of asynchronous copies.
using Entity = int;

/// Up to which epoch of each entity
///   everything is seen: barriers order it before;
///   everything has happened, though it need not be seen: something that was sent depends on it;
///   what was written to shared memory is seen by the copy engine, too.
class Clock {
public:
    std::uint32_t seen(Entity entity) const { return at(seen_, entity); }
    std::uint32_t happened(Entity entity) const { return at(happened_, entity); }
    std::uint32_t fenced(Entity entity) const { return at(fenced_, entity); }
    void see(Entity entity, std::uint32_t epoch) {
        raise(seen_, entity, epoch);
        raise(happened_, entity, epoch);
    }
    void fence(Entity entity, std::uint32_t epoch) { raise(fenced_, entity, epoch); }
    void join(const Clock& other) {
        join(seen_, other.seen_);
        join(happened_, other.happened_);
        join(fenced_, other.fenced_);
    }
    /// What `other` knows has happened, but is not seen by this.
    void follow(const Clock& other) { join(happened_, other.happened_); }

private:
    using Epochs = std::vector<std::uint32_t>;

    static std::uint32_t at(const Epochs& epochs, Entity entity) {
        const auto i = static_cast<std::size_t>(entity);
        return i < epochs.size() ? epochs[i] : 0;
    }
    static void raise(Epochs& epochs, Entity entity, std::uint32_t epoch) {
        const auto i = static_cast<std::size_t>(entity);
        if (i >= epochs.size()) {
            epochs.resize(i + 1, 0);
        }
        epochs[i] = std::max(epochs[i], epoch);
    }
    static void join(Epochs& to, const Epochs& from) {
        if (to.size() < from.size()) {
            to.resize(from.size(), 0);
        }
        for (std::size_t i = 0; i < from.size(); ++i) {
            to[i] = std::max(to[i], from[i]);
        }
    }

    Epochs seen_;
    Epochs happened_;
    Epochs fenced_;
};

/// A warp: its clock, and how far its lanes know of each other.
class Warp {
public:
    explicit Warp(Entity self = 0) : self_(self) {}

    Entity self() const { return self_; }
    std::uint32_t epoch() const { return epoch_; }
    std::uint32_t met() const { return met_; }
    const Clock& clock() const { return clock_; }

    /// The lanes meet: what each did before is known to all of them.
    void meet() { met_ = epoch_++; }
    void learn(const Clock& clock) { clock_.join(clock); }
    void learn(Entity entity, std::uint32_t epoch) { clock_.see(entity, epoch); }
    /// What the warp wrote is seen by copies started later.
    void fence() { clock_.fence(self_, epoch_++); }
    /// What others learn from the lanes that have met, or from each lane for itself.
    Clock publish() const { return with(met_); }
    Clock publish_each_lane() { return with(epoch_++); }

private:
    Clock with(std::uint32_t own) const {
        Clock clock = clock_;
        clock.see(self_, own);
        return clock;
    }

    Entity self_;
    std::uint32_t epoch_ = 1;
    std::uint32_t met_ = 0;
    Clock clock_;
};

}  // namespace tilejit::interpret
