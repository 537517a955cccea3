/// \file Stores to the shared memory of other blocks of a cluster.
#pragma once

#include "sync.h"

namespace tj {

namespace detail {

/// What an address of this block is in the block of a rank.
__device__ __forceinline__ u32 in_block(u32 address, u32 rank) {
    u32 result;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(result) : "r"(address), "r"(rank));
    return result;
}

/// Stores W words and lands their bytes on a barrier of the same block.
template <int W>
__device__ __forceinline__ void send_words(u32 to, const u32 (&v)[W], u32 sync) {
    if constexpr (W == 1) {
        asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];" ::"r"(to), "r"(v[0]),
                     "r"(sync)
                     : "memory");
    } else if constexpr (W == 2) {
        asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.b32 [%0], {%1, %2}, [%3];" ::"r"(to),
                     "r"(v[0]), "r"(v[1]), "r"(sync)
                     : "memory");
    } else {
        asm volatile(
            "st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%0], {%1, %2, %3, %4}, [%5];" ::"r"(to),
            "r"(v[0]), "r"(v[1]), "r"(v[2]), "r"(v[3]), "r"(sync)
            : "memory");
    }
}

template <class B, class V, class S, int W, class L>
__device__ __forceinline__ void send_to(u32 rank, const Tile<f32, L>& tile, u32 position,
                                        const At<V::value.dim_count>& origin) {
    const SharedPlace<B, L, V> place(origin);
    const u32 base = in_block(shared_address(), rank);
    const u32 slot = base + slot_offset<B>(position);
    const u32 sync = base + S::value.offset + 8 * slot_of<S>(position);
#pragma unroll
    for (int s = 0; s < tile.kSlots; s += W) {
        if (place.inside(s)) {
            u32 words[W];
            memcpy(words, tile.at(s), sizeof(words));
            send_words<W>(slot + place.offset(s), words, sync);
        }
    }
}

}  // namespace detail

/// Stores a tile to part of a slot of the block that owns the position, W elements an instruction; the
/// bytes land on that block's barrier.
template <class B, class V, class S, int W, int Cluster, class L>
__device__ __forceinline__ void send_to_owner(const Tile<f32, L>& tile, u32 position,
                                              const At<V::value.dim_count>& origin) {
    if (owner<L>()) {
        detail::send_to<B, V, S, W>(position % Cluster, tile, position, origin);
    }
}

/// The same to every block of the cluster.
template <class B, class V, class S, int W, int Cluster, class L>
__device__ __forceinline__ void send_to_all(const Tile<f32, L>& tile, u32 position,
                                            const At<V::value.dim_count>& origin) {
    if (owner<L>()) {
#pragma unroll
        for (u32 rank = 0; rank < Cluster; ++rank) {
            detail::send_to<B, V, S, W>(rank, tile, position, origin);
        }
    }
}

}  // namespace tj
