/// \file Tiles to and from global and shared memory.
#pragma once

#include "types.h"

namespace tj {

/// How a tile's coordinates index a tensor. Per dimension: index = origin + sum of step * coordinate.
struct View {
    static constexpr int kMaxDims = 5;
    static constexpr int kMaxAxes = 4;
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
    int padded_axis[kMaxAxes];
    int padded_extent[kMaxAxes];
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
        int padded[View::kMaxAxes][kSlots];
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

/// The thread's part of an access: the address of its first element and where it stands in each
/// dimension.
template <class L, class V, int D = 0, int A = 0>
__device__ __forceinline__ int thread_index() {
    if constexpr (A == V::value.dim[D].axis_count) {
        return 0;
    } else {
        return thread_coord<L, V::value.dim[D].axis[A]>() * V::value.dim[D].step[A] + thread_index<L, V, D, A + 1>();
    }
}

template <class L, class V, int D = 0, int N>
__device__ __forceinline__ i64 thread_offset(i64 row, const At<N>& origin) {
    if constexpr (D == N) {
        return 0;
    } else {
        const i64 index = origin.at[D] + thread_index<L, V, D>();
        return index * (V::value.dim[D].by_row ? row * V::value.dim[D].stride : V::value.dim[D].stride) +
               thread_offset<L, V, D + 1>(row, origin);
    }
}

/// True when the slot's element lies in the tensor and in the tile.
template <class L, class V, int D = 0, int N>
__device__ __forceinline__ bool in_tensor(int s, const At<N>& origin, const At<N>& extent) {
    if constexpr (D == N) {
        return true;
    } else if constexpr (V::value.dim[D].checked) {
        return origin.at[D] + thread_index<L, V, D>() + SlotSteps<L, V>::steps.index[D][s] < extent.at[D] &&
               in_tensor<L, V, D + 1>(s, origin, extent);
    } else {
        return in_tensor<L, V, D + 1>(s, origin, extent);
    }
}

template <class L, class V, int P = 0>
__device__ __forceinline__ bool in_tile(int s) {
    if constexpr (P == V::value.padded_count) {
        return true;
    } else {
        return thread_coord<L, V::value.padded_axis[P]>() + SlotSteps<L, V>::steps.padded[P][s] <
                   V::value.padded_extent[P] &&
               in_tile<L, V, P + 1>(s);
    }
}

/// The widest types of one access instruction.
template <int Bytes>
struct Word;
template <>
struct Word<2> {
    using type = unsigned short;
};
template <>
struct Word<4> {
    using type = u32;
};
template <>
struct Word<8> {
    using type = uint2;
};
template <>
struct Word<16> {
    using type = uint4;
};

}  // namespace detail

/// Loads a tile, W elements an instruction; elements outside the tensor are zero.
template <class L, class V, int W, class T, int N>
__device__ __forceinline__ Tile<T, L> load(const T* base, i64 row, const At<N>& origin, const At<N>& extent) {
    using Word = typename detail::Word<W * sizeof(T)>::type;
    using Slots = detail::SlotSteps<L, V>;
    const T* first = base + detail::thread_offset<L, V>(row, origin);
    Tile<T, L> tile;
#pragma unroll
    for (int s = 0; s < tile.kSlots; s += W) {
        Word word{};
        if (detail::in_tensor<L, V>(s, origin, extent) && detail::in_tile<L, V>(s)) {
            word = *reinterpret_cast<const Word*>(first + Slots::steps.elements[s] + Slots::steps.rows[s] * row);
        }
        memcpy(&tile.v[s], &word, sizeof(Word));
    }
    return tile;
}

/// Stores a tile, W elements an instruction; elements outside the tensor are left out.
template <class V, int W, class T, class L, int N>
__device__ __forceinline__ void store(T* base, i64 row, const At<N>& origin, const At<N>& extent,
                                      const Tile<T, L>& tile) {
    using Word = typename detail::Word<W * sizeof(T)>::type;
    using Slots = detail::SlotSteps<L, V>;
    if (!owner<L>()) {
        return;
    }
    T* first = base + detail::thread_offset<L, V>(row, origin);
#pragma unroll
    for (int s = 0; s < tile.kSlots; s += W) {
        if (detail::in_tensor<L, V>(s, origin, extent) && detail::in_tile<L, V>(s)) {
            Word word;
            memcpy(&word, &tile.v[s], sizeof(Word));
            *reinterpret_cast<Word*>(first + Slots::steps.elements[s] + Slots::steps.rows[s] * row) = word;
        }
    }
}

/// A tile in shared memory: byte offset, axes, extents and strides in elements.
struct SharedTile {
    static constexpr int kMaxAxes = 6;
    int offset;
    int axis_count;
    int axis[kMaxAxes];
    int extent[kMaxAxes];
    int stride[kMaxAxes];
};

namespace detail {

template <class L, class B>
struct SharedSteps {
    static constexpr Table<L::value.slots()> make() {
        Table<L::value.slots()> result{};
        for (int s = 0; s < L::value.slots(); ++s) {
            for (int a = 0; a < B::value.axis_count; ++a) {
                result.at[s] += L::value.slot_coord(B::value.axis[a], s) * B::value.stride[a];
            }
        }
        return result;
    }
    static constexpr Table<L::value.slots()> steps = make();
};

template <class L, class B, int A = 0>
__device__ __forceinline__ int shared_offset() {
    if constexpr (A == B::value.axis_count) {
        return 0;
    } else {
        return thread_coord<L, B::value.axis[A]>() * B::value.stride[A] + shared_offset<L, B, A + 1>();
    }
}

/// False for a slot that is padding of a shared tile's axis.
template <class L, class B, int A = 0>
__device__ __forceinline__ bool in_shared(int s) {
    if constexpr (A == B::value.axis_count) {
        return true;
    } else if constexpr (L::value.covered(B::value.axis[A]) <= B::value.extent[A]) {
        return in_shared<L, B, A + 1>(s);
    } else {
        const int coord = thread_coord<L, B::value.axis[A]>() + L::value.slot_coord(B::value.axis[A], s);
        return coord < B::value.extent[A] && in_shared<L, B, A + 1>(s);
    }
}

}  // namespace detail

/// Reads a tile from shared memory; padding is zero.
template <class T, class L, class B>
__device__ __forceinline__ Tile<T, L> read() {
    const T* first = shared<T>(B::value.offset) + detail::shared_offset<L, B>();
    Tile<T, L> tile;
#pragma unroll
    for (int s = 0; s < tile.kSlots; ++s) {
        tile.v[s] = detail::in_shared<L, B>(s) ? first[detail::SharedSteps<L, B>::steps.at[s]] : T{};
    }
    return tile;
}

/// Writes a tile to shared memory.
template <class B, class T, class L>
__device__ __forceinline__ void share(const Tile<T, L>& tile) {
    if (!owner<L>()) {
        return;
    }
    T* first = shared<T>(B::value.offset) + detail::shared_offset<L, B>();
#pragma unroll
    for (int s = 0; s < tile.kSlots; ++s) {
        if (detail::in_shared<L, B>(s)) {
            first[detail::SharedSteps<L, B>::steps.at[s]] = tile.v[s];
        }
    }
}

}  // namespace tj
