/// \file Tiles to and from global memory.
#pragma once

#include "view.h"

namespace tj {

namespace detail {

/// One access instruction of 2, 4, 8 or 16 bytes, done where `yes`. Predicates instead of branches: the
/// compiler takes half the time over straight code. Volatile, so that accesses keep their order.
template <int Bytes>
struct Word;

template <>
struct Word<2> {
    unsigned short v = 0;
    __device__ __forceinline__ void load(const void* from, bool yes) {
        asm volatile("{ .reg .pred p; setp.ne.s32 p, %1, 0; @p ld.global.u16 %0, [%2]; }"
                     : "+h"(v)
                     : "r"(static_cast<int>(yes)), "l"(from));
    }
    __device__ __forceinline__ void store(void* to, bool yes) const {
        asm volatile("{ .reg .pred p; setp.ne.s32 p, %0, 0; @p st.global.u16 [%2], %1; }" ::"r"(static_cast<int>(yes)),
                     "h"(v), "l"(to));
    }
};

template <>
struct Word<4> {
    u32 v = 0;
    __device__ __forceinline__ void load(const void* from, bool yes) {
        asm volatile("{ .reg .pred p; setp.ne.s32 p, %1, 0; @p ld.global.u32 %0, [%2]; }"
                     : "+r"(v)
                     : "r"(static_cast<int>(yes)), "l"(from));
    }
    __device__ __forceinline__ void store(void* to, bool yes) const {
        asm volatile("{ .reg .pred p; setp.ne.s32 p, %0, 0; @p st.global.u32 [%2], %1; }" ::"r"(static_cast<int>(yes)),
                     "r"(v), "l"(to));
    }
};

template <>
struct Word<8> {
    u32 v[2] = {};
    __device__ __forceinline__ void load(const void* from, bool yes) {
        asm volatile("{ .reg .pred p; setp.ne.s32 p, %2, 0; @p ld.global.v2.u32 {%0, %1}, [%3]; }"
                     : "+r"(v[0]), "+r"(v[1])
                     : "r"(static_cast<int>(yes)), "l"(from));
    }
    __device__ __forceinline__ void store(void* to, bool yes) const {
        asm volatile(
            "{ .reg .pred p; setp.ne.s32 p, %0, 0; @p st.global.v2.u32 [%3], {%1, %2}; }" ::"r"(static_cast<int>(yes)),
            "r"(v[0]), "r"(v[1]), "l"(to));
    }
};

template <>
struct Word<16> {
    u32 v[4] = {};
    __device__ __forceinline__ void load(const void* from, bool yes) {
        asm volatile("{ .reg .pred p; setp.ne.s32 p, %4, 0; @p ld.global.v4.u32 {%0, %1, %2, %3}, [%5]; }"
                     : "+r"(v[0]), "+r"(v[1]), "+r"(v[2]), "+r"(v[3])
                     : "r"(static_cast<int>(yes)), "l"(from));
    }
    __device__ __forceinline__ void store(void* to, bool yes) const {
        asm volatile("{ .reg .pred p; setp.ne.s32 p, %0, 0; @p st.global.v4.u32 [%5], {%1, %2, %3, %4}; }" ::"r"(
                         static_cast<int>(yes)),
                     "r"(v[0]), "r"(v[1]), "r"(v[2]), "r"(v[3]), "l"(to));
    }
};

template <class T, class L, int Bytes>
__device__ __forceinline__ void put(Tile<T, L>& tile, int s, const Word<Bytes>& word) {
    if constexpr (Bytes == 2) {
        tile.set(s, {word.v});
    } else {
        memcpy(tile.at(s), &word, Bytes);
    }
}

template <int W, class T, class L>
__device__ __forceinline__ auto get(const Tile<T, L>& tile, int s) {
    Word<W * sizeof(T)> word;
    if constexpr (sizeof(word) == 2) {
        word.v = tile.get(s).bits;
    } else {
        memcpy(&word, tile.at(s), sizeof(word));
    }
    return word;
}

}  // namespace detail

/// Loads a tile, W elements an instruction; elements outside the tensor are zero.
template <class L, class V, int W, class T, int N>
__device__ __forceinline__ Tile<T, L> load(const T* base, i64 row, const At<N>& origin, const At<N>& extent) {
    using Slots = detail::SlotSteps<L, V>;
    const detail::Place<L, V, N> place(origin);
    const T* first = base + place.offset(row);
    Tile<T, L> tile;
#pragma unroll
    for (int s = 0; s < tile.kSlots; s += W) {
        detail::Word<W * sizeof(T)> word;
        word.load(first + Slots::steps.elements[s] + Slots::steps.rows[s] * row, place.inside(s, extent));
        detail::put(tile, s, word);
    }
    return tile;
}

/// Stores a tile, W elements an instruction; elements outside the tensor are left out.
template <class V, int W, class T, class L, int N>
__device__ __forceinline__ void store(T* base, i64 row, const At<N>& origin, const At<N>& extent,
                                      const Tile<T, L>& tile) {
    using Slots = detail::SlotSteps<L, V>;
    const detail::Place<L, V, N> place(origin);
    T* first = base + place.offset(row);
    const bool mine = owner<L>();
#pragma unroll
    for (int s = 0; s < tile.kSlots; s += W) {
        detail::get<W>(tile, s).store(first + Slots::steps.elements[s] + Slots::steps.rows[s] * row,
                                      mine && place.inside(s, extent));
    }
}

}  // namespace tj
