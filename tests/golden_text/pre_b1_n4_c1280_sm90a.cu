// mhc_pre_fwd for sm_90a
#include "tile.h"

// Axes: 0 stream (4), 1 token (8), 2 column (320), 3 i (4), 4 k (4), 5 q (24), 6 row (25), 7 partial_rank (4), 8 entry (20), 9 part (2), 10 step (5), 11 chunk (4), 12 element (8), 13 half (2), 14 row (25), 15 some (4)

struct Sync1 {
    static constexpr tj::Sync value{206880, 3, 4, 1, true};
};
struct Sync2 {
    static constexpr tj::Sync value{206904, 9, 1, 1, true};
};
struct Sync3 {
    static constexpr tj::Sync value{206976, 9, 1, 1, false};
};
struct Sync4 {
    static constexpr tj::Sync value{207048, 9, 1, 13, false};
};
struct Layout1 {
    static constexpr tj::Layout value{256, 4, {{9, 2, 1, 32}, {0, 4, 1, 64}, {11, 4, 1, 1}, {5, 8, 1, 4}}, 3, {{12, 8, 1, 1}, {5, 3, 8, 8}, {10, 5, 1, 24}}};
};
struct View1 {
    static constexpr tj::View value{3, {{1280, true, false, 1, {0}, {1}}, {1, true, false, 4, {9, 11, 12, 10}, {160, 8, 1, 32}}, {1, false, false, 1, {5}, {1}}}, 0, {}, {}};
};
struct Layout2 {
    static constexpr tj::Layout value{256, 4, {{9, 2, 1, 32}, {0, 4, 1, 64}, {11, 4, 1, 1}, {5, 8, 1, 4}}, 4, {{12, 8, 1, 1}, {13, 2, 1, 8}, {5, 3, 8, 16}, {10, 5, 1, 48}}};
};
struct Layout3 {
    static constexpr tj::Layout value{256, 4, {{9, 2, 1, 32}, {0, 4, 1, 64}, {1, 4, 1, 1}, {5, 8, 1, 4}}, 3, {{1, 2, 4, 1}, {13, 2, 1, 2}, {5, 3, 8, 4}}};
};
struct Layout4 {
    static constexpr tj::Layout value{256, 5, {{9, 2, 1, 32}, {0, 4, 1, 64}, {11, 4, 1, 1}, {1, 2, 4, 4}, {1, 4, 1, 8}}, 0, {}};
};
struct Layout5 {
    static constexpr tj::Layout value{256, 5, {{9, 2, 1, 32}, {0, 4, 1, 64}, {11, 4, 1, 1}, {1, 2, 4, 4}, {1, 4, 1, 8}}, 1, {{12, 8, 1, 1}}};
};
struct Buffer1 {
    using type = tj::bf16;
    static constexpr tj::Buffer value{0, 9, 1, 20480, 64, 512, true};
};
struct View2 {
    static constexpr tj::View value{3, {{2560, false, false, 1, {0}, {1}}, {64, false, false, 1, {1}, {1}}, {1, false, false, 3, {9, 11, 12}, {160, 8, 1}}}, 0, {}, {}};
};
struct Layout6 {
    static constexpr tj::Layout value{256, 4, {{9, 2, 1, 32}, {0, 4, 1, 64}, {11, 4, 1, 1}, {5, 8, 1, 4}}, 3, {{12, 8, 1, 1}, {13, 2, 1, 8}, {5, 3, 8, 16}}};
};
struct Layout7 {
    static constexpr tj::Layout value{256, 4, {{9, 2, 1, 32}, {0, 4, 1, 64}, {1, 4, 1, 1}, {5, 8, 1, 4}}, 2, {{1, 2, 4, 1}, {5, 3, 8, 2}}};
};
struct Over1 {
    static constexpr tj::Over value{1, {13}, {2}};
};
struct Role1 {
    static constexpr tj::Role value{0, 256, 1, 1};
};
struct Buffer2 {
    using type = tj::f32;
    static constexpr tj::Buffer value{199680, 1, 1, 6144, 0, 0, false};
};
struct View3 {
    static constexpr tj::View value{4, {{384, false, false, 1, {0}, {1}}, {192, false, false, 1, {9}, {1}}, {8, false, false, 1, {5}, {1}}, {1, false, false, 1, {1}, {1}}}, 0, {}, {}};
};
struct Layout8 {
    static constexpr tj::Layout value{256, 4, {{9, 2, 1, 32}, {0, 4, 1, 64}, {1, 2, 4, 4}, {1, 4, 1, 8}}, 0, {}};
};
struct Over2 {
    static constexpr tj::Over value{1, {11}, {4}};
};
struct Buffer3 {
    using type = tj::f32;
    static constexpr tj::Buffer value{205824, 1, 1, 256, 0, 0, false};
};
struct View4 {
    static constexpr tj::View value{3, {{16, false, false, 1, {0}, {1}}, {8, false, false, 1, {9}, {1}}, {1, false, false, 1, {1}, {1}}}, 0, {}, {}};
};
struct Layout9 {
    static constexpr tj::Layout value{256, 2, {{1, 8, 1, 1}, {5, 24, 1, 8}}, 2, {{9, 2, 1, 1}, {0, 4, 1, 2}}};
};
struct Layout10 {
    static constexpr tj::Layout value{256, 2, {{1, 8, 1, 1}, {5, 24, 1, 8}}, 0, {}};
};
struct Over3 {
    static constexpr tj::Over value{2, {0, 9}, {4, 2}};
};
struct Buffer4 {
    using type = tj::f32;
    static constexpr tj::Buffer value{184320, 3, 4, 3200, 0, 0, false};
};
struct View5 {
    static constexpr tj::View value{3, {{200, false, false, 0, {}, {}}, {8, false, false, 1, {5}, {1}}, {1, false, false, 1, {1}, {1}}}, 0, {}, {}};
};
struct Layout11 {
    static constexpr tj::Layout value{256, 1, {{1, 8, 1, 1}}, 2, {{9, 2, 1, 1}, {0, 4, 1, 2}}};
};
struct Layout12 {
    static constexpr tj::Layout value{256, 1, {{1, 8, 1, 1}}, 0, {}};
};
struct View6 {
    static constexpr tj::View value{3, {{200, false, false, 0, {}, {}}, {8, false, false, 0, {}, {}}, {1, false, false, 1, {1}, {1}}}, 0, {}, {}};
};
struct Role2 {
    static constexpr tj::Role value{256, 32, 1, 2};
};
struct Role3 {
    static constexpr tj::Role value{288, 32, 1, 2};
};
struct Layout13 {
    static constexpr tj::Layout value{32, 2, {{1, 8, 1, 1}, {14, 4, 1, 8}}, 2, {{14, 7, 4, 1}, {7, 4, 1, 7}}, 288, 1};
};
struct View7 {
    static constexpr tj::View value{3, {{200, false, false, 1, {7}, {1}}, {8, false, false, 1, {14}, {1}}, {1, false, false, 1, {1}, {1}}}, 1, {14}, {25}};
};
struct Layout14 {
    static constexpr tj::Layout value{32, 2, {{1, 8, 1, 1}, {14, 4, 1, 8}}, 1, {{14, 7, 4, 1}}, 288, 1};
};
struct Over4 {
    static constexpr tj::Over value{1, {7}, {4}};
};
struct Buffer5 {
    using type = tj::f32;
    static constexpr tj::Buffer value{206080, 1, 1, 800, 0, 0, false};
};
struct View8 {
    static constexpr tj::View value{2, {{8, false, false, 1, {14}, {1}}, {1, false, false, 1, {1}, {1}}}, 1, {14}, {25}};
};
struct Layout15 {
    static constexpr tj::Layout value{32, 1, {{1, 8, 1, 1}}, 0, {}, 288, 1};
};
struct View9 {
    static constexpr tj::View value{2, {{8, false, false, 0, {}, {}}, {1, false, false, 1, {1}, {1}}}, 0, {}, {}};
};
struct Layout16 {
    static constexpr tj::Layout value{32, 1, {{1, 8, 1, 1}}, 1, {{3, 4, 1, 1}}, 288, 1};
};
struct View10 {
    static constexpr tj::View value{2, {{8, false, false, 1, {3}, {1}}, {1, false, false, 1, {1}, {1}}}, 0, {}, {}};
};
struct Layout17 {
    static constexpr tj::Layout value{32, 0, {}, 1, {{3, 4, 1, 1}}, 288, 1};
};
struct View11 {
    static constexpr tj::View value{1, {{1, false, false, 1, {3}, {1}}}, 0, {}, {}};
};
struct View12 {
    static constexpr tj::View value{2, {{1, true, true, 1, {1}, {1}}, {1, false, false, 1, {3}, {1}}}, 0, {}, {}};
};
struct Buffer6 {
    using type = tj::f32;
    static constexpr tj::Buffer value{193920, 9, 1, 640, 0, 0, false};
};
struct View13 {
    static constexpr tj::View value{2, {{20, false, false, 1, {1}, {1}}, {1, false, false, 1, {3}, {1}}}, 0, {}, {}};
};
struct Layout18 {
    static constexpr tj::Layout value{32, 1, {{1, 8, 1, 1}}, 2, {{4, 4, 1, 1}, {3, 4, 1, 4}}, 288, 1};
};
struct View14 {
    static constexpr tj::View value{2, {{8, false, false, 2, {3, 4}, {4, 1}}, {1, false, false, 1, {1}, {1}}}, 0, {}, {}};
};
struct Layout19 {
    static constexpr tj::Layout value{32, 0, {}, 2, {{4, 4, 1, 1}, {3, 4, 1, 4}}, 288, 1};
};
struct View15 {
    static constexpr tj::View value{1, {{1, false, false, 2, {3, 4}, {4, 1}}}, 0, {}, {}};
};
struct Over5 {
    static constexpr tj::Over value{1, {4}, {4}};
};
struct Layout20 {
    static constexpr tj::Layout value{32, 1, {{1, 8, 1, 1}}, 1, {{4, 4, 1, 1}}, 288, 1};
};
struct Over6 {
    static constexpr tj::Over value{1, {3}, {4}};
};
struct View16 {
    static constexpr tj::View value{2, {{20, false, false, 1, {1}, {1}}, {1, false, false, 2, {3, 4}, {4, 1}}}, 0, {}, {}};
};
struct Role4 {
    static constexpr tj::Role value{320, 160, 1, 2};
};
struct Layout21 {
    static constexpr tj::Layout value{160, 2, {{2, 40, 8, 1}, {15, 4, 1, 40}}, 2, {{2, 8, 1, 1}, {4, 4, 1, 8}}, 320, 1};
};
struct View17 {
    static constexpr tj::View value{3, {{2560, false, false, 1, {4}, {1}}, {64, false, false, 1, {15}, {1}}, {1, false, false, 1, {2}, {1}}}, 0, {}, {}};
};
struct Layout22 {
    static constexpr tj::Layout value{160, 1, {{15, 4, 1, 40}}, 1, {{4, 4, 1, 1}}, 320, 1};
};
struct View18 {
    static constexpr tj::View value{2, {{20, false, false, 1, {15}, {1}}, {1, false, false, 1, {4}, {1}}}, 0, {}, {}};
};
struct Layout23 {
    static constexpr tj::Layout value{160, 2, {{2, 40, 8, 1}, {15, 4, 1, 40}}, 1, {{2, 8, 1, 1}}, 320, 1};
};
struct View19 {
    static constexpr tj::View value{2, {{1, true, true, 1, {15}, {1}}, {1, false, false, 1, {2}, {1}}}, 0, {}, {}};
};
struct Layout24 {
    static constexpr tj::Layout value{160, 1, {{15, 4, 1, 40}}, 2, {{4, 4, 1, 1}, {3, 4, 1, 4}}, 320, 1};
};
struct View20 {
    static constexpr tj::View value{2, {{20, false, false, 1, {15}, {1}}, {1, false, false, 2, {3, 4}, {4, 1}}}, 0, {}, {}};
};
struct Layout25 {
    static constexpr tj::Layout value{160, 2, {{2, 40, 8, 1}, {15, 4, 1, 40}}, 2, {{2, 8, 1, 1}, {3, 4, 1, 8}}, 320, 1};
};
struct View21 {
    static constexpr tj::View value{3, {{1, true, true, 1, {15}, {1}}, {1280, false, false, 1, {3}, {1}}, {1, false, false, 1, {2}, {1}}}, 0, {}, {}};
};

extern "C" __global__ void __launch_bounds__(512, 1) mhc_pre_fwd_single_pass(const tj::f32* phi, tj::i64 phi_row, const tj::f32* b, tj::f32* h_post, tj::i64 h_post_row, tj::bf16* x_layer, tj::i64 x_layer_row, tj::bf16* x_res, tj::i64 x_res_row, tj::i64 batch, tj::f32 alpha_pre, tj::f32 alpha_post, tj::f32 alpha_res, tj::f32 sinkhorn_eps, tj::i32 sinkhorn_repeat, const __grid_constant__ tj::TensorMap x_map) {
    const int slice_0 = tj::rank();
    const int turns = tj::turns<4>((batch + 7) / 8);
    tj::init_syncs<Sync1, Sync2, Sync3, Sync4>();  // mhc_pre_fwd_single_pass.cpp:40
    tj::cluster_barrier<4>();  // mhc_pre_fwd_single_pass.cpp:40
    tj::launch_dependents();  // mhc_pre_fwd_single_pass.cpp:40
    if (tj::warps<0, 8>()) {
        tj::set_registers<168, 128>();
        // role project: 8 warps
        const auto v0 = tj::load<Layout1, View1, 1>(phi, phi_row, tj::At<3>{{0, slice_0 * 320, 0}}, tj::At<3>{{4, 1280, 24}});  // mhc_pre_fwd_single_pass.cpp:75
        const auto v1 = tj::split<Layout2, 13>(v0);  // mhc_pre_fwd_single_pass.cpp:75
        #pragma unroll 1
        for (int turn_2 = 0; turn_2 < turns; ++turn_2) {  // mhc_pre_fwd_single_pass.cpp:76
            tj::wait<Sync3>(turn_2);  // mhc_pre_fwd_single_pass.cpp:77
            const auto v2 = tj::fill<Layout3>(0x0p+0F);  // mhc_pre_fwd_single_pass.cpp:80
            const auto v3 = tj::fill<Layout4>(0x0p+0F);  // mhc_pre_fwd_single_pass.cpp:81
            auto v11 = v2;
            auto v12 = v3;
            #pragma unroll
            for (int step_3 = 0; step_3 < 5; ++step_3) {  // mhc_pre_fwd_single_pass.cpp:79
                const auto& v4 = v11;
                const auto& v5 = v12;
                const auto v6 = tj::read<Layout5, Buffer1, View2, 8>(turn_2, tj::At<3>{{0, 0, step_3 * 32}});  // mhc_pre_fwd_single_pass.cpp:83
                const auto v7 = tj::map<tj::fn::to_f32, Layout5>(v6);  // mhc_pre_fwd_single_pass.cpp:84
                const auto v8 = tj::select<Layout6, 10, 5>(v1, step_3);  // mhc_pre_fwd_single_pass.cpp:85
                const auto v9 = tj::mma<3, 1>(v8, v6, v4);  // mhc_pre_fwd_single_pass.cpp:85
                const auto v10 = tj::contract<Layout4, 12, 8>(v7, v7, v5);  // mhc_pre_fwd_single_pass.cpp:86
                v11 = v9;
                v12 = v10;
            }
            tj::arrive<Sync4>(turn_2);  // mhc_pre_fwd_single_pass.cpp:79
            const auto v13 = tj::reduce<tj::fn::sum, Layout7, Over1>(v11);  // mhc_pre_fwd_single_pass.cpp:88
            tj::barrier<Role1>();  // mhc_pre_fwd_single_pass.cpp:88
            tj::write<Buffer2, View3, 1>(v13);  // mhc_pre_fwd_single_pass.cpp:88
            const auto v14 = tj::reduce<tj::fn::sum, Layout8, Over2>(v12);  // mhc_pre_fwd_single_pass.cpp:89
            tj::write<Buffer3, View4, 1>(v14);  // mhc_pre_fwd_single_pass.cpp:89
            tj::barrier<Role1>();  // mhc_pre_fwd_single_pass.cpp:90
            const auto v15 = tj::read<Layout9, Buffer2, View3, 1>();  // mhc_pre_fwd_single_pass.cpp:90
            const auto v16 = tj::reduce<tj::fn::sum, Layout10, Over3>(v15);  // mhc_pre_fwd_single_pass.cpp:90
            tj::send_to_owner<Buffer4, View5, Sync1, 1, 4>(v16, turn_2, tj::At<3>{{slice_0, 0, 0}});  // mhc_pre_fwd_single_pass.cpp:90
            const auto v17 = tj::read<Layout11, Buffer3, View4, 1>();  // mhc_pre_fwd_single_pass.cpp:91
            const auto v18 = tj::reduce<tj::fn::sum, Layout12, Over3>(v17);  // mhc_pre_fwd_single_pass.cpp:91
            tj::send_to_owner<Buffer4, View6, Sync1, 1, 4>(v18, turn_2, tj::At<3>{{slice_0, 24, 0}});  // mhc_pre_fwd_single_pass.cpp:91
        }
    } else if (tj::warps<8, 8>()) {
        tj::set_registers<88, 128>();
        if (tj::warps<8, 1>()) {  // role load: 1 warp
            tj::wait_for_dependencies();  // mhc_pre_fwd_single_pass.cpp:50
            #pragma unroll 1
            for (int turn_5 = 0; turn_5 < turns; ++turn_5) {  // mhc_pre_fwd_single_pass.cpp:50
                const tj::i64 tile_4 = tj::tile<4>(turn_5);
                tj::wait_before<Sync4>(turn_5);  // mhc_pre_fwd_single_pass.cpp:51
                tj::expect<Sync3, Role2, 20480>(turn_5);  // mhc_pre_fwd_single_pass.cpp:51
                tj::copy_in<Buffer1, Sync3, Role2>(x_map, turn_5, tj::At<4>{{0, tile_4 * 8, slice_0 * 5, 0}});  // mhc_pre_fwd_single_pass.cpp:51
            }
        } else if (tj::warps<9, 1>()) {  // role coefficients: 1 warp
            tj::wait_for_dependencies();  // mhc_pre_fwd_single_pass.cpp:99
            #pragma unroll 1
            for (int turn_7 = tj::rank(); turn_7 < turns; turn_7 += 4) {  // mhc_pre_fwd_single_pass.cpp:99
                const tj::i64 tile_6 = tj::tile<4>(turn_7);
                tj::expect<Sync1, Role3, 3200>(turn_7);  // mhc_pre_fwd_single_pass.cpp:101
                tj::wait<Sync1>(turn_7);  // mhc_pre_fwd_single_pass.cpp:101
                const auto v19 = tj::read<Layout13, Buffer4, View7, 1>(turn_7);  // mhc_pre_fwd_single_pass.cpp:102
                const auto v20 = tj::reduce<tj::fn::sum, Layout14, Over4>(v19);  // mhc_pre_fwd_single_pass.cpp:102
                tj::barrier<Role3>();  // mhc_pre_fwd_single_pass.cpp:102
                tj::write<Buffer5, View8, 1>(v20);  // mhc_pre_fwd_single_pass.cpp:102
                tj::barrier<Role3>();  // mhc_pre_fwd_single_pass.cpp:103
                const auto v21 = tj::read<Layout15, Buffer5, View9, 1>(0, tj::At<2>{{24, 0}});  // mhc_pre_fwd_single_pass.cpp:103
                const auto v23 = tj::map<tj::fn::div, Layout15>(v21, 0x1.4p+12F);  // mhc_pre_fwd_coefficients.cpp:34
                const auto v24 = tj::map<tj::fn::sqrt, Layout15>(v23);  // mhc_pre_fwd_coefficients.cpp:34
                const auto v26 = tj::map<tj::fn::add, Layout15>(v24, 0x1.a36e2ep-14F);  // mhc_pre_fwd_coefficients.cpp:34
                const auto v28 = tj::map<tj::fn::div, Layout15>(0x1p+0F, v26);  // mhc_pre_fwd_coefficients.cpp:34
                const auto v29 = tj::read<Layout16, Buffer5, View10, 1>(0, tj::At<2>{{4, 0}});  // mhc_pre_fwd_single_pass.cpp:104
                const auto v30 = tj::load<Layout17, View11, 4>(b, 0, tj::At<1>{{4}}, tj::At<1>{{24}});  // mhc_pre_fwd_coefficients.cpp:43
                const auto v32 = tj::map<tj::fn::mul, Layout16>(alpha_post, v29);  // mhc_pre_fwd_coefficients.cpp:44
                const auto v33 = tj::map<tj::fn::mul, Layout16>(v32, v28);  // mhc_pre_fwd_coefficients.cpp:44
                const auto v34 = tj::map<tj::fn::add, Layout16>(v33, v30);  // mhc_pre_fwd_coefficients.cpp:44
                const auto v35 = tj::map<tj::fn::sigmoid, Layout16>(v34);  // mhc_pre_fwd_coefficients.cpp:44
                const auto v37 = tj::map<tj::fn::mul, Layout16>(0x1p+1F, v35);  // mhc_pre_fwd_coefficients.cpp:44
                tj::store<View12, 4>(h_post, h_post_row, tj::At<2>{{tile_6 * 8, 0}}, tj::At<2>{{batch, 4}}, v37);  // mhc_pre_fwd_single_pass.cpp:105
                const auto v38 = tj::read<Layout16, Buffer5, View10, 1>();  // mhc_pre_fwd_single_pass.cpp:106
                const auto v39 = tj::load<Layout17, View11, 4>(b, 0, tj::At<1>{{0}}, tj::At<1>{{24}});  // mhc_pre_fwd_coefficients.cpp:38
                const auto v41 = tj::map<tj::fn::mul, Layout16>(alpha_pre, v38);  // mhc_pre_fwd_coefficients.cpp:39
                const auto v42 = tj::map<tj::fn::mul, Layout16>(v41, v28);  // mhc_pre_fwd_coefficients.cpp:39
                const auto v43 = tj::map<tj::fn::add, Layout16>(v42, v39);  // mhc_pre_fwd_coefficients.cpp:39
                const auto v44 = tj::map<tj::fn::sigmoid, Layout16>(v43);  // mhc_pre_fwd_coefficients.cpp:39
                tj::send_to_all<Buffer6, View13, Sync2, 4, 4>(v44, turn_7, tj::At<2>{{0, 0}});  // mhc_pre_fwd_single_pass.cpp:106
                const auto v45 = tj::read<Layout18, Buffer5, View14, 1>(0, tj::At<2>{{8, 0}});  // mhc_pre_fwd_single_pass.cpp:107
                const auto v46 = tj::load<Layout19, View15, 4>(b, 0, tj::At<1>{{8}}, tj::At<1>{{24}});  // mhc_pre_fwd_coefficients.cpp:48
                const auto v48 = tj::map<tj::fn::mul, Layout18>(alpha_res, v45);  // mhc_pre_fwd_coefficients.cpp:49
                const auto v49 = tj::map<tj::fn::mul, Layout18>(v48, v28);  // mhc_pre_fwd_coefficients.cpp:49
                const auto v50 = tj::map<tj::fn::add, Layout18>(v49, v46);  // mhc_pre_fwd_coefficients.cpp:49
                const auto v51 = tj::reduce<tj::fn::largest, Layout16, Over5>(v50);  // mhc_pre_fwd_coefficients.cpp:50
                const auto v52 = tj::map<tj::fn::sub, Layout18>(v50, v51);  // mhc_pre_fwd_coefficients.cpp:50
                const auto v53 = tj::map<tj::fn::exp, Layout18>(v52);  // mhc_pre_fwd_coefficients.cpp:50
                auto v72 = v53;
                #pragma unroll 1
                for (int repeat_8 = 0; repeat_8 < sinkhorn_repeat; ++repeat_8) {  // mhc_pre_fwd_coefficients.cpp:52
                    const auto& v55 = v72;
                    const auto v56 = tj::reduce<tj::fn::sum, Layout16, Over5>(v55);  // mhc_pre_fwd_coefficients.cpp:53
                    const auto v57 = tj::map<tj::fn::add, Layout16>(v56, sinkhorn_eps);  // mhc_pre_fwd_coefficients.cpp:53
                    const auto v59 = tj::map<tj::fn::mul, Layout16>(0x1p+24F, v57);  // mhc_pre_fwd_coefficients.cpp:14
                    const auto v60 = tj::map<tj::fn::reciprocal, Layout16>(v59);  // mhc_pre_fwd_coefficients.cpp:14
                    const auto v62 = tj::map<tj::fn::mul, Layout18>(0x1p+24F, v55);  // mhc_pre_fwd_coefficients.cpp:15
                    const auto v63 = tj::map<tj::fn::mul, Layout18>(v62, v60);  // mhc_pre_fwd_coefficients.cpp:15
                    const auto v64 = tj::reduce<tj::fn::sum, Layout20, Over6>(v63);  // mhc_pre_fwd_coefficients.cpp:54
                    const auto v65 = tj::map<tj::fn::add, Layout20>(v64, sinkhorn_eps);  // mhc_pre_fwd_coefficients.cpp:54
                    const auto v67 = tj::map<tj::fn::mul, Layout20>(0x1p+24F, v65);  // mhc_pre_fwd_coefficients.cpp:14
                    const auto v68 = tj::map<tj::fn::reciprocal, Layout20>(v67);  // mhc_pre_fwd_coefficients.cpp:14
                    const auto v70 = tj::map<tj::fn::mul, Layout18>(0x1p+24F, v63);  // mhc_pre_fwd_coefficients.cpp:15
                    const auto v71 = tj::map<tj::fn::mul, Layout18>(v70, v68);  // mhc_pre_fwd_coefficients.cpp:15
                    v72 = v71;
                }
                tj::send_to_all<Buffer6, View16, Sync2, 4, 4>(v72, turn_7, tj::At<2>{{0, 4}});  // mhc_pre_fwd_single_pass.cpp:108
            }
        } else if (tj::warps<10, 5>()) {  // role mix: 5 warps
            tj::wait_for_dependencies();  // mhc_pre_fwd_single_pass.cpp:118
            #pragma unroll 1
            for (int turn_10 = 0; turn_10 < turns; ++turn_10) {  // mhc_pre_fwd_single_pass.cpp:118
                const tj::i64 tile_9 = tj::tile<4>(turn_10);
                tj::expect<Sync2, Role4, 640>(turn_10);  // mhc_pre_fwd_single_pass.cpp:119
                tj::wait<Sync2>(turn_10);  // mhc_pre_fwd_single_pass.cpp:119
                tj::wait<Sync3>(turn_10);  // mhc_pre_fwd_single_pass.cpp:120
                #pragma unroll 1
                for (int group_11 = 0; group_11 < 2; ++group_11) {  // mhc_pre_fwd_single_pass.cpp:121
                    const auto v73 = tj::read<Layout21, Buffer1, View17, 8>(turn_10, tj::At<3>{{0, group_11 * 4, 0}});  // mhc_pre_fwd_single_pass.cpp:125
                    const auto v74 = tj::map<tj::fn::to_f32, Layout21>(v73);  // mhc_pre_fwd_single_pass.cpp:125
                    const auto v75 = tj::read<Layout22, Buffer6, View18, 4>(turn_10, tj::At<2>{{group_11 * 4, 0}});  // mhc_pre_fwd_single_pass.cpp:126
                    const auto v76 = tj::contract<Layout23, 4, 4>(v75, v74, 0x0p+0F);  // mhc_pre_fwd_single_pass.cpp:127
                    const auto v77 = tj::map<tj::fn::to_bf16, Layout23>(v76);  // mhc_pre_fwd_single_pass.cpp:127
                    tj::store<View19, 8>(x_layer, x_layer_row, tj::At<2>{{tile_9 * 8 + group_11 * 4, slice_0 * 320}}, tj::At<2>{{batch, 1280}}, v77);  // mhc_pre_fwd_single_pass.cpp:127
                    const auto v78 = tj::read<Layout24, Buffer6, View20, 4>(turn_10, tj::At<2>{{group_11 * 4, 4}});  // mhc_pre_fwd_single_pass.cpp:128
                    const auto v79 = tj::contract<Layout25, 4, 4>(v78, v74, 0x0p+0F);  // mhc_pre_fwd_single_pass.cpp:129
                    const auto v80 = tj::map<tj::fn::to_bf16, Layout25>(v79);  // mhc_pre_fwd_single_pass.cpp:129
                    tj::store<View21, 8>(x_res, x_res_row, tj::At<3>{{tile_9 * 8 + group_11 * 4, 0, slice_0 * 320}}, tj::At<3>{{batch, 4, 1280}}, v80);  // mhc_pre_fwd_single_pass.cpp:129
                }
                tj::arrive<Sync4>(turn_10);  // mhc_pre_fwd_single_pass.cpp:121
            }
        }
    }
    tj::cluster_barrier<4>();  // mhc_pre_fwd_single_pass.cpp:40
}

// Launch plan:
// {
//  "launches": [
//   {
//    "args": [
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
//      "name": "b"
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
//      "name": "x_layer"
//     },
//     {
//      "kind": "row_stride",
//      "name": "x_layer"
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
//     },
//     {
//      "kind": "tensor_map",
//      "map": {
//       "dims": [
//        {
//         "box": 64,
//         "by_row": false,
//         "extent": 64,
//         "open": false,
//         "stride": 1
//        },
//        {
//         "box": 8,
//         "by_row": true,
//         "extent": 1,
//         "open": true,
//         "stride": 1
//        },
//        {
//         "box": 5,
//         "by_row": false,
//         "extent": 20,
//         "open": false,
//         "stride": 64
//        },
//        {
//         "box": 4,
//         "by_row": false,
//         "extent": 4,
//         "open": false,
//         "stride": 1280
//        }
//       ],
//       "dtype": "bf16",
//       "swizzled": true
//      },
//      "name": "x"
//     }
//    ],
//    "cluster": 4,
//    "grid": [
//     {
//      "constant": 1,
//      "per": 0
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
//    "shared_bytes": 207120,
//    "symbol": "mhc_pre_fwd_single_pass",
//    "threads": 512,
//    "tiles": {
//     "constant": 1,
//     "per": 8
//    }
//   }
//  ],
//  "workspaces": []
// }
