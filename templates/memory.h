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

/// The thread's part of an access: where its first element stands in each dimension, and in the axes
/// whose padding must be left out.
template <class L, class V, int N>
struct Place {
    At<N> index;
    int padded[View::kMaxAxes];

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
        memcpy(&tile.v[s], &word, sizeof(word));
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
        detail::Word<W * sizeof(T)> word;
        memcpy(&word, &tile.v[s], sizeof(word));
        word.store(first + Slots::steps.elements[s] + Slots::steps.rows[s] * row, mine && place.inside(s, extent));
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
    const T* base = shared<T>(B::value.offset);
    const int first = detail::shared_offset<L, B>();
    Tile<T, L> tile;
#pragma unroll
    for (int s = 0; s < tile.kSlots; ++s) {
        const bool inside = detail::in_shared<L, B>(s);
        const T value = base[inside ? first + detail::SharedSteps<L, B>::steps.at[s] : 0];
        tile.v[s] = inside ? value : T{};
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
