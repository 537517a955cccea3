/// \file The machine that runs a kernel's clusters: blocks, roles, barriers, copies, and who goes next.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "generator/interpret/barriers.h"
#include "generator/interpret/fiber.h"
#include "generator/interpret/interpret.h"
#include "generator/interpret/numbers.h"
#include "generator/interpret/queues.h"
#include "generator/interpret/shadow.h"

namespace tilejit::interpret {

/// One cluster of a kernel's grid.
struct ClusterPlace {
    std::int64_t number = 0;
    std::vector<std::vector<std::int64_t>> coordinates;  ///< of each block: of the kernel's grid variables
    TileRange range;
};

class Machine {
public:
    Machine(const Environment& environment, const ir::Kernel& kernel, const Options& options, bool exact);
    void run(const ClusterPlace& place);

private:
    enum class Stage { prologue, roles, epilogue, left };
    struct Block {
        Stage stage = Stage::prologue;
        int running = 0;                                  ///< fibers of the stage
        bool dependency_waited = false;                   ///< by all threads
        std::vector<Cell> cells;                          ///< by granule
        std::vector<std::vector<PhaseBarrier>> barriers;  ///< by sync and slot
        std::vector<Queue> queues;                        ///< by channel
        std::vector<Warp*> warps;
    };
    struct Task {
        Fiber fiber;
        Stage stage;
    };
    /// A copy on its way.
    struct Transfer {
        Fiber* fiber = nullptr;  ///< that started it
        Event event;
        Slot slot;
        std::uint32_t epoch = 0;           ///< of the copies of its stream
        TensorPart part;                   ///< of a copy from or to memory
        std::vector<ir::AxisId> axes;      ///< alike
        SlotPart to;                       ///< of a tile that is sent
        std::shared_ptr<const void> tile;  ///< alike
        PhaseBarrier* barrier = nullptr;   ///< on which it lands; null: a copy out
        std::int64_t phase = 0;
        std::int64_t bytes = 0;
        Clock clock;
    };
    /// The last time that a slot was filled after waiting until it is free.
    struct Refill {
        Fiber* fiber = nullptr;
        Event event;
        PhaseBarrier* free = nullptr;
        std::int64_t phase = 0;  ///< of `free`, which releases the slot
        Slot slot;
        const ir::Stmt* stored = nullptr;  ///< by a role's own stores; null: by the copy engine
        std::vector<Warp> warps;           ///< of the role, when it ended
    };

    // machine.cpp: setting up.
    void set_up(const ClusterPlace& place);
    void add_fiber(int rank, const ir::Role* role, int copy, const std::vector<ir::Stmt>& body, Stage stage,
                   const ClusterPlace& place);
    void enter_stage(Block& block, Stage stage);

    // machine_schedule.cpp: who goes next.
    Task* choose();
    void run(Task& task);
    bool step(Fiber& fiber, const ir::Stmt& stmt);
    void finish(Task& task);
    void check_end();
    [[noreturn]] void report_deadlock();
    std::string waiting_for(Fiber& fiber, const ir::Stmt& stmt);
    std::uint64_t random();

    // machine_memory.cpp: accesses of a role.
    void run(Fiber& fiber, const ir::Stmt& stmt, const ir::Load& op);
    void run(Fiber& fiber, const ir::Stmt& stmt, const ir::Store& op);
    void run(Fiber& fiber, const ir::Stmt& stmt, const ir::SharedLoad& op);
    void run(Fiber& fiber, const ir::Stmt& stmt, const ir::SharedStore& op);
    TensorPart tensor_part(const Fiber& fiber, ir::TensorId tensor, const std::vector<ir::Span>& at) const;
    Slot slot_of(const Fiber& fiber, ir::BufferId buffer, const ir::Index& position) const;
    SlotPart slot_part(const Fiber& fiber, const ir::Stmt& stmt, const Slot& slot, const std::vector<ir::AxisId>& axes,
                       const std::vector<ir::Span>& at);
    const Holders* holders(ir::ValueId id);
    void check_dependency(const Fiber& fiber, const ir::Stmt& stmt, ir::TensorId id) const;
    void watch_shared(const Fiber& fiber, std::uint32_t event, const SlotPart& part, ir::ValueId id, bool write);
    void watch_global(const Fiber& fiber, std::uint32_t event, const TensorPart& part, ir::ValueId id, bool write);
    void watch_cells(const Slot& slot, std::size_t element, Accessing by, bool write);
    void note_refill(Fiber& fiber, const ir::Stmt& stmt, const Slot& slot, bool stored);
    void check_refill(Refill& refill);

    // machine_sync.cpp: barriers.
    bool ready(Fiber& fiber, const ir::Stmt& stmt, const ir::Wait& op);
    bool ready(Fiber& fiber, const ir::Stmt& stmt, const ir::ClusterBarrier& op);
    void run(Fiber& fiber, const ir::Stmt& stmt, const ir::Barrier& op);
    void run(Fiber& fiber, const ir::Stmt& stmt, const ir::InitSyncs& op);
    void run(Fiber& fiber, const ir::Stmt& stmt, const ir::Arrive& op);
    void run(Fiber& fiber, const ir::Stmt& stmt, const ir::Expect& op);
    void run(Fiber& fiber, const ir::Stmt& stmt, const ir::ProxyFence& op);
    void run(Fiber& fiber, const ir::Stmt& stmt, const ir::DependencyWait& op);
    void run(Fiber& fiber, const ir::Stmt& stmt, const ir::LaunchDependents& op);
    PhaseBarrier& barrier(int block, ir::SyncId id, std::int64_t position);
    std::int64_t phase_of(ir::SyncId id, std::int64_t position) const;

    // machine_copies.cpp: copies that land later.
    void run(Fiber& fiber, const ir::Stmt& stmt, const ir::CopyIn& op);
    void run(Fiber& fiber, const ir::Stmt& stmt, const ir::CopyOut& op);
    void run(Fiber& fiber, const ir::Stmt& stmt, const ir::CopyDone& op);
    void run(Fiber& fiber, const ir::Stmt& stmt, const ir::SendTo& op);
    void send(Fiber& fiber, const ir::Stmt& stmt, const ir::SendTo& op, int block, const Clock& clock);
    std::vector<std::uint32_t> sending_lanes(ir::ValueId id, std::size_t warps);
    void watch_copy(const Transfer& copy, Entity stream, bool out);
    Entity stream(int block, ir::SyncId sync, int slot, std::size_t fiber);
    void land(std::size_t index);

    // machine_channels.cpp: channels as written.
    bool ready(Fiber& fiber, const ir::Stmt& stmt, const ir::Fill& op);
    bool ready(Fiber& fiber, const ir::Stmt& stmt, const ir::Acquire& op);
    void run(Fiber& fiber, const ir::Stmt& stmt, const ir::Release& op);
    void run(Fiber& fiber, const ir::Stmt& stmt, const ir::Drain& op);
    void run(Fiber& fiber, const ir::Stmt& stmt, const ir::Send& op);
    Slot queued_slot(int block, ir::ChannelId channel, std::int64_t position) const;
    Queue& queue(int block, ir::ChannelId channel);
    std::vector<Queue> make_queues() const;

    Event event_of(const Fiber& fiber, const ir::Stmt& stmt, std::int64_t position = -1,
                   const char* verb = "uses it") const;
    std::uint32_t note(const Event& event);
    const ir::Buffer& buffer_of(const Slot& slot) const {
        return kernel_.buffers[static_cast<std::size_t>(slot.buffer)];
    }

    const Environment& environment_;
    const ir::Program& program_;
    const ir::Kernel& kernel_;
    const Options& options_;
    SharedPlan shared_;
    std::unique_ptr<Numbers> numbers_;
    bool early_ = false;           ///< the kernel may begin before those ahead have ended
    std::vector<bool> exchanged_;  ///< buffers that other blocks send to
    bool half_lowered_ = false;    ///< some channels are barriers already, others still as written

    // Of the cluster.
    std::int64_t cluster_ = 0;
    std::deque<Actor> actors_;
    std::deque<Warp> warps_;
    std::deque<Task> tasks_;
    std::vector<Block> blocks_;
    std::vector<Transfer> transfers_;
    std::map<std::tuple<int, ir::SyncId, int, std::size_t>, Entity> streams_;
    std::vector<std::uint32_t> stream_epochs_;  ///< by entity, from the first that is no warp
    std::map<const Fiber*, std::tuple<PhaseBarrier*, std::int64_t, std::int64_t>>
        free_waits_;  ///< barrier, phase waited for, position
    std::map<std::tuple<int, ir::BufferId, int>, Refill> refills_;
    std::int64_t meetings_ = 0;  ///< of the cluster, that are over
    int arrived_ = 0;
    Clock gathering_;
    Clock gathered_;
    std::uint64_t progress_ = 0;  ///< counts what may let a blocked role go on
    std::size_t last_chosen_ = 0;

    // Of the kernel.
    std::vector<Event> events_;
    Shadow shadow_;
    std::unordered_map<const unsigned char*, Cell> global_cells_;
    std::unordered_map<ir::ValueId, Holders> holders_;
    std::unordered_map<const ir::Stmt*, std::vector<std::uint32_t>> elements_;
    std::uint64_t random_state_;
};

}  // namespace tilejit::interpret
