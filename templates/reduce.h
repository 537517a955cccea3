/// \file Reductions and contractions over axes of a tile.
#pragma once

#include "types.h"

namespace tj {

namespace fn {

struct sum {
    __device__ __forceinline__ static f32 identity() { return 0.0F; }
    __device__ __forceinline__ f32 operator()(f32 a, f32 b) const { return __fadd_rn(a, b); }
};
struct largest {
    __device__ __forceinline__ static f32 identity() { return __uint_as_float(0xff800000U); }
    __device__ __forceinline__ f32 operator()(f32 a, f32 b) const { return fmaxf(a, b); }
};

}  // namespace fn

/// The axes of a reduction and their extents; coordinates beyond are padding.
struct Over {
    static constexpr int kMaxAxes = 4;
    int axis_count;
    int axis[kMaxAxes];
    int extent[kMaxAxes];
};

namespace detail {

/// False for a slot that is padding of a reduced axis.
template <class L, class R, int A = 0>
__device__ __forceinline__ bool counts(int s) {
    if constexpr (A == R::value.axis_count) {
        return true;
    } else if constexpr (L::value.covered(R::value.axis[A]) <= R::value.extent[A]) {
        return counts<L, R, A + 1>(s);
    } else {
        const int coord = thread_coord<L, R::value.axis[A]>() + L::value.slot_coord(R::value.axis[A], s);
        return coord < R::value.extent[A] && counts<L, R, A + 1>(s);
    }
}

/// The lanes that hold different coordinates of the reduced axes, as a mask of lane bits.
template <class L, class R>
constexpr int lane_mask() {
    int mask = 0;
    for (int i = 0; i < L::value.thread_count; ++i) {
        for (int a = 0; a < R::value.axis_count; ++a) {
            if (L::value.thread[i].axis == R::value.axis[a]) {
                mask |= (L::value.thread[i].extent - 1) * L::value.thread[i].stride;
            }
        }
    }
    return mask;
}

}  // namespace detail

/// Slots ascending, then lanes by butterfly from the farthest to the nearest. All lanes get the same
/// bits, since each step adds the same two numbers on both sides.
template <class F, class L, class R, class A>
__device__ __forceinline__ Tile<f32, L> reduce(const A& a) {
    using From = typename A::layout;
    using To = Matching<From, L>;
    constexpr int lanes = detail::lane_mask<From, R>();
    Tile<f32, L> out;
#pragma unroll
    for (int s = 0; s < out.kSlots; ++s) {
        out.v[s] = F::identity();
    }
#pragma unroll
    for (int s = 0; s < A::kSlots; ++s) {
        const f32 next = F{}(out.v[To::slot(s)], a.v[s]);
        out.v[To::slot(s)] = detail::counts<From, R>(s) ? next : out.v[To::slot(s)];
    }
#pragma unroll
    for (int bit = 16; bit > 0; bit /= 2) {
        if ((lanes & bit) != 0) {
#pragma unroll
            for (int s = 0; s < out.kSlots; ++s) {
                out.v[s] = F{}(out.v[s], __shfl_xor_sync(0xffffffffU, out.v[s], bit));
            }
        }
    }
    return out;
}

namespace detail {

/// For slot s of `L` and term k of the sum, entry `k * slots + s`: the slot of `Inner`.
template <class L, int Axis, int Extent, class Inner>
struct Contracted {
    static constexpr int kSlots = L::value.slots();
    static constexpr Table<kSlots * Extent> make() {
        Layout outer = L::value;
        outer.slot[outer.slot_count++] = {Axis, Extent, 1, kSlots};
        Table<kSlots * Extent> table{};
        for (int s = 0; s < kSlots * Extent; ++s) {
            table.at[s] = matching_slot(outer, Inner::value, s);
        }
        return table;
    }
    static constexpr Table<kSlots* Extent> table = make();
};

}  // namespace detail

/// `out = init + sum over Axis of a * b`, one fma a term, ascending; `init` is a tile or a number.
template <class L, int Axis, int Extent, class A, class B, class I>
__device__ __forceinline__ Tile<f32, L> contract(const A& a, const B& b, const I& init) {
    using FromA = detail::Contracted<L, Axis, Extent, typename A::layout>;
    using FromB = detail::Contracted<L, Axis, Extent, typename B::layout>;
    Tile<f32, L> out;
#pragma unroll
    for (int s = 0; s < out.kSlots; ++s) {
        out.v[s] = at<L>(init, s);
#pragma unroll
        for (int k = 0; k < Extent; ++k) {
            out.v[s] =
                __fmaf_rn(a.v[FromA::table.at[k * out.kSlots + s]], b.v[FromB::table.at[k * out.kSlots + s]], out.v[s]);
        }
    }
    return out;
}

}  // namespace tj
