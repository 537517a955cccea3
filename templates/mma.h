/// \file Matrix products on tensor cores.
#pragma once

#include "types.h"

namespace tj {

namespace detail {

/// Two bf16 in one register, the first in the low half.
__device__ __forceinline__ u32 pack(f32 low, f32 high) {
    u32 result;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(result) : "f"(high), "f"(low));
    return result;
}

/// What is left of two numbers after `pack`.
__device__ __forceinline__ u32 pack_rest(f32 low, f32 high, u32 packed) {
    return pack(__fsub_rn(low, __uint_as_float(packed << 16)), __fsub_rn(high, __uint_as_float(packed & 0xffff0000U)));
}

__device__ __forceinline__ void mma_m16n8k16(f32* acc, const u32 (&a)[4], u32 b0, u32 b1) {
    asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+f"(acc[0]), "+f"(acc[1]), "+f"(acc[2]), "+f"(acc[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

}  // namespace detail

/// `acc[part, m, n] += part(w[k, m]) * x[k, n]` for both bf16 parts of the fp32 weights: hi in the
/// instruction's rows 0-7, lo in rows 8-15. M and N count tiles of 8. k is 32: lane 4g + t holds the 8
/// elements of chunk t, of which each of the two instructions takes 4.
template <int M, int N, class W, class X, class A>
__device__ __forceinline__ A mma(const W& w, const X& x, A acc) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
#pragma unroll
        for (int m = 0; m < M; ++m) {
            const f32* e = &w.v[8 * m + 4 * half];
            u32 a[4];
            a[0] = detail::pack(e[0], e[1]);
            a[1] = detail::pack_rest(e[0], e[1], a[0]);
            a[2] = detail::pack(e[2], e[3]);
            a[3] = detail::pack_rest(e[2], e[3], a[2]);
#pragma unroll
            for (int n = 0; n < N; ++n) {
                u32 b[2];
                memcpy(b, &x.v[8 * n + 4 * half], sizeof(b));
                detail::mma_m16n8k16(&acc.v[4 * (M * n + m)], a, b[0], b[1]);
            }
        }
    }
    return acc;
}

}  // namespace tj
