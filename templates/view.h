/// \file How a tile's coordinates become places in memory.
#pragma once

#include "types.h"

namespace tj {

/// How a tile's coordinates index a tensor, or a tile in shared memory. Per dimension: index = origin +
/// sum of step * coordinate.
struct View {
    static constexpr int kMaxDims = 8;
    static constexpr int kMaxAxes = 4;
    static constexpr int kMaxPadded = 7;
    struct Dim {
        i64 stride;   ///< elements, or rows if `by_row`
        bool by_row;  ///< the stride is a multiple of the row stride given at launch
        bool checked;
        int axis_count;
        int axis[kMaxAxes];
        int step[kMaxAxes];
    };
    int dim_count;
    Dim dim[kMaxDims];
    int padded_count;  ///< axes whose padding is outside the tensor although its index may not be
    int padded_axis[kMaxPadded];
    int padded_extent[kMaxPadded];
};

/// One number per dimension.
template <int N>
struct At {
    i64 at[N];
};

namespace detail {

/// What each slot adds: to the address, in elements and in rows, and to the index of each dimension.
template <class L, class V>
struct SlotSteps {
    static constexpr int kSlots = L::value.slots();
    struct Steps {
        i64 elements[kSlots];
        i64 rows[kSlots];
        int index[View::kMaxDims][kSlots];
        int padded[View::kMaxPadded][kSlots];
    };
    static constexpr Steps make() {
        Steps result{};
        for (int s = 0; s < kSlots; ++s) {
            for (int d = 0; d < V::value.dim_count; ++d) {
                const View::Dim& dim = V::value.dim[d];
                int index = 0;
                for (int a = 0; a < dim.axis_count; ++a) {
                    index += L::value.slot_coord(dim.axis[a], s) * dim.step[a];
                }
                result.index[d][s] = index;
                result.elements[s] += dim.by_row ? 0 : index * dim.stride;
                result.rows[s] += dim.by_row ? index * dim.stride : 0;
            }
            for (int p = 0; p < V::value.padded_count; ++p) {
                result.padded[p][s] = L::value.slot_coord(V::value.padded_axis[p], s);
            }
        }
        return result;
    }
    static constexpr Steps steps = make();
};

/// The thread's part of an access: where its first element stands in each dimension, and in the axes
/// whose padding must be left out.
template <class L, class V, int N>
struct Place {
    At<N> index;
    int padded[View::kMaxPadded];

    __device__ __forceinline__ explicit Place(const At<N>& origin) : index(origin) {
        set_index<0>();
        set_padded<0>();
    }

    /// The address of the first element, in elements from the tensor's.
    __device__ __forceinline__ i64 offset(i64 row) const {
        i64 result = 0;
#pragma unroll
        for (int d = 0; d < N; ++d) {
            result += index.at[d] * (V::value.dim[d].by_row ? row * V::value.dim[d].stride : V::value.dim[d].stride);
        }
        return result;
    }

    /// True when the slot's element lies in the tensor and in the tile.
    template <int D = 0>
    __device__ __forceinline__ bool inside(int s, const At<N>& extent) const {
        if constexpr (D == N) {
            return unpadded<0>(s);
        } else if constexpr (V::value.dim[D].checked) {
            return index.at[D] + SlotSteps<L, V>::steps.index[D][s] < extent.at[D] && inside<D + 1>(s, extent);
        } else {
            return inside<D + 1>(s, extent);
        }
    }

private:
    template <int D>
    __device__ __forceinline__ void set_index() {
        if constexpr (D < N) {
            index.at[D] += coord<D, 0>();
            set_index<D + 1>();
        }
    }

    template <int D, int A>
    __device__ __forceinline__ static int coord() {
        if constexpr (A == V::value.dim[D].axis_count) {
            return 0;
        } else {
            return thread_coord<L, V::value.dim[D].axis[A]>() * V::value.dim[D].step[A] + coord<D, A + 1>();
        }
    }

    template <int P>
    __device__ __forceinline__ void set_padded() {
        if constexpr (P < V::value.padded_count) {
            padded[P] = thread_coord<L, V::value.padded_axis[P]>();
            set_padded<P + 1>();
        }
    }

    template <int P>
    __device__ __forceinline__ bool unpadded(int s) const {
        if constexpr (P == V::value.padded_count) {
            return true;
        } else {
            return padded[P] + SlotSteps<L, V>::steps.padded[P][s] < V::value.padded_extent[P] && unpadded<P + 1>(s);
        }
    }
};

}  // namespace detail

}  // namespace tj
