/// \file Element types, register tiles, and the threads that hold them.
#pragma once

#include "layout.h"

namespace tj {

using f32 = float;
using i32 = int;
using i64 = long long;
using u32 = unsigned int;
using u64 = unsigned long long;

/// 900 for sm_90. Devices differ in what they can do: one text serves all, by `if constexpr`.
inline constexpr int kArchitecture = __CUDA_ARCH__;

struct bf16 {
    unsigned short bits;
};

__device__ __forceinline__ f32 to_f32(bf16 value) { return __uint_as_float(static_cast<u32>(value.bits) << 16); }

/// Two numbers rounded to bf16 in one word, the first in the low half.
__device__ __forceinline__ u32 pack(f32 low, f32 high) {
    u32 result;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(result) : "f"(high), "f"(low));
    return result;
}
__device__ __forceinline__ f32 low_of(u32 packed) { return __uint_as_float(packed << 16); }
__device__ __forceinline__ f32 high_of(u32 packed) { return __uint_as_float(packed & 0xffff0000U); }

/// A thread's share of a tile. `L::value` is its layout. `at` is where a vector of slots begins.
template <class T, class L>
struct Tile {
    using type = T;
    using layout = L;
    static constexpr int kSlots = L::value.slots();
    T v[kSlots];

    __device__ __forceinline__ T get(int s) const { return v[s]; }
    __device__ __forceinline__ void set(int s, T value) { v[s] = value; }
    __device__ __forceinline__ T* at(int s) { return &v[s]; }
    __device__ __forceinline__ const T* at(int s) const { return &v[s]; }
};

/// Two slots a word, the first in the low half: what copies, conversions and matrix products work on.
template <class L>
struct Tile<bf16, L> {
    using type = bf16;
    using layout = L;
    static constexpr int kSlots = L::value.slots();
    static constexpr int kWords = (kSlots + 1) / 2;
    u32 w[kWords];

    __device__ __forceinline__ bf16 get(int s) const {
        return {static_cast<unsigned short>(s % 2 == 0 ? w[s / 2] : w[s / 2] >> 16)};
    }
    /// In ascending order: an even slot clears the one after it.
    __device__ __forceinline__ void set(int s, bf16 value) {
        const u32 bits = value.bits;
        w[s / 2] = s % 2 == 0 ? bits : w[s / 2] | bits << 16;
    }
    __device__ __forceinline__ u32* at(int s) { return &w[s / 2]; }
    __device__ __forceinline__ const u32* at(int s) const { return &w[s / 2]; }
};

/// Numbers known at compile time, one a slot or so. Tables are static members: the compiler folds
/// their elements into unrolled loops, where local arrays would first be built on the stack.
template <int N>
struct Table {
    int at[N];
};

/// For each slot of `Outer`, the slot of `Inner` with the same coordinates.
template <class Outer, class Inner>
struct Matching {
    static constexpr Table<Outer::value.slots()> make() {
        Table<Outer::value.slots()> table{};
        for (int s = 0; s < Outer::value.slots(); ++s) {
            table.at[s] = matching_slot(Outer::value, Inner::value, s);
        }
        return table;
    }
    static constexpr Table<Outer::value.slots()> table = make();
    __device__ __forceinline__ static int slot(int s) { return table.at[s]; }
};
template <class Same>
struct Matching<Same, Same> {
    __device__ __forceinline__ static int slot(int s) { return s; }
};

/// The element that an operation in layout L needs in its slot `s`; a number is every element.
template <class L, class T, class A>
__device__ __forceinline__ T at(const Tile<T, A>& tile, int s) {
    return tile.get(Matching<L, A>::slot(s));
}
template <class L>
__device__ __forceinline__ f32 at(f32 value, int) {
    return value;
}

/// The thread's number in its role, as layouts count. Unsigned: the compiler need not think of negative
/// numbers where digits are taken.
template <class L>
__device__ __forceinline__ u32 thread_number() {
    const u32 number = threadIdx.x - static_cast<u32>(L::value.first);
    if constexpr (L::value.copies > 1) {
        return number % static_cast<u32>(L::value.threads);
    } else {
        return number;
    }
}

/// The thread's coordinate on an axis.
template <class L, int Axis, int Piece = 0>
__device__ __forceinline__ int thread_coord() {
    if constexpr (Piece == L::value.thread_count) {
        return 0;
    } else if constexpr (L::value.thread[Piece].axis != Axis) {
        return thread_coord<L, Axis, Piece + 1>();
    } else {
        constexpr tj::Piece piece = L::value.thread[Piece];
        u32 digit = thread_number<L>() / static_cast<u32>(piece.stride);
        // A mask says how large a digit can be, which lets the compiler take addresses apart.
        if constexpr (piece.stride * piece.extent < L::value.threads || (piece.extent & (piece.extent - 1)) == 0) {
            digit = digit % static_cast<u32>(piece.extent);
        }
        return static_cast<int>(digit) * piece.step + thread_coord<L, Axis, Piece + 1>();
    }
}

namespace detail {

template <class L, int Piece = 0>
__device__ __forceinline__ bool owner_of_rest(u32 rest) {
    if constexpr (Piece == L::value.thread_count) {
        return rest == 0;
    } else {
        constexpr tj::Piece piece = L::value.thread[Piece];
        const u32 digit = thread_number<L>() / static_cast<u32>(piece.stride) % static_cast<u32>(piece.extent);
        return owner_of_rest<L, Piece + 1>(rest - digit * static_cast<u32>(piece.stride));
    }
}

}  // namespace detail

/// True for exactly one of the threads that hold copies of the same elements.
template <class L>
__device__ __forceinline__ bool owner() {
    if constexpr (L::value.replicated()) {
        return detail::owner_of_rest<L>(thread_number<L>());
    } else {
        return true;
    }
}

/// Block coordinate on grid axis A.
template <int A>
__device__ __forceinline__ i64 block() {
    if constexpr (A == 0) {
        return blockIdx.x;
    } else if constexpr (A == 1) {
        return blockIdx.y;
    } else {
        return blockIdx.z;
    }
}

/// The block's dynamic shared memory. As aligned as the copy engine's swizzle repeats.
__device__ __forceinline__ unsigned char* shared_bytes() {
    extern __shared__ __align__(1024) unsigned char bytes[];
    return bytes;
}

/// Its address, for instructions.
__device__ __forceinline__ u32 shared_address() { return static_cast<u32>(__cvta_generic_to_shared(shared_bytes())); }

}  // namespace tj
