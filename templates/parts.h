/// \file Parts of tiles: the two bf16 parts of f32 numbers; what a tile has at one coordinate.
#pragma once

#include "types.h"

namespace tj {

/// Both bf16 parts of an f32 tile, along the axis `Part`: 0 the number rounded, 1 the rest rounded.
template <class L, int Part, class A>
__device__ __forceinline__ Tile<bf16, L> split(const A& a) {
    const int part = thread_coord<L, Part>();
    Tile<bf16, L> out;
#pragma unroll
    for (int i = 0; i < out.kWords; ++i) {
        const int first = 2 * i;
        const int second = first + 1 < out.kSlots ? first + 1 : first;
        const f32 low = at<L>(a, first);
        const f32 high = at<L>(a, second);
        const u32 rounded = pack(low, high);
        const bool low_rest = part + L::value.slot_coord(Part, first) > 0;
        const bool high_rest = part + L::value.slot_coord(Part, second) > 0;
        out.w[i] = pack(low_rest ? __fsub_rn(low, low_of(rounded)) : low,
                        high_rest ? __fsub_rn(high, high_of(rounded)) : high);
    }
    return out;
}

namespace detail {

/// The slots of `From` that hold coordinate `c` of `Axis`: for each slot of `L`, the first of them, to
/// which `added` is added.
template <class L, class From, int Axis>
struct Selected {
    static constexpr int added(int c) {
        int result = 0;
        for (int i = 0; i < From::value.slot_count; ++i) {
            const Piece& piece = From::value.slot[i];
            result += piece.axis == Axis ? c / piece.step % piece.extent * piece.stride : 0;
        }
        return result;
    }
    /// Two neighbours stay neighbours in one word.
    static constexpr bool whole_words() {
        for (int i = 0; i < From::value.slot_count; ++i) {
            if (From::value.slot[i].axis == Axis && From::value.slot[i].stride % 2 != 0) {
                return false;
            }
        }
        for (int s = 0; s + 1 < L::value.slots(); s += 2) {
            const int first = matching_slot(L::value, From::value, s);
            if (first % 2 != 0 || matching_slot(L::value, From::value, s + 1) != first + 1) {
                return false;
            }
        }
        return L::value.slots() % 2 == 0;
    }
};

}  // namespace detail

/// What a tile has at coordinate `at` of `Axis`. Compares instead of indexing: registers have no index, and
/// where the loop around is unrolled all comparisons are known.
template <class L, int Axis, int Extent, class T, class From>
__device__ __forceinline__ Tile<T, L> select(const Tile<T, From>& a, i64 at) {
    using Selected = detail::Selected<L, From, Axis>;
    Tile<T, L> out{};
#pragma unroll
    for (int c = 0; c < Extent; ++c) {
        if (at != c) {
            continue;
        }
        if constexpr (sizeof(T) == 2 && Selected::whole_words()) {
#pragma unroll
            for (int i = 0; i < out.kWords; ++i) {
                out.w[i] = a.w[(Matching<L, From>::slot(2 * i) + Selected::added(c)) / 2];
            }
        } else {
#pragma unroll
            for (int s = 0; s < out.kSlots; ++s) {
                out.set(s, a.get(Matching<L, From>::slot(s) + Selected::added(c)));
            }
        }
    }
    return out;
}

}  // namespace tj
