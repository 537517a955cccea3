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
struct to_bf16 {
    __device__ __forceinline__ bf16 operator()(f32 a) const { return tj::to_bf16(a); }
};
struct negate {
    __device__ __forceinline__ f32 operator()(f32 a) const { return -a; }
};
struct exp {
    __device__ __forceinline__ f32 operator()(f32 a) const { return expf(a); }
};
struct sqrt {
    __device__ __forceinline__ f32 operator()(f32 a) const { return __fsqrt_rn(a); }
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

template <class F, class L, class A>
__device__ __forceinline__ auto map(const A& a) {
    using FromA = Matching<L, typename A::layout>;
    Tile<decltype(F{}(a.v[0])), L> out;
#pragma unroll
    for (int s = 0; s < out.kSlots; ++s) {
        out.v[s] = F{}(a.v[FromA::slot(s)]);
    }
    return out;
}

template <class F, class L, class A, class B>
__device__ __forceinline__ auto map(const A& a, const B& b) {
    using FromA = Matching<L, typename A::layout>;
    using FromB = Matching<L, typename B::layout>;
    Tile<decltype(F{}(a.v[0], b.v[0])), L> out;
#pragma unroll
    for (int s = 0; s < out.kSlots; ++s) {
        out.v[s] = F{}(a.v[FromA::slot(s)], b.v[FromB::slot(s)]);
    }
    return out;
}

template <class F, class L, class A, class B, class C>
__device__ __forceinline__ auto map(const A& a, const B& b, const C& c) {
    using FromA = Matching<L, typename A::layout>;
    using FromB = Matching<L, typename B::layout>;
    using FromC = Matching<L, typename C::layout>;
    Tile<decltype(F{}(a.v[0], b.v[0], c.v[0])), L> out;
#pragma unroll
    for (int s = 0; s < out.kSlots; ++s) {
        out.v[s] = F{}(a.v[FromA::slot(s)], b.v[FromB::slot(s)], c.v[FromC::slot(s)]);
    }
    return out;
}

}  // namespace tj
