/// \file Element types, register tiles, and the block that runs them.
#pragma once

#include "layout.h"

namespace tj {

using f32 = float;
using i32 = int;
using i64 = long long;
using u32 = unsigned int;

struct bf16 {
    unsigned short bits;
};

/// A thread's share of a tile. `L::value` is its layout.
template <class T, class L>
struct Tile {
    using type = T;
    using layout = L;
    static constexpr int kSlots = L::value.slots();
    T v[kSlots];
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
    return tile.v[Matching<L, A>::slot(s)];
}
template <class L>
__device__ __forceinline__ f32 at(f32 value, int) {
    return value;
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
        int digit = static_cast<int>(threadIdx.x) / piece.stride;
        if constexpr (piece.stride * piece.extent < L::value.threads) {
            digit = digit % piece.extent;
        }
        return digit * piece.step + thread_coord<L, Axis, Piece + 1>();
    }
}

/// True for exactly one of the threads that hold copies of the same elements.
template <class L, int Piece = 0>
__device__ __forceinline__ bool owner(int rest = static_cast<int>(threadIdx.x)) {
    if constexpr (!L::value.replicated()) {
        return true;
    } else if constexpr (Piece == L::value.thread_count) {
        return rest == 0;
    } else {
        constexpr tj::Piece piece = L::value.thread[Piece];
        return owner<L, Piece + 1>(rest - piece.digit(static_cast<int>(threadIdx.x)) * piece.stride);
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

/// All threads of the block meet; shared memory written before is seen after.
__device__ __forceinline__ void barrier() { __syncthreads(); }

/// The block's dynamic shared memory from byte `offset` on.
template <class T>
__device__ __forceinline__ T* shared(int offset) {
    extern __shared__ __align__(16) unsigned char bytes[];
    return reinterpret_cast<T*>(bytes + offset);
}

__device__ __forceinline__ f32 to_f32(bf16 value) { return __uint_as_float(static_cast<u32>(value.bits) << 16); }

__device__ __forceinline__ bf16 to_bf16(f32 value) {
    bf16 result;
    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(result.bits) : "f"(value));
    return result;
}

}  // namespace tj
