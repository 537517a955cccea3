/// Roles, channels and clusters as text and in the launch plan.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "generator/emit/emit.h"
#include "tests/generator/lowered_exchange.h"
#include "tests/generator/program_support.h"

namespace tilejit::test {
namespace {

/// The lines of a text without indentation and comments.
std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) {
        line.erase(0, line.find_first_not_of(' '));
        line = line.substr(0, line.find("  //"));
        lines.push_back(line);
    }
    return lines;
}

/// Checks that these lines follow one another in this order, others between them.
void check_order(const std::string& text, const std::vector<std::string>& wanted) {
    const std::vector<std::string> lines = lines_of(text);
    auto at = lines.begin();
    for (const std::string& line : wanted) {
        INFO(line);
        at = std::find(at, lines.end(), line);
        REQUIRE(at != lines.end());
        ++at;
    }
}

TEST_CASE("roles are branches, in groups of four warps where they have register budgets") {
    const std::string text = emit::cuda_text(LoweredExchange("sm_90a").program());
    INFO(text);
    check_order(
        text, {"extern \"C\" __global__ void __launch_bounds__(512, 1) exchange(const tj::f32* w, tj::i64 batch, "
               "const __grid_constant__ tj::TensorMap x_map, const __grid_constant__ tj::TensorMap y_map) {",
               "const int rank_0 = tj::rank();", "const int turns = tj::turns<8>((batch + 7) / 8);",
               "tj::init_syncs<Sync1, Sync2, Sync3, Sync4>();", "tj::cluster_barrier<8>();", "tj::launch_dependents();",
               "if (tj::warps<0, 8>()) {", "tj::set_registers<168, 128>();", "// role project: 8 warps",
               "} else if (tj::warps<8, 8>()) {", "tj::set_registers<88, 128>();", "if (tj::warps<8, 1>()) {",
               "} else if (tj::warps<9, 1>()) {", "} else if (tj::warps<10, 4>()) {", "tj::cluster_barrier<8>();"});
}

TEST_CASE("loops over tiles take turns; loops that are written out say so") {
    const std::string text = emit::cuda_text(LoweredExchange("sm_90a").program());
    INFO(text);
    check_order(text, {"for (int turn_2 = 0; turn_2 < turns; ++turn_2) {",
                       "tj::wait<Sync1>(turn_2);",
                       "#pragma unroll",
                       "for (int step_3 = 0; step_3 < 4; ++step_3) {",
                       "const auto v6 = tj::select<Layout4, 7, 4>(v1, step_3);",
                       "tj::arrive<Sync2>(turn_2);",
                       "tj::send_to_owner<Buffer3, View4, Sync3, 4, 8>(v10, turn_2, tj::At<3>{{rank_0, 0, 0}});",
                       "tj::wait_for_dependencies();",
                       "for (int turn_2 = 0; turn_2 < turns; ++turn_2) {",
                       "const tj::i64 tile_1 = tj::tile<8>(turn_2);",
                       "tj::wait_before<Sync2>(turn_2);",
                       "tj::expect<Sync1, Role2, 16384>(turn_2);",
                       "tj::copy_in<Buffer1, Sync1, Role2>(x_map, turn_2, tj::At<4>{{0, tile_1 * 8, rank_0 * 4, 0}});",
                       "for (int turn_2 = tj::rank(); turn_2 < turns; turn_2 += 8) {",
                       "tj::send_to_all<Buffer4, View6, Sync4, 4, 8>(v12, turn_2, tj::At<3>{{0, 0, 0}});",
                       "#pragma unroll 1",
                       "tj::proxy_fence();",
                       "tj::barrier<Role4>();",
                       "tj::copy_out<Buffer1, Role4>(y_map, turn_2, tj::At<4>{{0, tile_1 * 8, rank_0 * 4, 0}});",
                       "tj::copy_done<Role4, 0>();",
                       "tj::arrive_once<Sync2, Role4>(turn_2);"});
}

TEST_CASE("copies of a role start at their own turn") {
    ir::Program program = LoweredExchange("sm_90a").program();
    ir::Kernel& kernel = program.kernels[0];
    for (ir::Role& role : kernel.roles) {
        role.registers = 0;
    }
    kernel.roles[2].copies = 3;
    const std::string text = emit::cuda_text(program);
    INFO(text);
    check_order(text, {"if (tj::warps<0, 8>()) {", "} else if (tj::warps<9, 3>()) {",
                       "for (int turn_2 = tj::rank() + tj::copy<Role3>() * 8; turn_2 < turns; turn_2 += 24) {",
                       "} else if (tj::warps<12, 4>()) {"});
    kernel.roles[1].copies = 2;
    check_order(emit::cuda_text(program), {"for (int turn_2 = tj::copy<Role2>(); turn_2 < turns; turn_2 += 2) {"});
}

TEST_CASE("roles and copies of more than one warp that no named barrier is left for are an error") {
    ir::Program program = LoweredExchange("sm_90a").program();
    program.kernels[0].at = {"exchange.cpp", 7};
    program.kernels[0].roles[3].copies = 15;
    CHECK(generate_error([&] { emit::cuda_text(program); }) ==
          "exchange.cpp:7: kernel 'exchange' has 16 roles and copies of more than one warp, at most 15 can wait for "
          "themselves; give some of them one warp");
}

TEST_CASE("the plan says clusters, tiles and boxes") {
    const LaunchPlan plan = emit::launch_plan(LoweredExchange("sm_90a").program());
    REQUIRE(plan.launches.size() == 1);
    const KernelLaunch& launch = plan.launches[0];
    CHECK(launch.tiles == Extent{1, 8});
    CHECK(launch.cluster == 8);
    CHECK(launch.programmatic);
    CHECK(launch.threads == 512);
    using Kind = KernelArg::Kind;
    const TensorMap map{
        DType::bf16,
        {{64, false, 1, false, 64}, {1, true, 1, true, 8}, {32, false, 64, false, 4}, {4, false, 2048, false, 4}},
        true};
    CHECK(launch.args ==
          std::vector<KernelArg>{
              {Kind::pointer, "w"}, {Kind::batch, ""}, {Kind::tensor_map, "x", map}, {Kind::tensor_map, "y", map}});
    CHECK(nlohmann::json(plan).get<LaunchPlan>() == plan);
}

TEST_CASE("a tensor that is copied in two shapes has two maps") {
    ir::Program program = LoweredExchange("sm_90a").program();
    for (ir::Tensor& tensor : program.tensors) {
        tensor.argument = tensor.argument == "y" ? "x" : tensor.argument;
    }
    program.tensors.back().dims[1].stride = 4096;
    const std::string text = emit::cuda_text(program);
    INFO(text);
    CHECK(text.find("tj::TensorMap x_map, const __grid_constant__ tj::TensorMap x_map2)") != std::string::npos);
    CHECK(text.find("tj::copy_out<Buffer1, Role4>(x_map2, ") != std::string::npos);
    CHECK(emit::launch_plan(program).launches[0].args.size() == 4);
}

}  // namespace
}  // namespace tilejit::test
