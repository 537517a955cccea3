/// \file Tiles to and from shared memory.
#pragma once

#include "view.h"

namespace tj {

/// Tiles in shared memory, in slots. Position p is in slot `p / every % slots`. A buffer's type is
/// `Buffer::type`; the strides of its dimensions are those of the view.
struct Buffer {
    int offset;  ///< bytes
    int slots;
    int every;
    int slot_bytes;
    int block;         ///< when positive, the last dimension is cut into blocks of so many elements
    int block_stride;  ///< between two blocks, elements
    bool swizzled;     ///< bits 4-6 of the byte address are xored with bits 7-9, as the copy engine does
};

namespace detail {

/// What the swizzle repeats after.
inline constexpr int kSwizzleBytes = 1024;

template <bool Swizzled>
__device__ __forceinline__ u32 swizzle(u32 offset) {
    return Swizzled ? offset ^ (offset >> 3 & 0x70U) : offset;
}

/// Slot of a position, and how often the slot was used before.
template <class B>
__device__ __forceinline__ u32 slot_of(u32 position) {
    return position / static_cast<u32>(B::value.every) % static_cast<u32>(B::value.slots);
}
template <class B>
__device__ __forceinline__ u32 phase_of(u32 position) {
    return position / static_cast<u32>(B::value.every) / static_cast<u32>(B::value.slots);
}

/// Bytes from the start of shared memory to the slot of a position.
template <class B>
__device__ __forceinline__ u32 slot_offset(u32 position) {
    if constexpr (B::value.slots == 1) {
        return B::value.offset;
    } else {
        return B::value.offset + slot_of<B>(position) * static_cast<u32>(B::value.slot_bytes);
    }
}

/// The thread's part of a slot. What moves an address by whole repeats of the swizzle is kept apart from
/// the rest, so that addresses of different slots differ by constants.
template <class B, class L, class V>
struct SharedPlace {
    static constexpr int kDims = V::value.dim_count;
    static constexpr int kLast = kDims - 1;
    static constexpr u32 kSize = sizeof(typename B::type);
    static_assert(!B::value.swizzled ||
                  (B::value.offset % kSwizzleBytes == 0 && B::value.slot_bytes % kSwizzleBytes == 0));

    Place<L, V, kDims> place;
    u32 whole = 0;  ///< bytes, a multiple of `kSwizzleBytes`
    u32 rest = 0;   ///< bytes; the blocked dimension is not in it

    __device__ __forceinline__ explicit SharedPlace(const At<kDims>& origin) : place(origin) { add<0>(); }

    /// Bytes from the beginning of the slot to the element in the thread's slot `s`.
    __device__ __forceinline__ u32 offset(int s) const {
        constexpr bool blocked = B::value.block > 0;
        constexpr u32 block_bytes = static_cast<u32>(B::value.block_stride) * kSize;
        u32 fixed = kSize * static_cast<u32>(SlotSteps<L, V>::steps.elements[s]);
        u32 high = whole;
        u32 low = rest;
        if constexpr (blocked) {
            const auto step = static_cast<u32>(SlotSteps<L, V>::steps.index[kLast][s]);
            const u32 last = static_cast<u32>(place.index.at[kLast]) + step;
            const u32 blocks = last / static_cast<u32>(B::value.block) * block_bytes;
            (block_bytes % kSwizzleBytes == 0 ? high : low) += blocks;
            low += last % static_cast<u32>(B::value.block) * kSize;
            fixed -= step * kSize;
        }
        low += fixed % kSwizzleBytes;
        high += fixed - fixed % kSwizzleBytes;
        return high + swizzle<B::value.swizzled>(low);
    }

    __device__ __forceinline__ bool inside(int s) const { return place.inside(s, {}); }

private:
    template <int D>
    __device__ __forceinline__ void add() {
        if constexpr (D < kDims && !(D == kLast && B::value.block > 0)) {
            constexpr u32 stride = static_cast<u32>(V::value.dim[D].stride) * kSize;
            (stride % kSwizzleBytes == 0 ? whole : rest) += static_cast<u32>(place.index.at[D]) * stride;
            add<D + 1>();
        }
    }
};

/// What one instruction moves.
template <int Bytes>
struct Vector;
template <>
struct Vector<2> {
    using type = unsigned short;
};
template <>
struct Vector<4> {
    using type = u32;
};
template <>
struct Vector<8> {
    using type = uint2;
};
template <>
struct Vector<16> {
    using type = uint4;
};

}  // namespace detail

/// Reads part of a slot, W elements an instruction; padding is zero.
template <class L, class B, class V, int W>
__device__ __forceinline__ auto read(u32 position = 0, const At<V::value.dim_count>& origin = {}) {
    using T = typename B::type;
    using Vector = typename detail::Vector<W * sizeof(T)>::type;
    const detail::SharedPlace<B, L, V> place(origin);
    const unsigned char* slot = shared_bytes() + detail::slot_offset<B>(position);
    Tile<T, L> tile;
#pragma unroll
    for (int s = 0; s < tile.kSlots; s += W) {
        const bool inside = place.inside(s);
        Vector vector = *reinterpret_cast<const Vector*>(slot + (inside ? place.offset(s) : 0));
        if (!inside) {
            vector = Vector{};
        }
        if constexpr (sizeof(vector) == 2) {
            T element;
            memcpy(&element, &vector, sizeof(vector));
            tile.set(s, element);
        } else {
            memcpy(tile.at(s), &vector, sizeof(vector));
        }
    }
    return tile;
}

/// Writes part of a slot, W elements an instruction.
template <class B, class V, int W, class L>
__device__ __forceinline__ void write(const Tile<typename B::type, L>& tile, u32 position = 0,
                                      const At<V::value.dim_count>& origin = {}) {
    using T = typename B::type;
    using Vector = typename detail::Vector<W * sizeof(T)>::type;
    if (!owner<L>()) {
        return;
    }
    const detail::SharedPlace<B, L, V> place(origin);
    unsigned char* slot = shared_bytes() + detail::slot_offset<B>(position);
#pragma unroll
    for (int s = 0; s < tile.kSlots; s += W) {
        if (!place.inside(s)) {
            continue;
        }
        Vector vector;
        if constexpr (sizeof(vector) == 2) {
            const T element = tile.get(s);
            memcpy(&vector, &element, sizeof(vector));
        } else {
            memcpy(&vector, tile.at(s), sizeof(vector));
        }
        *reinterpret_cast<Vector*>(slot + place.offset(s)) = vector;
    }
}

}  // namespace tj
