/// \file Copies between global and shared memory by the copy engine.
#pragma once

#include "sync.h"

namespace tj {

/// What the driver encodes for one box of one tensor. A kernel parameter, `const __grid_constant__`.
struct alignas(128) TensorMap {
    u64 opaque[16];
};

namespace detail {

/// The engine counts in 32 bits.
template <int N>
struct Corner {
    i32 at[N];
    __device__ __forceinline__ explicit Corner(const At<N>& from) {
#pragma unroll
        for (int d = 0; d < N; ++d) {
            at[d] = static_cast<i32>(from.at[d]);
        }
    }
};

}  // namespace detail

// A block's own memory. Of the names that it has, old compilers know only that of the cluster, and the
// consumer architectures would call a function for it.
#if __CUDA_ARCH__ >= 1200
#define TJ_TO "shared::cta"
#else
#define TJ_TO "shared::cluster"
#endif

/// The first thread of the role starts a copy of a box to the slot of a position; its bytes land on the
/// barrier. `corner` is where the box begins, per dimension of the map, the innermost first. Elements outside the
/// tensor are zero.
template <class B, class S, class R, int N>
__device__ __forceinline__ void copy_in(const TensorMap& map, u32 position, const At<N>& corner) {
    if (!first_thread<R>()) {
        return;
    }
    const u32 to = shared_address() + detail::slot_offset<B>(position);
    const u32 sync = detail::sync_address<S>(position);
    const detail::Corner<N> first(corner);
    const i32(&c)[N] = first.at;
    if constexpr (N == 1) {
        asm volatile("cp.async.bulk.tensor.1d." TJ_TO
                     ".global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2}], "
                     "[%3];" ::"r"(to),
                     "l"(&map), "r"(c[0]), "r"(sync)
                     : "memory");
    } else if constexpr (N == 2) {
        asm volatile("cp.async.bulk.tensor.2d." TJ_TO
                     ".global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], "
                     "[%4];" ::"r"(to),
                     "l"(&map), "r"(c[0]), "r"(c[1]), "r"(sync)
                     : "memory");
    } else if constexpr (N == 3) {
        asm volatile("cp.async.bulk.tensor.3d." TJ_TO
                     ".global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, "
                     "%4}], [%5];" ::"r"(to),
                     "l"(&map), "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(sync)
                     : "memory");
    } else if constexpr (N == 4) {
        asm volatile("cp.async.bulk.tensor.4d." TJ_TO
                     ".global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, "
                     "%4, %5}], [%6];" ::"r"(to),
                     "l"(&map), "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]), "r"(sync)
                     : "memory");
    } else {
        asm volatile("cp.async.bulk.tensor.5d." TJ_TO
                     ".global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, "
                     "%4, %5, %6}], [%7];" ::"r"(to),
                     "l"(&map), "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]), "r"(c[4]), "r"(sync)
                     : "memory");
    }
}

#undef TJ_TO

/// The first thread of the role starts a copy of the slot of a position to a box; elements outside the
/// tensor are left out.
template <class B, class R, int N>
__device__ __forceinline__ void copy_out(const TensorMap& map, u32 position, const At<N>& corner) {
    if (!first_thread<R>()) {
        return;
    }
    const u32 from = shared_address() + detail::slot_offset<B>(position);
    const detail::Corner<N> first(corner);
    const i32(&c)[N] = first.at;
    if constexpr (N == 1) {
        asm volatile("cp.async.bulk.tensor.1d.global.shared::cta.tile.bulk_group [%0, {%1}], [%2];" ::"l"(&map),
                     "r"(c[0]), "r"(from)
                     : "memory");
    } else if constexpr (N == 2) {
        asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(&map),
                     "r"(c[0]), "r"(c[1]), "r"(from)
                     : "memory");
    } else if constexpr (N == 3) {
        asm volatile("cp.async.bulk.tensor.3d.global.shared::cta.tile.bulk_group [%0, {%1, %2, %3}], [%4];" ::"l"(&map),
                     "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(from)
                     : "memory");
    } else if constexpr (N == 4) {
        asm volatile(
            "cp.async.bulk.tensor.4d.global.shared::cta.tile.bulk_group [%0, {%1, %2, %3, %4}], [%5];" ::"l"(&map),
            "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]), "r"(from)
            : "memory");
    } else {
        asm volatile(
            "cp.async.bulk.tensor.5d.global.shared::cta.tile.bulk_group [%0, {%1, %2, %3, %4, %5}], [%6];" ::"l"(&map),
            "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]), "r"(c[4]), "r"(from)
            : "memory");
    }
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

/// The thread that started copies out waits until all but the newest `Pending` have read their slots.
template <class R, int Pending>
__device__ __forceinline__ void copy_done() {
    if (first_thread<R>()) {
        asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(Pending) : "memory");
    }
}

}  // namespace tj
