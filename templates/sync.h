/// \file Roles, and how they wait for each other: barriers of a role, of a cluster, and in shared memory.
#pragma once

#include "shared.h"

namespace tj {

/// A group of warps of a block, or several such groups (`copies`) that take turns.
struct Role {
    int first;  ///< thread
    int threads;
    int copies;
    int barrier;  ///< number of the first copy's named barrier; 0: the role is the block
};

/// Barriers in shared memory (8 bytes each), one a slot; positions as of `Buffer`.
struct Sync {
    int offset;  ///< bytes
    int slots;
    int every;
    int arrivals;
    bool remote;  ///< blocks of the cluster send to it
};

/// True in `Count` warps of the block from number `First` on.
template <int First, int Count>
__device__ __forceinline__ bool warps() {
    return threadIdx.x - 32U * First < 32U * Count;
}

/// Which copy of its role the thread is in.
template <class R>
__device__ __forceinline__ int copy() {
    return static_cast<int>((threadIdx.x - R::value.first) / static_cast<u32>(R::value.threads));
}

/// True in one thread of each copy of the role.
template <class R>
__device__ __forceinline__ bool first_thread() {
    return (threadIdx.x - R::value.first) % static_cast<u32>(R::value.threads) == 0;
}

/// All threads of the role's copy meet; shared memory written before is seen after.
template <class R>
__device__ __forceinline__ void barrier() {
    if constexpr (R::value.threads == 32) {
        __syncwarp();
    } else if constexpr (R::value.barrier == 0) {
        __syncthreads();
    } else {
        const int number = R::value.barrier + (R::value.copies > 1 ? copy<R>() : 0);
        asm volatile("bar.sync %0, %1;" ::"r"(number), "n"(R::value.threads) : "memory");
    }
}

/// All threads of the cluster's blocks meet. Blocks see of each other what `init_syncs` did; all else that
/// they exchange is ordered by barriers in shared memory.
template <int Cluster>
__device__ __forceinline__ void cluster_barrier() {
    if constexpr (Cluster == 1) {
        __syncthreads();
    } else {
        asm volatile("barrier.cluster.arrive.relaxed.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
    }
}

/// The block's number in its cluster.
__device__ __forceinline__ int rank() {
    u32 result;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(result));
    return static_cast<int>(result);
}

/// The tile that this block's cluster takes in its turn, and how many turns it has.
template <int Cluster>
__device__ __forceinline__ i64 tile(int turn) {
    return blockIdx.x / Cluster + static_cast<i64>(turn) * (gridDim.x / Cluster);
}
/// At most 2^31 tiles: 64-bit division is a call, and calls cost register budgets. At least one turn, for no
/// more clusters are launched than there are tiles: work before the loop is not put off behind the question
/// whether there is any.
template <int Cluster>
__device__ __forceinline__ int turns(i64 tiles) {
    const u32 clusters = gridDim.x / Cluster;
    const u32 result = (static_cast<u32>(tiles) + (clusters - 1 - blockIdx.x / Cluster)) / clusters;
    __builtin_assume(result > 0 && result <= 0x7fffffffU);
    return static_cast<int>(result);
}

namespace detail {

template <class S>
__device__ __forceinline__ u32 sync_address(u32 position) {
    return shared_address() + S::value.offset + 8 * slot_of<S>(position);
}

template <class S>
__device__ __forceinline__ void init() {
    for (u32 slot = 0; slot < S::value.slots; ++slot) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address() + S::value.offset + 8 * slot),
                     "n"(S::value.arrivals)
                     : "memory");
    }
}

}  // namespace detail

/// One thread prepares the barriers; others may use them after the next `cluster_barrier`.
template <class... Syncs>
__device__ __forceinline__ void init_syncs() {
    if (threadIdx.x == 0) {
        (detail::init<Syncs>(), ...);
        if constexpr (kArchitecture >= 900) {
            asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        }
    }
}

/// Each warp of the role arrives when all its threads are here.
template <class S>
__device__ __forceinline__ void arrive(u32 position) {
    __syncwarp();
    if (threadIdx.x % 32 == 0) {
        asm volatile(
            "{ .reg .b64 state; mbarrier.arrive.shared.b64 state, [%0]; }" ::"r"(detail::sync_address<S>(position))
            : "memory");
    }
}

/// Each thread arrives for itself.
template <class S>
__device__ __forceinline__ void arrive_each(u32 position) {
    asm volatile("{ .reg .b64 state; mbarrier.arrive.shared.b64 state, [%0]; }" ::"r"(detail::sync_address<S>(position))
                 : "memory");
}

/// The first thread of the role arrives for all.
template <class S, class R>
__device__ __forceinline__ void arrive_once(u32 position) {
    __syncwarp();
    if (first_thread<R>()) {
        asm volatile(
            "{ .reg .b64 state; mbarrier.arrive.shared.b64 state, [%0]; }" ::"r"(detail::sync_address<S>(position))
            : "memory");
    }
}

/// The first thread of the role arrives and announces bytes that will land.
template <class S, class R, int Bytes>
__device__ __forceinline__ void expect(u32 position) {
    if (first_thread<R>()) {
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(detail::sync_address<S>(position)),
                     "n"(Bytes)
                     : "memory");
    }
}

namespace detail {

/// Waits for the end of a phase; what was done before its arrivals is seen after, in the scope of the
/// cluster only where that is asked for: it costs the first-level cache.
template <bool Remote>
__device__ __forceinline__ void wait_parity(u32 address, u32 parity) {
    if constexpr (kArchitecture < 900) {
        asm volatile(
            "{\n"
            ".reg .pred done;\n"
            "again:\n"
            "mbarrier.test_wait.parity.shared.b64 done, [%0], %1;\n"
            "@!done bra again;\n"
            "}" ::"r"(address),
            "r"(parity)
            : "memory");
    } else if constexpr (Remote) {
        asm volatile(
            "{\n"
            ".reg .pred done;\n"
            "again:\n"
            "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 done, [%0], %1;\n"
            "@!done bra again;\n"
            "}" ::"r"(address),
            "r"(parity)
            : "memory");
    } else {
        asm volatile(
            "{\n"
            ".reg .pred done;\n"
            "again:\n"
            "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
            "@!done bra again;\n"
            "}" ::"r"(address),
            "r"(parity)
            : "memory");
    }
}

}  // namespace detail

/// Waits until all that belongs to a position has arrived.
template <class S>
__device__ __forceinline__ void wait(u32 position) {
    detail::wait_parity<S::value.remote>(detail::sync_address<S>(position), detail::phase_of<S>(position) & 1U);
}

/// Waits until the use of the slot before this position's is over; before the first, nothing is.
template <class S>
__device__ __forceinline__ void wait_before(u32 position) {
    detail::wait_parity<S::value.remote>(detail::sync_address<S>(position), (detail::phase_of<S>(position) & 1U) ^ 1U);
}

/// What the thread wrote to shared memory is seen by copies that are started later.
__device__ __forceinline__ void proxy_fence() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

/// Registers of each thread of four warps, of a pool of `Share` a thread. All four warps must be here.
template <int Count, int Share>
__device__ __forceinline__ void set_registers() {
    if constexpr (kArchitecture >= 900 && Count > Share) {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(Count));
    } else if constexpr (kArchitecture >= 900 && Count < Share) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(Count));
    }
}

/// Waits for the kernels before this one in the stream, where it may have begun before they ended.
__device__ __forceinline__ void wait_for_dependencies() {
    if constexpr (kArchitecture >= 900) {
        asm volatile("griddepcontrol.wait;" ::: "memory");
    }
}

/// The kernel after this one in the stream may begin, if it waits by itself for what it needs.
__device__ __forceinline__ void launch_dependents() {
    if constexpr (kArchitecture >= 900) {
        asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
    }
}

}  // namespace tj
