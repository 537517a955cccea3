/// \file Matrix products on tensor cores.
#pragma once

#include "types.h"

namespace tj {

namespace detail {

__device__ __forceinline__ void mma_m16n8k16(f32* acc, u32 a0, u32 a1, u32 a2, u32 a3, u32 b0, u32 b1) {
    asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+f"(acc[0]), "+f"(acc[1]), "+f"(acc[2]), "+f"(acc[3])
        : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
}

}  // namespace detail

/// `acc[part, m, n] += w[part, k, m] * x[k, n]` for both parts of split weights: part 0 in the
/// instruction's rows 0-7, part 1 in rows 8-15. M and N count tiles of 8. k is 32: lane 4g + t holds the
/// 8 elements of chunk t in 4 words, of which each of the two instructions takes 2.
template <int M, int N, class W, class X, class A>
__device__ __forceinline__ A mma(const W& w, const X& x, A acc) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
#pragma unroll
        for (int m = 0; m < M; ++m) {
            const u32* a = &w.w[8 * m + 2 * half];
#pragma unroll
            for (int n = 0; n < N; ++n) {
                const u32* b = &x.w[4 * n + 2 * half];
                detail::mma_m16n8k16(&acc.v[4 * (M * n + m)], a[0], a[4], a[1], a[5], b[0], b[1]);
            }
        }
    }
    return acc;
}

}  // namespace tj
