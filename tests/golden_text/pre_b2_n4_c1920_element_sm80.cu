// mhc_pre_fwd for sm_80
#include "tile.h"

// Axes: 0 token (8), 1 stream (4), 2 part (2), 3 chunk (4), 4 element (8), 5 q (24), 6 half (2), 7 token (64), 8 i (4), 9 k (4), 10 token (1), 11 column (1920), 12 i (4), 13 k (4)

struct Layout1 {
    static constexpr tj::Layout value{256, 2, {{5, 24, 1, 1}, {0, 8, 1, 24}}, 0, {}};
};
struct Layout2 {
    static constexpr tj::Layout value{256, 1, {{0, 8, 1, 1}}, 0, {}};
};
struct Layout3 {
    static constexpr tj::Layout value{256, 4, {{2, 2, 1, 32}, {1, 4, 1, 64}, {0, 4, 1, 1}, {5, 8, 1, 4}}, 3, {{0, 2, 4, 1}, {6, 2, 1, 2}, {5, 3, 8, 4}}};
};
struct Layout4 {
    static constexpr tj::Layout value{256, 5, {{2, 2, 1, 32}, {1, 4, 1, 64}, {3, 4, 1, 1}, {0, 2, 4, 4}, {0, 4, 1, 8}}, 0, {}};
};
struct Layout5 {
    static constexpr tj::Layout value{256, 5, {{2, 2, 1, 32}, {1, 4, 1, 64}, {3, 4, 1, 1}, {0, 2, 4, 4}, {0, 4, 1, 8}}, 1, {{4, 8, 1, 1}}};
};
struct View1 {
    static constexpr tj::View value{3, {{1, true, true, 1, {0}, {1}}, {1920, false, false, 1, {1}, {1}}, {1, false, false, 3, {2, 3, 4}, {160, 8, 1}}}, 0, {}, {}};
};
struct Layout6 {
    static constexpr tj::Layout value{256, 4, {{2, 2, 1, 32}, {1, 4, 1, 64}, {3, 4, 1, 1}, {5, 8, 1, 4}}, 2, {{4, 8, 1, 1}, {5, 3, 8, 8}}};
};
struct View2 {
    static constexpr tj::View value{3, {{1920, true, false, 1, {1}, {1}}, {1, true, false, 3, {2, 3, 4}, {160, 8, 1}}, {1, false, false, 1, {5}, {1}}}, 0, {}, {}};
};
struct Layout7 {
    static constexpr tj::Layout value{256, 4, {{2, 2, 1, 32}, {1, 4, 1, 64}, {3, 4, 1, 1}, {5, 8, 1, 4}}, 3, {{4, 8, 1, 1}, {6, 2, 1, 8}, {5, 3, 8, 16}}};
};
struct Layout8 {
    static constexpr tj::Layout value{256, 4, {{2, 2, 1, 32}, {1, 4, 1, 64}, {0, 4, 1, 1}, {5, 8, 1, 4}}, 2, {{0, 2, 4, 1}, {5, 3, 8, 2}}};
};
struct Over1 {
    static constexpr tj::Over value{1, {6}, {2}};
};
struct Role1 {
    static constexpr tj::Role value{0, 256, 1, 0};
};
struct Buffer1 {
    using type = tj::f32;
    static constexpr tj::Buffer value{0, 1, 1, 6908, 0, 0, false};
};
struct View3 {
    static constexpr tj::View value{4, {{432, false, false, 1, {1}, {1}}, {216, false, false, 1, {2}, {1}}, {9, false, false, 1, {5}, {1}}, {1, false, false, 1, {0}, {1}}}, 0, {}, {}};
};
struct Layout9 {
    static constexpr tj::Layout value{256, 4, {{2, 2, 1, 32}, {1, 4, 1, 64}, {0, 2, 4, 4}, {0, 4, 1, 8}}, 0, {}};
};
struct Over2 {
    static constexpr tj::Over value{1, {3}, {4}};
};
struct Buffer2 {
    using type = tj::f32;
    static constexpr tj::Buffer value{6912, 1, 1, 256, 0, 0, false};
};
struct View4 {
    static constexpr tj::View value{3, {{16, false, false, 1, {1}, {1}}, {8, false, false, 1, {2}, {1}}, {1, false, false, 1, {0}, {1}}}, 0, {}, {}};
};
struct Layout10 {
    static constexpr tj::Layout value{256, 2, {{5, 24, 1, 1}, {0, 8, 1, 24}}, 2, {{2, 2, 1, 1}, {1, 4, 1, 2}}};
};
struct Over3 {
    static constexpr tj::Over value{2, {1, 2}, {4, 2}};
};
struct Layout11 {
    static constexpr tj::Layout value{256, 1, {{0, 8, 1, 1}}, 2, {{2, 2, 1, 1}, {1, 4, 1, 2}}};
};
struct View5 {
    static constexpr tj::View value{3, {{144, false, true, 1, {0}, {1}}, {24, false, false, 0, {}, {}}, {1, false, false, 1, {5}, {1}}}, 0, {}, {}};
};
struct View6 {
    static constexpr tj::View value{3, {{6, false, true, 1, {0}, {1}}, {1, false, false, 0, {}, {}}, {1, false, false, 0, {}, {}}}, 0, {}, {}};
};
struct Layout12 {
    static constexpr tj::Layout value{64, 1, {{7, 64, 1, 1}}, 1, {{8, 4, 1, 1}}};
};
struct Layout13 {
    static constexpr tj::Layout value{64, 1, {{7, 64, 1, 1}}, 2, {{9, 4, 1, 1}, {8, 4, 1, 4}}};
};
struct Layout14 {
    static constexpr tj::Layout value{64, 1, {{7, 64, 1, 1}}, 0, {}};
};
struct View7 {
    static constexpr tj::View value{3, {{144, false, true, 1, {7}, {1}}, {24, false, false, 0, {}, {}}, {1, false, false, 1, {8}, {1}}}, 0, {}, {}};
};
struct View8 {
    static constexpr tj::View value{3, {{144, false, true, 1, {7}, {1}}, {24, false, false, 0, {}, {}}, {1, false, false, 2, {8, 9}, {4, 1}}}, 0, {}, {}};
};
struct View9 {
    static constexpr tj::View value{3, {{6, false, true, 1, {7}, {1}}, {1, false, false, 0, {}, {}}, {1, false, false, 0, {}, {}}}, 0, {}, {}};
};
struct Layout15 {
    static constexpr tj::Layout value{64, 0, {}, 1, {{8, 4, 1, 1}}};
};
struct View10 {
    static constexpr tj::View value{1, {{1, false, false, 1, {8}, {1}}}, 0, {}, {}};
};
struct View11 {
    static constexpr tj::View value{2, {{4, false, true, 1, {7}, {1}}, {1, false, false, 1, {8}, {1}}}, 0, {}, {}};
};
struct View12 {
    static constexpr tj::View value{2, {{1, true, true, 1, {7}, {1}}, {1, false, false, 1, {8}, {1}}}, 0, {}, {}};
};
struct Layout16 {
    static constexpr tj::Layout value{64, 0, {}, 2, {{9, 4, 1, 1}, {8, 4, 1, 4}}};
};
struct View13 {
    static constexpr tj::View value{1, {{1, false, false, 2, {8, 9}, {4, 1}}}, 0, {}, {}};
};
struct Over4 {
    static constexpr tj::Over value{1, {9}, {4}};
};
struct Layout17 {
    static constexpr tj::Layout value{64, 1, {{7, 64, 1, 1}}, 1, {{9, 4, 1, 1}}};
};
struct Over5 {
    static constexpr tj::Over value{1, {8}, {4}};
};
struct View14 {
    static constexpr tj::View value{3, {{16, false, true, 1, {7}, {1}}, {4, false, false, 1, {8}, {1}}, {1, false, false, 1, {9}, {1}}}, 0, {}, {}};
};
struct Layout18 {
    static constexpr tj::Layout value{256, 1, {{11, 240, 8, 1}}, 2, {{11, 8, 1, 1}, {13, 4, 1, 8}}};
};
struct View15 {
    static constexpr tj::View value{3, {{1, true, true, 1, {10}, {1}}, {1920, false, false, 1, {13}, {1}}, {1, false, false, 1, {11}, {1}}}, 0, {}, {}};
};
struct Layout19 {
    static constexpr tj::Layout value{256, 0, {}, 1, {{13, 4, 1, 1}}};
};
struct View16 {
    static constexpr tj::View value{2, {{4, false, true, 1, {10}, {1}}, {1, false, false, 1, {13}, {1}}}, 0, {}, {}};
};
struct Layout20 {
    static constexpr tj::Layout value{256, 1, {{11, 240, 8, 1}}, 1, {{11, 8, 1, 1}}};
};
struct View17 {
    static constexpr tj::View value{2, {{1, true, true, 1, {10}, {1}}, {1, false, false, 1, {11}, {1}}}, 0, {}, {}};
};
struct Layout21 {
    static constexpr tj::Layout value{256, 0, {}, 2, {{13, 4, 1, 1}, {12, 4, 1, 4}}};
};
struct View18 {
    static constexpr tj::View value{3, {{16, false, true, 1, {10}, {1}}, {4, false, false, 1, {12}, {1}}, {1, false, false, 1, {13}, {1}}}, 0, {}, {}};
};
struct Layout22 {
    static constexpr tj::Layout value{256, 1, {{11, 240, 8, 1}}, 2, {{11, 8, 1, 1}, {12, 4, 1, 8}}};
};
struct View19 {
    static constexpr tj::View value{3, {{1, true, true, 1, {10}, {1}}, {1920, false, false, 1, {12}, {1}}, {1, false, false, 1, {11}, {1}}}, 0, {}, {}};
};

extern "C" __global__ void __launch_bounds__(256, 1) mhc_pre_fwd_project(const tj::bf16* x, tj::i64 x_row, const tj::f32* phi, tj::i64 phi_row, tj::f32* partial, tj::f32* squares, tj::i64 batch) {
    const tj::i64 tile_0 = tj::block<0>();
    const tj::i64 slice_1 = tj::block<1>();
    const tj::i64 q_block_2 = tj::block<2>();
    tj::launch_dependents();  // mhc_pre_fwd_two_pass.cpp:58
    // role project: 8 warps
    const auto v0 = tj::fill<Layout1>(0x0p+0F);  // mhc_pre_fwd_two_pass.cpp:82
    const auto v1 = tj::fill<Layout2>(0x0p+0F);  // mhc_pre_fwd_two_pass.cpp:82
    tj::wait_for_dependencies();  // mhc_pre_fwd_two_pass.cpp:81
    auto v24 = v0;
    auto v25 = v1;
    #pragma unroll 1
    for (int group_3 = 0; group_3 < 1; ++group_3) {  // mhc_pre_fwd_two_pass.cpp:81
        const auto& v2 = v24;
        const auto& v3 = v25;
        const auto v4 = tj::fill<Layout3>(0x0p+0F);  // mhc_pre_fwd_two_pass.cpp:74
        const auto v5 = tj::fill<Layout4>(0x0p+0F);  // mhc_pre_fwd_two_pass.cpp:74
        auto v14 = v4;
        auto v15 = v5;
        #pragma unroll 1
        for (int step_4 = 0; step_4 < 5; ++step_4) {  // mhc_pre_fwd_two_pass.cpp:72
            const auto& v6 = v14;
            const auto& v7 = v15;
            const auto v8 = tj::load<Layout5, View1, 1>(x, x_row, tj::At<3>{{tile_0 * 8, group_3 * 4, slice_1 * 320 + step_4 * 32}}, tj::At<3>{{batch, 4, 1920}});  // mhc_pre_fwd_two_pass.cpp:66
            const auto v9 = tj::load<Layout6, View2, 1>(phi, phi_row, tj::At<3>{{group_3 * 4, slice_1 * 320 + step_4 * 32, q_block_2 * 24}}, tj::At<3>{{4, 1920, 24}});  // mhc_pre_fwd_two_pass.cpp:67
            const auto v10 = tj::map<tj::fn::to_f32, Layout5>(v8);  // mhc_pre_fwd_two_pass.cpp:68
            const auto v11 = tj::split<Layout7, 6>(v9);  // mhc_pre_fwd_two_pass.cpp:69
            const auto v12 = tj::mma<3, 1>(v11, v8, v6);  // mhc_pre_fwd_two_pass.cpp:69
            const auto v13 = tj::contract<Layout4, 4, 8>(v10, v10, v7);  // mhc_pre_fwd_two_pass.cpp:70
            v14 = v12;
            v15 = v13;
        }
        const auto v16 = tj::reduce<tj::fn::sum, Layout8, Over1>(v14);  // mhc_pre_fwd_two_pass.cpp:76
        tj::barrier<Role1>();  // mhc_pre_fwd_two_pass.cpp:76
        tj::write<Buffer1, View3, 1>(v16);  // mhc_pre_fwd_two_pass.cpp:76
        const auto v17 = tj::reduce<tj::fn::sum, Layout9, Over2>(v15);  // mhc_pre_fwd_two_pass.cpp:77
        tj::write<Buffer2, View4, 1>(v17);  // mhc_pre_fwd_two_pass.cpp:77
        tj::barrier<Role1>();  // mhc_pre_fwd_two_pass.cpp:78
        const auto v18 = tj::read<Layout10, Buffer1, View3, 1>();  // mhc_pre_fwd_two_pass.cpp:78
        const auto v19 = tj::reduce<tj::fn::sum, Layout1, Over3>(v18);  // mhc_pre_fwd_two_pass.cpp:78
        const auto v20 = tj::map<tj::fn::add, Layout1>(v2, v19);  // mhc_pre_fwd_two_pass.cpp:78
        const auto v21 = tj::read<Layout11, Buffer2, View4, 1>();  // mhc_pre_fwd_two_pass.cpp:79
        const auto v22 = tj::reduce<tj::fn::sum, Layout2, Over3>(v21);  // mhc_pre_fwd_two_pass.cpp:79
        const auto v23 = tj::map<tj::fn::add, Layout2>(v3, v22);  // mhc_pre_fwd_two_pass.cpp:79
        v24 = v20;
        v25 = v23;
    }
    tj::store<View5, 1>(partial, 0, tj::At<3>{{tile_0 * 8, slice_1, q_block_2 * 24}}, tj::At<3>{{batch, 6, 24}}, v24);  // mhc_pre_fwd_two_pass.cpp:83
    tj::store<View6, 1>(squares, 0, tj::At<3>{{tile_0 * 8, slice_1, q_block_2}}, tj::At<3>{{batch, 6, 1}}, v25);  // mhc_pre_fwd_two_pass.cpp:85
}

extern "C" __global__ void __launch_bounds__(64, 1) mhc_pre_fwd_coefficients(tj::f32* partial, tj::f32* squares, const tj::f32* b, tj::f32* h_pre, tj::f32* h_post, tj::i64 h_post_row, tj::f32* mixing, tj::i64 batch, tj::f32 alpha_pre, tj::f32 alpha_post, tj::f32 alpha_res, tj::f32 sinkhorn_eps, tj::i32 sinkhorn_repeat) {
    const tj::i64 tile_5 = tj::block<0>();
    tj::launch_dependents();  // mhc_pre_fwd_two_pass.cpp:100
    // role coefficients: 2 warps
    const auto v26 = tj::fill<Layout12>(0x0p+0F);  // mhc_pre_fwd_two_pass.cpp:111
    const auto v27 = tj::fill<Layout12>(0x0p+0F);  // mhc_pre_fwd_two_pass.cpp:111
    const auto v28 = tj::fill<Layout13>(0x0p+0F);  // mhc_pre_fwd_two_pass.cpp:111
    const auto v29 = tj::fill<Layout14>(0x0p+0F);  // mhc_pre_fwd_two_pass.cpp:111
    tj::wait_for_dependencies();  // mhc_pre_fwd_two_pass.cpp:109
    auto v42 = v26;
    auto v43 = v27;
    auto v44 = v28;
    auto v45 = v29;
    #pragma unroll 1
    for (int slice_6 = 0; slice_6 < 6; ++slice_6) {  // mhc_pre_fwd_two_pass.cpp:109
        const auto& v30 = v42;
        const auto& v31 = v43;
        const auto& v32 = v44;
        const auto& v33 = v45;
        const auto v34 = tj::load<Layout12, View7, 4>(partial, 0, tj::At<3>{{tile_5 * 64, slice_6, 0}}, tj::At<3>{{batch, 6, 24}});  // mhc_pre_fwd_two_pass.cpp:104
        const auto v35 = tj::map<tj::fn::add, Layout12>(v30, v34);  // mhc_pre_fwd_two_pass.cpp:104
        const auto v36 = tj::load<Layout12, View7, 4>(partial, 0, tj::At<3>{{tile_5 * 64, slice_6, 4}}, tj::At<3>{{batch, 6, 24}});  // mhc_pre_fwd_two_pass.cpp:105
        const auto v37 = tj::map<tj::fn::add, Layout12>(v31, v36);  // mhc_pre_fwd_two_pass.cpp:105
        const auto v38 = tj::load<Layout13, View8, 4>(partial, 0, tj::At<3>{{tile_5 * 64, slice_6, 8}}, tj::At<3>{{batch, 6, 24}});  // mhc_pre_fwd_two_pass.cpp:106
        const auto v39 = tj::map<tj::fn::add, Layout13>(v32, v38);  // mhc_pre_fwd_two_pass.cpp:106
        const auto v40 = tj::load<Layout14, View9, 1>(squares, 0, tj::At<3>{{tile_5 * 64, slice_6, 0}}, tj::At<3>{{batch, 6, 1}});  // mhc_pre_fwd_two_pass.cpp:107
        const auto v41 = tj::map<tj::fn::add, Layout14>(v33, v40);  // mhc_pre_fwd_two_pass.cpp:107
        v42 = v35;
        v43 = v37;
        v44 = v39;
        v45 = v41;
    }
    const auto v47 = tj::map<tj::fn::div, Layout14>(v45, 0x1.ep+12F);  // mhc_pre_fwd_coefficients.cpp:34
    const auto v48 = tj::map<tj::fn::sqrt, Layout14>(v47);  // mhc_pre_fwd_coefficients.cpp:34
    const auto v50 = tj::map<tj::fn::add, Layout14>(v48, 0x1.a36e2ep-14F);  // mhc_pre_fwd_coefficients.cpp:34
    const auto v52 = tj::map<tj::fn::div, Layout14>(0x1p+0F, v50);  // mhc_pre_fwd_coefficients.cpp:34
    const auto v53 = tj::load<Layout15, View10, 1>(b, 0, tj::At<1>{{0}}, tj::At<1>{{24}});  // mhc_pre_fwd_coefficients.cpp:38
    const auto v55 = tj::map<tj::fn::mul, Layout12>(alpha_pre, v42);  // mhc_pre_fwd_coefficients.cpp:39
    const auto v56 = tj::map<tj::fn::mul, Layout12>(v55, v52);  // mhc_pre_fwd_coefficients.cpp:39
    const auto v57 = tj::map<tj::fn::add, Layout12>(v56, v53);  // mhc_pre_fwd_coefficients.cpp:39
    const auto v58 = tj::map<tj::fn::sigmoid, Layout12>(v57);  // mhc_pre_fwd_coefficients.cpp:39
    tj::store<View11, 4>(h_pre, 0, tj::At<2>{{tile_5 * 64, 0}}, tj::At<2>{{batch, 4}}, v58);  // mhc_pre_fwd_two_pass.cpp:114
    const auto v59 = tj::load<Layout15, View10, 1>(b, 0, tj::At<1>{{4}}, tj::At<1>{{24}});  // mhc_pre_fwd_coefficients.cpp:43
    const auto v61 = tj::map<tj::fn::mul, Layout12>(alpha_post, v43);  // mhc_pre_fwd_coefficients.cpp:44
    const auto v62 = tj::map<tj::fn::mul, Layout12>(v61, v52);  // mhc_pre_fwd_coefficients.cpp:44
    const auto v63 = tj::map<tj::fn::add, Layout12>(v62, v59);  // mhc_pre_fwd_coefficients.cpp:44
    const auto v64 = tj::map<tj::fn::sigmoid, Layout12>(v63);  // mhc_pre_fwd_coefficients.cpp:44
    const auto v66 = tj::map<tj::fn::mul, Layout12>(0x1p+1F, v64);  // mhc_pre_fwd_coefficients.cpp:44
    tj::store<View12, 1>(h_post, h_post_row, tj::At<2>{{tile_5 * 64, 0}}, tj::At<2>{{batch, 4}}, v66);  // mhc_pre_fwd_two_pass.cpp:115
    const auto v67 = tj::load<Layout16, View13, 1>(b, 0, tj::At<1>{{8}}, tj::At<1>{{24}});  // mhc_pre_fwd_coefficients.cpp:48
    const auto v69 = tj::map<tj::fn::mul, Layout13>(alpha_res, v44);  // mhc_pre_fwd_coefficients.cpp:49
    const auto v70 = tj::map<tj::fn::mul, Layout13>(v69, v52);  // mhc_pre_fwd_coefficients.cpp:49
    const auto v71 = tj::map<tj::fn::add, Layout13>(v70, v67);  // mhc_pre_fwd_coefficients.cpp:49
    const auto v72 = tj::reduce<tj::fn::largest, Layout12, Over4>(v71);  // mhc_pre_fwd_coefficients.cpp:50
    const auto v73 = tj::map<tj::fn::sub, Layout13>(v71, v72);  // mhc_pre_fwd_coefficients.cpp:50
    const auto v74 = tj::map<tj::fn::exp, Layout13>(v73);  // mhc_pre_fwd_coefficients.cpp:50
    auto v93 = v74;
    #pragma unroll 1
    for (int repeat_7 = 0; repeat_7 < sinkhorn_repeat; ++repeat_7) {  // mhc_pre_fwd_coefficients.cpp:52
        const auto& v76 = v93;
        const auto v77 = tj::reduce<tj::fn::sum, Layout12, Over4>(v76);  // mhc_pre_fwd_coefficients.cpp:53
        const auto v78 = tj::map<tj::fn::add, Layout12>(v77, sinkhorn_eps);  // mhc_pre_fwd_coefficients.cpp:53
        const auto v80 = tj::map<tj::fn::mul, Layout12>(0x1p+24F, v78);  // mhc_pre_fwd_coefficients.cpp:14
        const auto v81 = tj::map<tj::fn::reciprocal, Layout12>(v80);  // mhc_pre_fwd_coefficients.cpp:14
        const auto v83 = tj::map<tj::fn::mul, Layout13>(0x1p+24F, v76);  // mhc_pre_fwd_coefficients.cpp:15
        const auto v84 = tj::map<tj::fn::mul, Layout13>(v83, v81);  // mhc_pre_fwd_coefficients.cpp:15
        const auto v85 = tj::reduce<tj::fn::sum, Layout17, Over5>(v84);  // mhc_pre_fwd_coefficients.cpp:54
        const auto v86 = tj::map<tj::fn::add, Layout17>(v85, sinkhorn_eps);  // mhc_pre_fwd_coefficients.cpp:54
        const auto v88 = tj::map<tj::fn::mul, Layout17>(0x1p+24F, v86);  // mhc_pre_fwd_coefficients.cpp:14
        const auto v89 = tj::map<tj::fn::reciprocal, Layout17>(v88);  // mhc_pre_fwd_coefficients.cpp:14
        const auto v91 = tj::map<tj::fn::mul, Layout13>(0x1p+24F, v84);  // mhc_pre_fwd_coefficients.cpp:15
        const auto v92 = tj::map<tj::fn::mul, Layout13>(v91, v89);  // mhc_pre_fwd_coefficients.cpp:15
        v93 = v92;
    }
    tj::store<View14, 4>(mixing, 0, tj::At<3>{{tile_5 * 64, 0, 0}}, tj::At<3>{{batch, 4, 4}}, v93);  // mhc_pre_fwd_two_pass.cpp:116
}

extern "C" __global__ void __launch_bounds__(256, 1) mhc_pre_fwd_mix(const tj::bf16* x, tj::i64 x_row, tj::f32* h_pre, tj::bf16* x_layer, tj::i64 x_layer_row, tj::f32* mixing, tj::bf16* x_res, tj::i64 x_res_row, tj::i64 batch) {
    const tj::i64 tile_8 = tj::block<0>();
    const tj::i64 columns_9 = tj::block<1>();
    // role mix: 8 warps
    const auto v94 = tj::load<Layout18, View15, 1>(x, x_row, tj::At<3>{{tile_8, 0, columns_9 * 1920}}, tj::At<3>{{batch, 4, 1920}});  // mhc_pre_fwd_two_pass.cpp:138
    const auto v95 = tj::map<tj::fn::to_f32, Layout18>(v94);  // mhc_pre_fwd_two_pass.cpp:138
    const auto v96 = tj::load<Layout19, View16, 4>(h_pre, 0, tj::At<2>{{tile_8, 0}}, tj::At<2>{{batch, 4}});  // mhc_pre_fwd_two_pass.cpp:139
    const auto v97 = tj::contract<Layout20, 13, 4>(v96, v95, 0x0p+0F);  // mhc_pre_fwd_two_pass.cpp:139
    const auto v98 = tj::map<tj::fn::to_bf16, Layout20>(v97);  // mhc_pre_fwd_two_pass.cpp:139
    tj::store<View17, 1>(x_layer, x_layer_row, tj::At<2>{{tile_8, columns_9 * 1920}}, tj::At<2>{{batch, 1920}}, v98);  // mhc_pre_fwd_two_pass.cpp:139
    #pragma unroll 1
    for (int rows_10 = 0; rows_10 < 1; ++rows_10) {  // mhc_pre_fwd_two_pass.cpp:140
        const auto v99 = tj::load<Layout21, View18, 4>(mixing, 0, tj::At<3>{{tile_8, rows_10 * 4, 0}}, tj::At<3>{{batch, 4, 4}});  // mhc_pre_fwd_two_pass.cpp:141
        const auto v100 = tj::contract<Layout22, 13, 4>(v99, v95, 0x0p+0F);  // mhc_pre_fwd_two_pass.cpp:142
        const auto v101 = tj::map<tj::fn::to_bf16, Layout22>(v100);  // mhc_pre_fwd_two_pass.cpp:142
        tj::store<View19, 1>(x_res, x_res_row, tj::At<3>{{tile_8, rows_10 * 4, columns_9 * 1920}}, tj::At<3>{{batch, 4, 1920}}, v101);  // mhc_pre_fwd_two_pass.cpp:142
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
//    "cluster": 1,
//    "grid": [
//     {
//      "constant": 1,
//      "per": 8
//     },
//     {
//      "constant": 6,
//      "per": 0
//     },
//     {
//      "constant": 1,
//      "per": 0
//     }
//    ],
//    "programmatic": true,
//    "shared_bytes": 7168,
//    "symbol": "mhc_pre_fwd_project",
//    "threads": 256,
//    "tiles": null
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
//    "cluster": 1,
//    "grid": [
//     {
//      "constant": 1,
//      "per": 64
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
//    "programmatic": true,
//    "shared_bytes": 0,
//    "symbol": "mhc_pre_fwd_coefficients",
//    "threads": 64,
//    "tiles": null
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
//    "cluster": 1,
//    "grid": [
//     {
//      "constant": 1,
//      "per": 1
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
//    "symbol": "mhc_pre_fwd_mix",
//    "threads": 256,
//    "tiles": null
//   }
//  ],
//  "workspaces": [
//   {
//    "bytes_per_row": 576,
//    "name": "partial"
//   },
//   {
//    "bytes_per_row": 24,
//    "name": "squares"
//   },
//   {
//    "bytes_per_row": 16,
//    "name": "h_pre"
//   },
//   {
//    "bytes_per_row": 64,
//    "name": "mixing"
//   }
//  ]
// }
