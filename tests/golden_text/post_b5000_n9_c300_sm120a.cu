// mhc_post_fwd for sm_120a
#include "tile.h"

// Axes: 0 token (6), 1 i (4), 2 column (304)

struct Layout1 {
    static constexpr tj::Layout value{256, 2, {{2, 38, 8, 1}, {0, 6, 1, 38}}, 1, {{2, 8, 1, 1}}};
};
struct View1 {
    static constexpr tj::View value{2, {{1, true, true, 1, {0}, {1}}, {1, false, true, 1, {2}, {1}}}, 0, {}, {}};
};
struct Layout2 {
    static constexpr tj::Layout value{256, 2, {{2, 38, 8, 1}, {0, 6, 1, 38}}, 2, {{2, 8, 1, 1}, {1, 4, 1, 8}}};
};
struct View2 {
    static constexpr tj::View value{3, {{1, true, true, 1, {0}, {1}}, {300, false, true, 1, {1}, {1}}, {1, false, true, 1, {2}, {1}}}, 0, {}, {}};
};
struct Layout3 {
    static constexpr tj::Layout value{256, 1, {{0, 6, 1, 38}}, 1, {{1, 4, 1, 1}}};
};
struct View3 {
    static constexpr tj::View value{2, {{1, true, true, 1, {0}, {1}}, {1, false, true, 1, {1}, {1}}}, 0, {}, {}};
};

extern "C" __global__ void __launch_bounds__(256, 1) mhc_post_fwd_stream(const tj::bf16* x_layer_out, tj::i64 x_layer_out_row, const tj::bf16* x_res, tj::i64 x_res_row, const tj::f32* h_post, tj::i64 h_post_row, tj::bf16* x_out, tj::i64 x_out_row, tj::i64 batch) {
    const tj::i64 tile_0 = tj::block<0>();
    const tj::i64 columns_1 = tj::block<1>();
    // role stream: 8 warps
    const auto v0 = tj::load<Layout1, View1, 4>(x_layer_out, x_layer_out_row, tj::At<2>{{tile_0 * 6, columns_1 * 304}}, tj::At<2>{{batch, 300}});  // mhc_post_fwd_streaming.cpp:31
    const auto v1 = tj::map<tj::fn::to_f32, Layout1>(v0);  // mhc_post_fwd_streaming.cpp:31
    #pragma unroll 1
    for (int rows_2 = 0; rows_2 < 3; ++rows_2) {  // mhc_post_fwd_streaming.cpp:32
        const auto v2 = tj::load<Layout2, View2, 4>(x_res, x_res_row, tj::At<3>{{tile_0 * 6, rows_2 * 4, columns_1 * 304}}, tj::At<3>{{batch, 9, 300}});  // mhc_post_fwd_streaming.cpp:33
        const auto v3 = tj::map<tj::fn::to_f32, Layout2>(v2);  // mhc_post_fwd_streaming.cpp:33
        const auto v4 = tj::load<Layout3, View3, 1>(h_post, h_post_row, tj::At<2>{{tile_0 * 6, rows_2 * 4}}, tj::At<2>{{batch, 9}});  // mhc_post_fwd_streaming.cpp:34
        const auto v5 = tj::map<tj::fn::fma, Layout2>(v4, v1, v3);  // mhc_post_fwd_streaming.cpp:35
        const auto v6 = tj::map<tj::fn::to_bf16, Layout2>(v5);  // mhc_post_fwd_streaming.cpp:35
        tj::store<View2, 4>(x_out, x_out_row, tj::At<3>{{tile_0 * 6, rows_2 * 4, columns_1 * 304}}, tj::At<3>{{batch, 9, 300}}, v6);  // mhc_post_fwd_streaming.cpp:35
    }
}

// Launch plan:
// {
//  "launches": [
//   {
//    "args": [
//     {
//      "kind": "pointer",
//      "name": "x_layer_out"
//     },
//     {
//      "kind": "row_stride",
//      "name": "x_layer_out"
//     },
//     {
//      "kind": "pointer",
//      "name": "x_res"
//     },
//     {
//      "kind": "row_stride",
//      "name": "x_res"
//     },
//     {
//      "kind": "pointer",
//      "name": "h_post"
//     },
//     {
//      "kind": "row_stride",
//      "name": "h_post"
//     },
//     {
//      "kind": "pointer",
//      "name": "x_out"
//     },
//     {
//      "kind": "row_stride",
//      "name": "x_out"
//     },
//     {
//      "kind": "batch",
//      "name": ""
//     }
//    ],
//    "cluster": 1,
//    "grid": [
//     {
//      "constant": 1,
//      "per": 6
//     },
//     {
//      "constant": 1,
//      "per": 0
//     },
//     {
//      "constant": 1,
//      "per": 0
//     }
//    ],
//    "programmatic": false,
//    "shared_bytes": 0,
//    "symbol": "mhc_post_fwd_stream",
//    "threads": 256,
//    "tiles": null
//   }
//  ],
//  "workspaces": []
// }
