/// \file What a role does with channels: as the author wrote it, and as it is run.
#pragma once

#include "generator/ir/types.h"

namespace tilejit::ir {

// Channels as the author wrote them.

/// Fills the ring's slot of this position with part of a tensor; spans are over the buffer's axes.
/// Elements outside the tensor are zero. Waits until the slot is free.
struct Fill {
    ChannelId channel = -1;
    Index position;
    TensorId tensor = -1;
    std::vector<Span> at;
};

/// Waits for the tile of this position.
struct Acquire {
    enum class Use {
        read,     ///< reads it
        update,   ///< the last reader; writes it in place when all that only read have released it
        updated,  ///< reads it after the update
    };
    ChannelId channel = -1;
    Index position;
    Use use = Use::read;
};

/// The role no longer reads or writes the tile of this position.
struct Release {
    ChannelId channel = -1;
    Index position;
    Acquire::Use use = Acquire::Use::read;
};

/// Stores the whole tile of this position to a tensor; elements outside are left out.
struct Drain {
    ChannelId channel = -1;
    Index position;
    TensorId tensor = -1;
    std::vector<Span> at;
};

/// Sends a tile to a part of the channel's tile: of a reduce_scatter to the owner's, of an all_gather to
/// every block's. One span an axis of the buffer; of a reduce_scatter the first is the sender's rank.
struct Send {
    ChannelId channel = -1;
    Index position;
    ValueId in = -1;
    std::vector<Span> at;
};

// Channels as they are run.

/// Prepares all barriers of the block; seen by the cluster after the next `ClusterBarrier`.
struct InitSyncs {};

/// All threads of all blocks of the cluster meet (of the block where there is no cluster).
struct ClusterBarrier {};

/// Each warp of the role arrives once, when all its threads are here; or only the first warp does; or every
/// thread does, for itself.
struct Arrive {
    enum class By { warps, first_warp, threads };
    SyncId sync = -1;
    Index position;
    By by = By::warps;
};

/// The role's first thread arrives and announces bytes that will land.
struct Expect {
    SyncId sync = -1;
    Index position;
    int bytes = 0;
};

/// Waits for the end of this position's phase; or, with `before`, of the phase before it, which of the
/// first is long over.
struct Wait {
    SyncId sync = -1;
    Index position;
    bool before = false;
};

/// The copy engine fills a slot with part of a tensor and lands the bytes of its elements on the barrier.
struct CopyIn {
    BufferId buffer = -1;
    Index position;
    TensorId tensor = -1;
    std::vector<Span> at;
    SyncId sync = -1;
};

/// The copy engine stores a slot to part of a tensor; the first thread of the role starts it.
struct CopyOut {
    BufferId buffer = -1;
    Index position;
    TensorId tensor = -1;
    std::vector<Span> at;
};

/// The thread that started copies out waits until all but the newest `pending` have read their slots.
struct CopyDone {
    int pending = 0;
};

/// Stores a tile into the same buffer of other blocks of the cluster and lands its bytes on their
/// barrier: of the owner of this position, or of all.
struct SendTo {
    ValueId in = -1;
    BufferId buffer = -1;
    Index position;
    std::vector<Span> at;
    SyncId sync = -1;
    bool all = false;
    Access access;
};

/// What the thread wrote to shared memory is seen by copies that are started later.
struct ProxyFence {};

/// Waits for the kernels before this one in the stream. Only weights may be read earlier.
struct DependencyWait {};

/// Kernels after this one in the stream may begin.
struct LaunchDependents {};

}  // namespace tilejit::ir
