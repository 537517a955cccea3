/// \file The numbers of a cluster: tiles in registers, shared memory, and how they move. Synchronisation is
/// not known here; the machine decides when what happens.
#pragma once

#include <memory>
#include <vector>

#include "generator/interpret/memory.h"
#include "generator/interpret/placement.h"

namespace tilejit::interpret {

/// One of a shared tile's slots.
struct Slot {
    int block = 0;
    ir::BufferId buffer = -1;
    int slot = 0;
    std::int64_t position = 0;  ///< which use of the slot
};

/// Part of a slot: where a tile's elements are in it.
struct SlotPart {
    Slot slot;
    const std::vector<std::uint32_t>* elements = nullptr;  ///< relative to `first`
    std::int64_t first = 0;
};

class Numbers {
public:
    virtual ~Numbers() = default;

    /// For a new cluster: shared memory holds nothing.
    virtual void start(std::size_t blocks, std::size_t fibers) = 0;

    virtual void run(std::size_t fiber, const ir::Constant& op) = 0;
    virtual void run(std::size_t fiber, const ir::Parameter& op) = 0;
    virtual void run(std::size_t fiber, const ir::Map& op) = 0;
    virtual void run(std::size_t fiber, const ir::Reduce& op) = 0;
    virtual void run(std::size_t fiber, const ir::Contract& op) = 0;
    virtual void run(std::size_t fiber, const ir::Split& op) = 0;
    virtual void run(std::size_t fiber, const ir::Mma& op) = 0;
    virtual void run(std::size_t fiber, const ir::Select& op, std::int64_t at) = 0;
    virtual void copy(std::size_t fiber, ir::ValueId from, ir::ValueId to) = 0;

    virtual void load(std::size_t fiber, ir::ValueId out, const TensorPart& part) = 0;
    virtual void store(std::size_t fiber, ir::ValueId in, const TensorPart& part) = 0;
    virtual void read(std::size_t fiber, ir::ValueId out, const SlotPart& part) = 0;
    virtual void write(std::size_t fiber, ir::ValueId in, const SlotPart& part) = 0;
    /// Whole slots from and to tensors; elements outside the tensor are zero, and not stored.
    virtual void fill(const Slot& slot, const std::vector<ir::AxisId>& axes, const TensorPart& part) = 0;
    virtual void drain(const Slot& slot, const std::vector<ir::AxisId>& axes, const TensorPart& part) = 0;

    /// What will be written later: until then the place holds poison.
    virtual void poison(const Slot& slot) = 0;
    virtual void poison(const SlotPart& part) = 0;
    /// A copy of a tile on its way to a slot.
    virtual std::shared_ptr<const void> keep(std::size_t fiber, ir::ValueId in) = 0;
    virtual void deliver(const std::shared_ptr<const void>& kept, const SlotPart& part) = 0;
    /// Gives back the place of a tile of a channel as written.
    virtual void forget(const Slot& slot) = 0;
};

/// What the numbers of a kernel's run are made of. `queued` tells the buffers of channels as written: each
/// position has a place of its own.
struct NumbersPlan {
    const Environment& environment;
    const SharedPlan& shared;
    std::vector<bool> queued;
    bool exact = false;
};
std::unique_ptr<Numbers> make_numbers(const NumbersPlan& plan);

}  // namespace tilejit::interpret
