/// \file Element-wise operations. Operands that lack an axis are repeated along it.
#pragma once

#include "types.h"

namespace tj {

/// A tile of one number.
template <class L>
__device__ __forceinline__ Tile<f32, L> fill(f32 value) {
    Tile<f32, L> tile;
#pragma unroll
    for (int s = 0; s < tile.kSlots; ++s) {
        tile.v[s] = value;
    }
    return tile;
}

namespace fn {

struct to_f32 {
    __device__ __forceinline__ f32 operator()(bf16 a) const { return tj::to_f32(a); }
};
struct to_bf16 {};  // two at a time, below
struct negate {
    __device__ __forceinline__ f32 operator()(f32 a) const { return -a; }
};
struct exp {
    __device__ __forceinline__ f32 operator()(f32 a) const { return expf(a); }
};
struct sqrt {
    __device__ __forceinline__ f32 operator()(f32 a) const { return __fsqrt_rn(a); }
};
struct sigmoid {
    __device__ __forceinline__ f32 operator()(f32 a) const { return __fdiv_rn(1.0F, __fadd_rn(1.0F, expf(-a))); }
};
struct reciprocal {
    __device__ __forceinline__ f32 operator()(f32 a) const {
        f32 result;
        asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(a));
        return result;
    }
};
struct add {
    __device__ __forceinline__ f32 operator()(f32 a, f32 b) const { return __fadd_rn(a, b); }
};
struct sub {
    __device__ __forceinline__ f32 operator()(f32 a, f32 b) const { return __fsub_rn(a, b); }
};
struct mul {
    __device__ __forceinline__ f32 operator()(f32 a, f32 b) const { return __fmul_rn(a, b); }
};
struct div {
    __device__ __forceinline__ f32 operator()(f32 a, f32 b) const { return __fdiv_rn(a, b); }
};
struct min {
    __device__ __forceinline__ f32 operator()(f32 a, f32 b) const { return fminf(a, b); }
};
struct max {
    __device__ __forceinline__ f32 operator()(f32 a, f32 b) const { return fmaxf(a, b); }
};
struct fma {
    __device__ __forceinline__ f32 operator()(f32 a, f32 b, f32 c) const { return __fmaf_rn(a, b, c); }
};

}  // namespace fn

namespace detail {

template <class F, class L>
struct Mapped {
    template <class... Args>
    __device__ __forceinline__ static Tile<f32, L> of(const Args&... args) {
        Tile<f32, L> out;
#pragma unroll
        for (int s = 0; s < out.kSlots; ++s) {
            out.v[s] = F{}(at<L>(args, s)...);
        }
        return out;
    }
};

template <class L>
struct Mapped<fn::to_bf16, L> {
    template <class A>
    __device__ __forceinline__ static Tile<bf16, L> of(const A& a) {
        Tile<bf16, L> out;
#pragma unroll
        for (int i = 0; i < out.kWords; ++i) {
            const int second = 2 * i + 1 < out.kSlots ? 2 * i + 1 : 2 * i;
            out.w[i] = pack(at<L>(a, 2 * i), at<L>(a, second));
        }
        return out;
    }
};

}  // namespace detail

/// F of tiles and plain numbers, in layout L.
template <class F, class L, class... Args>
__device__ __forceinline__ auto map(const Args&... args) {
    return detail::Mapped<F, L>::of(args...);
}

}  // namespace tj
