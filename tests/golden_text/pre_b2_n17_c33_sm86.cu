// mhc_pre_fwd for sm_86
#include "tile.h"

// Axes: 0 token (8), 1 stream (4), 2 part (2), 3 chunk (4), 4 element (8), 5 q (32), 6 half (2), 7 token (4), 8 i (17), 9 k (17), 10 token (15), 11 column (34), 12 i (1), 13 k (17)

struct Layout1 {
    static constexpr tj::Layout value{256, 2, {{5, 32, 1, 1}, {0, 8, 1, 32}}, 0, {}};
};
struct Layout2 {
    static constexpr tj::Layout value{256, 1, {{0, 8, 1, 1}}, 0, {}};
};
struct Layout3 {
    static constexpr tj::Layout value{256, 4, {{2, 2, 1, 32}, {1, 4, 1, 64}, {0, 4, 2, 1}, {5, 8, 1, 4}}, 3, {{0, 2, 1, 1}, {6, 2, 1, 2}, {5, 4, 8, 4}}};
};
struct Layout4 {
    static constexpr tj::Layout value{256, 4, {{2, 2, 1, 32}, {1, 4, 1, 64}, {3, 4, 1, 1}, {0, 8, 1, 4}}, 0, {}};
};
struct Layout5 {
    static constexpr tj::Layout value{256, 4, {{2, 2, 1, 32}, {1, 4, 1, 64}, {3, 4, 1, 1}, {0, 8, 1, 4}}, 1, {{4, 8, 1, 1}}};
};
struct View1 {
    static constexpr tj::View value{3, {{1, true, true, 1, {0}, {1}}, {33, false, true, 1, {1}, {1}}, {1, false, true, 3, {2, 3, 4}, {32, 8, 1}}}, 0, {}, {}};
};
struct Layout6 {
    static constexpr tj::Layout value{256, 4, {{2, 2, 1, 32}, {1, 4, 1, 64}, {3, 4, 1, 1}, {5, 8, 1, 4}}, 2, {{4, 8, 1, 1}, {5, 4, 8, 8}}};
};
struct View2 {
    static constexpr tj::View value{3, {{33, true, true, 1, {1}, {1}}, {1, true, true, 3, {2, 3, 4}, {32, 8, 1}}, {1, false, true, 1, {5}, {1}}}, 0, {}, {}};
};
struct Over1 {
    static constexpr tj::Over value{1, {6}, {2}};
};
struct Layout7 {
    static constexpr tj::Layout value{256, 4, {{2, 2, 1, 32}, {1, 4, 1, 64}, {0, 4, 2, 1}, {5, 8, 1, 4}}, 2, {{0, 2, 1, 1}, {5, 4, 8, 2}}};
};
struct Buffer1 {
    static constexpr tj::SharedTile value{0, 4, {1, 2, 5, 0}, {4, 2, 32, 8}, {576, 288, 9, 1}};
};
struct Over2 {
    static constexpr tj::Over value{1, {3}, {4}};
};
struct Layout8 {
    static constexpr tj::Layout value{256, 3, {{2, 2, 1, 32}, {1, 4, 1, 64}, {0, 8, 1, 4}}, 0, {}};
};
struct Buffer2 {
    static constexpr tj::SharedTile value{9216, 3, {1, 2, 0}, {4, 2, 8}, {16, 8, 1}};
};
struct Layout9 {
    static constexpr tj::Layout value{256, 2, {{5, 32, 1, 1}, {0, 8, 1, 32}}, 2, {{2, 2, 1, 1}, {1, 4, 1, 2}}};
};
struct Over3 {
    static constexpr tj::Over value{2, {1, 2}, {4, 2}};
};
struct Layout10 {
    static constexpr tj::Layout value{256, 1, {{0, 8, 1, 1}}, 2, {{2, 2, 1, 1}, {1, 4, 1, 2}}};
};
struct View3 {
    static constexpr tj::View value{3, {{323, false, true, 1, {0}, {1}}, {323, false, false, 0, {}, {}}, {1, false, true, 1, {5}, {1}}}, 0, {}, {}};
};
struct View4 {
    static constexpr tj::View value{3, {{1, false, true, 1, {0}, {1}}, {1, false, false, 0, {}, {}}, {1, false, true, 0, {}, {}}}, 0, {}, {}};
};
struct Layout11 {
    static constexpr tj::Layout value{128, 2, {{8, 32, 1, 1}, {7, 4, 1, 32}}, 0, {}};
};
struct Layout12 {
    static constexpr tj::Layout value{128, 2, {{8, 32, 1, 1}, {7, 4, 1, 32}}, 1, {{9, 17, 1, 1}}};
};
struct Layout13 {
    static constexpr tj::Layout value{128, 1, {{7, 4, 1, 32}}, 0, {}};
};
struct View5 {
    static constexpr tj::View value{3, {{323, false, true, 1, {7}, {1}}, {323, false, false, 0, {}, {}}, {1, false, false, 1, {8}, {1}}}, 1, {8}, {17}};
};
struct View6 {
    static constexpr tj::View value{3, {{323, false, true, 1, {7}, {1}}, {323, false, false, 0, {}, {}}, {1, false, true, 2, {8, 9}, {17, 1}}}, 1, {8}, {17}};
};
struct View7 {
    static constexpr tj::View value{3, {{1, false, true, 1, {7}, {1}}, {1, false, false, 0, {}, {}}, {1, false, false, 0, {}, {}}}, 0, {}, {}};
};
struct Layout14 {
    static constexpr tj::Layout value{128, 1, {{8, 32, 1, 1}}, 0, {}};
};
struct View8 {
    static constexpr tj::View value{1, {{1, false, false, 1, {8}, {1}}}, 1, {8}, {17}};
};
struct View9 {
    static constexpr tj::View value{2, {{17, false, true, 1, {7}, {1}}, {1, false, true, 1, {8}, {1}}}, 1, {8}, {17}};
};
struct View10 {
    static constexpr tj::View value{2, {{1, true, true, 1, {7}, {1}}, {1, false, true, 1, {8}, {1}}}, 1, {8}, {17}};
};
struct Layout15 {
    static constexpr tj::Layout value{128, 1, {{8, 32, 1, 1}}, 1, {{9, 17, 1, 1}}};
};
struct View11 {
    static constexpr tj::View value{1, {{1, false, true, 2, {8, 9}, {17, 1}}}, 1, {8}, {17}};
};
struct Over4 {
    static constexpr tj::Over value{1, {9}, {17}};
};
struct Over5 {
    static constexpr tj::Over value{1, {8}, {17}};
};
struct Layout16 {
    static constexpr tj::Layout value{128, 1, {{7, 4, 1, 32}}, 1, {{9, 17, 1, 1}}};
};
struct View12 {
    static constexpr tj::View value{3, {{289, false, true, 1, {7}, {1}}, {17, false, true, 1, {8}, {1}}, {1, false, false, 1, {9}, {1}}}, 1, {8}, {17}};
};
struct Layout17 {
    static constexpr tj::Layout value{256, 2, {{11, 17, 2, 1}, {10, 15, 1, 17}}, 2, {{11, 2, 1, 1}, {13, 17, 1, 2}}};
};
struct View13 {
    static constexpr tj::View value{3, {{1, true, true, 1, {10}, {1}}, {33, false, false, 1, {13}, {1}}, {1, false, true, 1, {11}, {1}}}, 0, {}, {}};
};
struct Layout18 {
    static constexpr tj::Layout value{256, 1, {{10, 15, 1, 17}}, 1, {{13, 17, 1, 1}}};
};
struct View14 {
    static constexpr tj::View value{2, {{17, false, true, 1, {10}, {1}}, {1, false, false, 1, {13}, {1}}}, 0, {}, {}};
};
struct Layout19 {
    static constexpr tj::Layout value{256, 2, {{11, 17, 2, 1}, {10, 15, 1, 17}}, 1, {{11, 2, 1, 1}}};
};
struct View15 {
    static constexpr tj::View value{2, {{1, true, true, 1, {10}, {1}}, {1, false, true, 1, {11}, {1}}}, 0, {}, {}};
};
struct View16 {
    static constexpr tj::View value{3, {{289, false, true, 1, {10}, {1}}, {17, false, false, 1, {12}, {1}}, {1, false, false, 1, {13}, {1}}}, 0, {}, {}};
};
struct View17 {
    static constexpr tj::View value{3, {{1, true, true, 1, {10}, {1}}, {33, false, false, 1, {12}, {1}}, {1, false, true, 1, {11}, {1}}}, 0, {}, {}};
};

extern "C" __global__ void __launch_bounds__(256, 1) mhc_pre_fwd_project(const tj::bf16* x, tj::i64 x_row, const tj::f32* phi, tj::i64 phi_row, tj::f32* partial, tj::f32* squares, tj::i64 batch) {
    const tj::i64 tile_0 = tj::block<0>();
    const tj::i64 slice_1 = tj::block<1>();
    const tj::i64 q_block_2 = tj::block<2>();
    // role project: 8 warps
    const auto v0 = tj::fill<Layout1>(0x0p+0F);  // mhc_pre_fwd_two_pass.cpp:81
    const auto v1 = tj::fill<Layout2>(0x0p+0F);  // mhc_pre_fwd_two_pass.cpp:81
    auto v23 = v0;
    auto v24 = v1;
    #pragma unroll 1
    for (int group_3 = 0; group_3 < 5; ++group_3) {  // mhc_pre_fwd_two_pass.cpp:80
        const auto& v2 = v23;
        const auto& v3 = v24;
        const auto v4 = tj::fill<Layout3>(0x0p+0F);  // mhc_pre_fwd_two_pass.cpp:73
        const auto v5 = tj::fill<Layout4>(0x0p+0F);  // mhc_pre_fwd_two_pass.cpp:73
        auto v13 = v4;
        auto v14 = v5;
        #pragma unroll 1
        for (int step_4 = 0; step_4 < 1; ++step_4) {  // mhc_pre_fwd_two_pass.cpp:71
            const auto& v6 = v13;
            const auto& v7 = v14;
            const auto v8 = tj::load<Layout5, View1, 1>(x, x_row, tj::At<3>{{tile_0 * 8, group_3 * 4, slice_1 * 64 + step_4 * 32}}, tj::At<3>{{batch, 17, 33}});  // mhc_pre_fwd_two_pass.cpp:65
            const auto v9 = tj::load<Layout6, View2, 1>(phi, phi_row, tj::At<3>{{group_3 * 4, slice_1 * 64 + step_4 * 32, q_block_2 * 32}}, tj::At<3>{{17, 33, 323}});  // mhc_pre_fwd_two_pass.cpp:66
            const auto v10 = tj::map<tj::fn::to_f32, Layout5>(v8);  // mhc_pre_fwd_two_pass.cpp:67
            const auto v11 = tj::mma<4, 1>(v9, v8, v6);  // mhc_pre_fwd_two_pass.cpp:68
            const auto v12 = tj::contract<Layout4, 4, 8>(v10, v10, v7);  // mhc_pre_fwd_two_pass.cpp:69
            v13 = v11;
            v14 = v12;
        }
        const auto v15 = tj::reduce<tj::fn::sum, Layout7, Over1>(v13);  // mhc_pre_fwd_two_pass.cpp:75
        tj::barrier();  // mhc_pre_fwd_two_pass.cpp:75
        tj::share<Buffer1>(v15);  // mhc_pre_fwd_two_pass.cpp:75
        const auto v16 = tj::reduce<tj::fn::sum, Layout8, Over2>(v14);  // mhc_pre_fwd_two_pass.cpp:76
        tj::share<Buffer2>(v16);  // mhc_pre_fwd_two_pass.cpp:76
        tj::barrier();  // mhc_pre_fwd_two_pass.cpp:77
        const auto v17 = tj::read<tj::f32, Layout9, Buffer1>();  // mhc_pre_fwd_two_pass.cpp:77
        const auto v18 = tj::reduce<tj::fn::sum, Layout1, Over3>(v17);  // mhc_pre_fwd_two_pass.cpp:77
        const auto v19 = tj::map<tj::fn::add, Layout1>(v2, v18);  // mhc_pre_fwd_two_pass.cpp:77
        const auto v20 = tj::read<tj::f32, Layout10, Buffer2>();  // mhc_pre_fwd_two_pass.cpp:78
        const auto v21 = tj::reduce<tj::fn::sum, Layout2, Over3>(v20);  // mhc_pre_fwd_two_pass.cpp:78
        const auto v22 = tj::map<tj::fn::add, Layout2>(v3, v21);  // mhc_pre_fwd_two_pass.cpp:78
        v23 = v19;
        v24 = v22;
    }
    tj::store<View3, 1>(partial, 0, tj::At<3>{{tile_0 * 8, slice_1, q_block_2 * 32}}, tj::At<3>{{batch, 1, 323}}, v23);  // mhc_pre_fwd_two_pass.cpp:82
    tj::store<View4, 1>(squares, 0, tj::At<3>{{tile_0 * 8, slice_1, q_block_2}}, tj::At<3>{{batch, 1, 1}}, v24);  // mhc_pre_fwd_two_pass.cpp:84
}

extern "C" __global__ void __launch_bounds__(128, 1) mhc_pre_fwd_coefficients(tj::f32* partial, tj::f32* squares, const tj::f32* b, tj::f32* h_pre, tj::f32* h_post, tj::i64 h_post_row, tj::f32* mixing, tj::i64 batch, tj::f32 alpha_pre, tj::f32 alpha_post, tj::f32 alpha_res, tj::f32 sinkhorn_eps, tj::i32 sinkhorn_repeat) {
    const tj::i64 tile_5 = tj::block<0>();
    // role coefficients: 4 warps
    const auto v25 = tj::fill<Layout11>(0x0p+0F);  // mhc_pre_fwd_two_pass.cpp:124
    const auto v26 = tj::fill<Layout11>(0x0p+0F);  // mhc_pre_fwd_two_pass.cpp:124
    const auto v27 = tj::fill<Layout12>(0x0p+0F);  // mhc_pre_fwd_two_pass.cpp:124
    const auto v28 = tj::fill<Layout13>(0x0p+0F);  // mhc_pre_fwd_two_pass.cpp:124
    auto v41 = v25;
    auto v42 = v26;
    auto v43 = v27;
    auto v44 = v28;
    #pragma unroll 1
    for (int slice_6 = 0; slice_6 < 1; ++slice_6) {  // mhc_pre_fwd_two_pass.cpp:122
        const auto& v29 = v41;
        const auto& v30 = v42;
        const auto& v31 = v43;
        const auto& v32 = v44;
        const auto v33 = tj::load<Layout11, View5, 1>(partial, 0, tj::At<3>{{tile_5 * 4, slice_6, 0}}, tj::At<3>{{batch, 1, 323}});  // mhc_pre_fwd_two_pass.cpp:117
        const auto v34 = tj::map<tj::fn::add, Layout11>(v29, v33);  // mhc_pre_fwd_two_pass.cpp:117
        const auto v35 = tj::load<Layout11, View5, 1>(partial, 0, tj::At<3>{{tile_5 * 4, slice_6, 17}}, tj::At<3>{{batch, 1, 323}});  // mhc_pre_fwd_two_pass.cpp:118
        const auto v36 = tj::map<tj::fn::add, Layout11>(v30, v35);  // mhc_pre_fwd_two_pass.cpp:118
        const auto v37 = tj::load<Layout12, View6, 1>(partial, 0, tj::At<3>{{tile_5 * 4, slice_6, 34}}, tj::At<3>{{batch, 1, 323}});  // mhc_pre_fwd_two_pass.cpp:119
        const auto v38 = tj::map<tj::fn::add, Layout12>(v31, v37);  // mhc_pre_fwd_two_pass.cpp:119
        const auto v39 = tj::load<Layout13, View7, 1>(squares, 0, tj::At<3>{{tile_5 * 4, slice_6, 0}}, tj::At<3>{{batch, 1, 1}});  // mhc_pre_fwd_two_pass.cpp:120
        const auto v40 = tj::map<tj::fn::add, Layout13>(v32, v39);  // mhc_pre_fwd_two_pass.cpp:120
        v41 = v34;
        v42 = v36;
        v43 = v38;
        v44 = v40;
    }
    const auto v46 = tj::map<tj::fn::div, Layout13>(v44, 0x1.188p+9F);  // mhc_pre_fwd_two_pass.cpp:127
    const auto v47 = tj::map<tj::fn::sqrt, Layout13>(v46);  // mhc_pre_fwd_two_pass.cpp:127
    const auto v49 = tj::map<tj::fn::add, Layout13>(v47, 0x1.a36e2ep-14F);  // mhc_pre_fwd_two_pass.cpp:127
    const auto v51 = tj::map<tj::fn::div, Layout13>(0x1p+0F, v49);  // mhc_pre_fwd_two_pass.cpp:127
    const auto v52 = tj::load<Layout14, View8, 1>(b, 0, tj::At<1>{{0}}, tj::At<1>{{323}});  // mhc_pre_fwd_two_pass.cpp:129
    const auto v54 = tj::map<tj::fn::mul, Layout11>(alpha_pre, v41);  // mhc_pre_fwd_two_pass.cpp:130
    const auto v55 = tj::map<tj::fn::mul, Layout11>(v54, v51);  // mhc_pre_fwd_two_pass.cpp:130
    const auto v56 = tj::map<tj::fn::add, Layout11>(v55, v52);  // mhc_pre_fwd_two_pass.cpp:130
    const auto v57 = tj::map<tj::fn::sigmoid, Layout11>(v56);  // mhc_pre_fwd_two_pass.cpp:130
    tj::store<View9, 1>(h_pre, 0, tj::At<2>{{tile_5 * 4, 0}}, tj::At<2>{{batch, 17}}, v57);  // mhc_pre_fwd_two_pass.cpp:130
    const auto v58 = tj::load<Layout14, View8, 1>(b, 0, tj::At<1>{{17}}, tj::At<1>{{323}});  // mhc_pre_fwd_two_pass.cpp:131
    const auto v60 = tj::map<tj::fn::mul, Layout11>(alpha_post, v42);  // mhc_pre_fwd_two_pass.cpp:132
    const auto v61 = tj::map<tj::fn::mul, Layout11>(v60, v51);  // mhc_pre_fwd_two_pass.cpp:132
    const auto v62 = tj::map<tj::fn::add, Layout11>(v61, v58);  // mhc_pre_fwd_two_pass.cpp:132
    const auto v63 = tj::map<tj::fn::sigmoid, Layout11>(v62);  // mhc_pre_fwd_two_pass.cpp:132
    const auto v65 = tj::map<tj::fn::mul, Layout11>(0x1p+1F, v63);  // mhc_pre_fwd_two_pass.cpp:132
    tj::store<View10, 1>(h_post, h_post_row, tj::At<2>{{tile_5 * 4, 0}}, tj::At<2>{{batch, 17}}, v65);  // mhc_pre_fwd_two_pass.cpp:132
    const auto v66 = tj::load<Layout15, View11, 1>(b, 0, tj::At<1>{{34}}, tj::At<1>{{323}});  // mhc_pre_fwd_two_pass.cpp:133
    const auto v68 = tj::map<tj::fn::mul, Layout12>(alpha_res, v43);  // mhc_pre_fwd_two_pass.cpp:134
    const auto v69 = tj::map<tj::fn::mul, Layout12>(v68, v51);  // mhc_pre_fwd_two_pass.cpp:134
    const auto v70 = tj::map<tj::fn::add, Layout12>(v69, v66);  // mhc_pre_fwd_two_pass.cpp:134
    const auto v71 = tj::reduce<tj::fn::largest, Layout11, Over4>(v70);  // mhc_pre_fwd_two_pass.cpp:135
    const auto v72 = tj::map<tj::fn::sub, Layout12>(v70, v71);  // mhc_pre_fwd_two_pass.cpp:135
    const auto v73 = tj::map<tj::fn::exp, Layout12>(v72);  // mhc_pre_fwd_two_pass.cpp:135
    auto v94 = v73;
    #pragma unroll 1
    for (int repeat_7 = 0; repeat_7 < sinkhorn_repeat; ++repeat_7) {  // mhc_pre_fwd_two_pass.cpp:137
        const auto& v75 = v94;
        const auto v76 = tj::reduce<tj::fn::sum, Layout11, Over4>(v75);  // mhc_pre_fwd_two_pass.cpp:138
        const auto v77 = tj::map<tj::fn::add, Layout11>(v76, sinkhorn_eps);  // mhc_pre_fwd_two_pass.cpp:138
        const auto v79 = tj::map<tj::fn::mul, Layout11>(0x1p+24F, v77);  // mhc_pre_fwd_two_pass.cpp:93
        const auto v81 = tj::map<tj::fn::div, Layout11>(0x1p+0F, v79);  // mhc_pre_fwd_two_pass.cpp:93
        const auto v83 = tj::map<tj::fn::mul, Layout12>(0x1p+24F, v75);  // mhc_pre_fwd_two_pass.cpp:94
        const auto v84 = tj::map<tj::fn::mul, Layout12>(v83, v81);  // mhc_pre_fwd_two_pass.cpp:94
        const auto v85 = tj::reduce<tj::fn::sum, Layout16, Over5>(v84);  // mhc_pre_fwd_two_pass.cpp:139
        const auto v86 = tj::map<tj::fn::add, Layout16>(v85, sinkhorn_eps);  // mhc_pre_fwd_two_pass.cpp:139
        const auto v88 = tj::map<tj::fn::mul, Layout16>(0x1p+24F, v86);  // mhc_pre_fwd_two_pass.cpp:93
        const auto v90 = tj::map<tj::fn::div, Layout16>(0x1p+0F, v88);  // mhc_pre_fwd_two_pass.cpp:93
        const auto v92 = tj::map<tj::fn::mul, Layout12>(0x1p+24F, v84);  // mhc_pre_fwd_two_pass.cpp:94
        const auto v93 = tj::map<tj::fn::mul, Layout12>(v92, v90);  // mhc_pre_fwd_two_pass.cpp:94
        v94 = v93;
    }
    tj::store<View12, 1>(mixing, 0, tj::At<3>{{tile_5 * 4, 0, 0}}, tj::At<3>{{batch, 17, 17}}, v94);  // mhc_pre_fwd_two_pass.cpp:141
}

extern "C" __global__ void __launch_bounds__(256, 1) mhc_pre_fwd_mix(const tj::bf16* x, tj::i64 x_row, tj::f32* h_pre, tj::bf16* x_layer, tj::i64 x_layer_row, tj::f32* mixing, tj::bf16* x_res, tj::i64 x_res_row, tj::i64 batch) {
    const tj::i64 tile_8 = tj::block<0>();
    const tj::i64 columns_9 = tj::block<1>();
    // role mix: 8 warps
    const auto v95 = tj::load<Layout17, View13, 1>(x, x_row, tj::At<3>{{tile_8 * 15, 0, columns_9 * 34}}, tj::At<3>{{batch, 17, 33}});  // mhc_pre_fwd_two_pass.cpp:163
    const auto v96 = tj::map<tj::fn::to_f32, Layout17>(v95);  // mhc_pre_fwd_two_pass.cpp:163
    const auto v97 = tj::load<Layout18, View14, 1>(h_pre, 0, tj::At<2>{{tile_8 * 15, 0}}, tj::At<2>{{batch, 17}});  // mhc_pre_fwd_two_pass.cpp:164
    const auto v98 = tj::contract<Layout19, 13, 17>(v97, v96, 0x0p+0F);  // mhc_pre_fwd_two_pass.cpp:164
    const auto v99 = tj::map<tj::fn::to_bf16, Layout19>(v98);  // mhc_pre_fwd_two_pass.cpp:164
    tj::store<View15, 1>(x_layer, x_layer_row, tj::At<2>{{tile_8 * 15, columns_9 * 34}}, tj::At<2>{{batch, 33}}, v99);  // mhc_pre_fwd_two_pass.cpp:164
    #pragma unroll 1
    for (int rows_10 = 0; rows_10 < 17; ++rows_10) {  // mhc_pre_fwd_two_pass.cpp:165
        const auto v100 = tj::load<Layout18, View16, 1>(mixing, 0, tj::At<3>{{tile_8 * 15, rows_10, 0}}, tj::At<3>{{batch, 17, 17}});  // mhc_pre_fwd_two_pass.cpp:166
        const auto v101 = tj::contract<Layout19, 13, 17>(v100, v96, 0x0p+0F);  // mhc_pre_fwd_two_pass.cpp:167
        const auto v102 = tj::map<tj::fn::to_bf16, Layout19>(v101);  // mhc_pre_fwd_two_pass.cpp:167
        tj::store<View17, 1>(x_res, x_res_row, tj::At<3>{{tile_8 * 15, rows_10, columns_9 * 34}}, tj::At<3>{{batch, 17, 33}}, v102);  // mhc_pre_fwd_two_pass.cpp:167
    }
}

// Launch plan:
// {
//  "launches": [
//   {
//    "args": [
//     {
//      "kind": "pointer",
//      "name": "x"
//     },
//     {
//      "kind": "row_stride",
//      "name": "x"
//     },
//     {
//      "kind": "pointer",
//      "name": "phi"
//     },
//     {
//      "kind": "row_stride",
//      "name": "phi"
//     },
//     {
//      "kind": "pointer",
//      "name": "partial"
//     },
//     {
//      "kind": "pointer",
//      "name": "squares"
//     },
//     {
//      "kind": "batch",
//      "name": ""
//     }
//    ],
//    "grid": [
//     {
//      "constant": 1,
//      "per": 8
//     },
//     {
//      "constant": 1,
//      "per": 0
//     },
//     {
//      "constant": 11,
//      "per": 0
//     }
//    ],
//    "shared_bytes": 9472,
//    "symbol": "mhc_pre_fwd_project",
//    "threads": 256
//   },
//   {
//    "args": [
//     {
//      "kind": "pointer",
//      "name": "partial"
//     },
//     {
//      "kind": "pointer",
//      "name": "squares"
//     },
//     {
//      "kind": "pointer",
//      "name": "b"
//     },
//     {
//      "kind": "pointer",
//      "name": "h_pre"
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
//      "name": "mixing"
//     },
//     {
//      "kind": "batch",
//      "name": ""
//     },
//     {
//      "kind": "param_f32",
//      "name": "alpha_pre"
//     },
//     {
//      "kind": "param_f32",
//      "name": "alpha_post"
//     },
//     {
//      "kind": "param_f32",
//      "name": "alpha_res"
//     },
//     {
//      "kind": "param_f32",
//      "name": "sinkhorn_eps"
//     },
//     {
//      "kind": "param_i32",
//      "name": "sinkhorn_repeat"
//     }
//    ],
//    "grid": [
//     {
//      "constant": 1,
//      "per": 4
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
//    "shared_bytes": 0,
//    "symbol": "mhc_pre_fwd_coefficients",
//    "threads": 128
//   },
//   {
//    "args": [
//     {
//      "kind": "pointer",
//      "name": "x"
//     },
//     {
//      "kind": "row_stride",
//      "name": "x"
//     },
//     {
//      "kind": "pointer",
//      "name": "h_pre"
//     },
//     {
//      "kind": "pointer",
//      "name": "x_layer"
//     },
//     {
//      "kind": "row_stride",
//      "name": "x_layer"
//     },
//     {
//      "kind": "pointer",
//      "name": "mixing"
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
//      "kind": "batch",
//      "name": ""
//     }
//    ],
//    "grid": [
//     {
//      "constant": 1,
//      "per": 15
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
//    "shared_bytes": 0,
//    "symbol": "mhc_pre_fwd_mix",
//    "threads": 256
//   }
//  ],
//  "workspaces": [
//   {
//    "bytes_per_row": 1292,
//    "name": "partial"
//   },
//   {
//    "bytes_per_row": 4,
//    "name": "squares"
//   },
//   {
//    "bytes_per_row": 68,
//    "name": "h_pre"
//   },
//   {
//    "bytes_per_row": 1156,
//    "name": "mixing"
//   }
//  ]
// }
