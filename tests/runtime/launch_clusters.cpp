/// Persistent kernels, clusters, maps for the copy engine: what the driver is asked and told.
#include <algorithm>
#include <array>
#include <cstring>

#include "runtime/launch/launch.h"
#include "tests/catch.h"
#include "tests/runtime/fake_driver.h"
#include "tilejit/error.h"

using namespace tilejit;
using testing::FakeDriver;
using testing::FakeLaunch;
using Kind = KernelArg::Kind;

namespace {

/// x[token, stream, column] with 4 streams of 128 columns: blocks of 64, 8 tokens, 2 blocks, 4 streams.
TensorMap x_map() {
    return {DType::bf16,
            {{64, false, 1, false, 64}, {1, true, 1, true, 8}, {2, false, 64, false, 2}, {4, false, 128, false, 4}},
            true};
}

/// y[row, column] of f32, 32 columns.
TensorMap y_map() { return {DType::f32, {{32, false, 1, false, 32}, {1, true, 1, true, 4}}, false}; }

KernelBinary persistent(int cluster) {
    KernelBinary binary;
    binary.image = "cubin";
    binary.record.plan.launches.push_back({.symbol = "stream",
                                           .grid = {},
                                           .tiles = Extent{1, 8},
                                           .cluster = cluster,
                                           .programmatic = true,
                                           .threads = 384,
                                           .shared_bytes = 200000,
                                           .args = {{Kind::pointer, "x"},
                                                    {Kind::batch, ""},
                                                    {Kind::tensor_map, "x", x_map()},
                                                    {Kind::tensor_map, "y", y_map()}}});
    return binary;
}

struct Fixture {
    FakeDriver fake;
    cuda::DriverApi api = fake.api();
    DeviceContext device{api, 0};
    std::vector<LaunchTensor> tensors{{"x", 0x10000, 512}, {"y", 0x20000, 48}};

    Fixture() { fake.args_of = {{"stream", 4}}; }

    const FakeLaunch& run(const LoadedProgram& program, std::int64_t batch, bool overlap = false) {
        launch(program, {tensors, {}, batch, 0, testing::stream_number(3), overlap});
        return fake.launches.back();
    }
};

std::array<unsigned, 3> cluster_of(const FakeLaunch& launch) {
    std::array<unsigned, 3> size{1, 1, 1};
    for (const cuda::LaunchAttribute& attribute : launch.attributes) {
        if (attribute.id == cuda::kClusterDimension) {
            std::memcpy(size.data(), attribute.value, sizeof size);
        }
    }
    return size;
}

bool is_programmatic(const FakeLaunch& launch) {
    return std::any_of(launch.attributes.begin(), launch.attributes.end(), [](const cuda::LaunchAttribute& attribute) {
        return attribute.id == cuda::kProgrammaticStreamSerialization && attribute.value[0] == 1;
    });
}

}  // namespace

TEST_CASE_METHOD(Fixture, "as many clusters run as fit the device, and no more than there are tiles", "[launch]") {
    const LoadedProgram program(device, persistent(16));
    REQUIRE(fake.asked.size() == 1);
    CHECK(fake.asked[0].symbol == "stream");
    CHECK(fake.asked[0].config.grid_x == 16);
    CHECK(fake.asked[0].config.block_x == 384);
    CHECK(fake.asked[0].config.shared_bytes == 200000);
    CHECK(cluster_of(fake.asked[0]) == std::array<unsigned, 3>{16, 1, 1});
    CHECK(fake.wide == std::vector<std::string>{"stream"});

    CHECK(run(program, 1).config.grid_x == 16);
    CHECK(run(program, 8 * 6).config.grid_x == 16 * 6);
    CHECK(run(program, 100000).config.grid_x == 16 * 7);
    for (const FakeLaunch& launch : fake.launches) {
        CHECK(launch.config.grid_y == 1);
        CHECK(launch.config.grid_z == 1);
        CHECK(cluster_of(launch) == std::array<unsigned, 3>{16, 1, 1});
    }
    CHECK(fake.count("cuOccupancyMaxActiveClusters") == 1);
    CHECK(fake.count("cuFuncSetAttribute") == 2);
}

TEST_CASE_METHOD(Fixture, "clusters of 8 need no permission, and blocks alone no attribute", "[launch]") {
    SECTION("8") {
        const LoadedProgram program(device, persistent(8));
        CHECK(fake.wide.empty());
        CHECK(run(program, 100000).config.grid_x == 8 * 7);
    }
    SECTION("1") {
        const LoadedProgram program(device, persistent(1));
        CHECK(fake.count("cuOccupancyMaxActiveClusters") == 0);
        CHECK(run(program, 100000).config.grid_x == 2 * 132);
        CHECK(run(program, 17).config.grid_x == 3);
        CHECK(fake.launches.back().attributes.empty());
    }
}

TEST_CASE_METHOD(Fixture, "a device on which no cluster fits is an error at loading", "[launch]") {
    fake.clusters_that_fit = 0;
    fake.blocks_that_fit = 0;
    CHECK_THROWS_WITH(LoadedProgram(device, persistent(16)), Catch::Contains("none fits") &&
                                                                 Catch::Contains("clusters of 16 blocks") &&
                                                                 Catch::Contains("384 threads and 200000 bytes"));
    CHECK_THROWS_AS(LoadedProgram(device, persistent(1)), DriverError);
    fake.fail_call = "cuOccupancyMaxActiveClusters";
    CHECK_THROWS_WITH(LoadedProgram(device, persistent(16)), Catch::Contains("kernel stream"));
    CHECK(fake.modules == 0);
}

TEST_CASE_METHOD(Fixture, "a kernel overlaps what is ahead of it only where plan and caller say so", "[launch]") {
    KernelBinary binary = persistent(4);
    const LoadedProgram program(device, binary);
    CHECK_FALSE(is_programmatic(run(program, 64)));
    CHECK(is_programmatic(run(program, 64, true)));
    CHECK(cluster_of(fake.launches.back()) == std::array<unsigned, 3>{4, 1, 1});
    binary.record.plan.launches[0].programmatic = false;
    const LoadedProgram patient(device, binary);
    CHECK_FALSE(is_programmatic(run(patient, 64, true)));
}

TEST_CASE_METHOD(Fixture, "maps are encoded for the call's tensors", "[launch]") {
    const LoadedProgram program(device, persistent(4));
    const FakeLaunch launch = run(program, 1000);
    REQUIRE(fake.maps.size() == 2);
    const testing::FakeMap& x = fake.maps[0];
    CHECK(x.dtype == cuda::kTensorMapBfloat16);
    CHECK(x.address == 0x10000);
    CHECK(x.extents == std::vector<std::uint64_t>{64, 1000, 2, 4});
    CHECK(x.strides == std::vector<std::uint64_t>{1024, 128, 256});
    CHECK(x.box == std::vector<std::uint32_t>{64, 8, 2, 4});
    CHECK(x.element_strides == std::vector<std::uint32_t>{1, 1, 1, 1});
    CHECK(x.swizzle == cuda::kTensorMapSwizzle128B);
    const testing::FakeMap& y = fake.maps[1];
    CHECK(y.dtype == cuda::kTensorMapFloat32);
    CHECK(y.extents == std::vector<std::uint64_t>{32, 1000});
    CHECK(y.strides == std::vector<std::uint64_t>{192});
    CHECK(y.swizzle == cuda::kTensorMapSwizzleNone);
    CHECK(launch.args == std::vector<std::uint64_t>{0x10000, 1000, FakeDriver::kFirstMap, FakeDriver::kFirstMap + 1});
    CHECK(launch.aligned);
}

TEST_CASE_METHOD(Fixture, "a map is encoded again only when its tensor, batch or program is another", "[launch]") {
    const LoadedProgram program(device, persistent(4));
    run(program, 1000);
    run(program, 1000);
    CHECK(fake.maps.size() == 2);
    CHECK(fake.launches[1].args == fake.launches[0].args);
    tensors[1].row_stride = 64;
    run(program, 1000);
    CHECK(fake.maps.size() == 3);
    tensors[0].address = 0x30000;
    run(program, 1000);
    CHECK(fake.maps.size() == 4);
    CHECK(fake.maps[3].address == 0x30000);
    run(program, 999);
    CHECK(fake.maps.size() == 6);
    const LoadedProgram other(device, persistent(4));
    run(other, 999);
    CHECK(fake.maps.size() == 8);
}

TEST_CASE_METHOD(Fixture, "a map that the driver refuses is an error with its shape, and not remembered", "[launch]") {
    const LoadedProgram program(device, persistent(4));
    fake.fail_call = "cuTensorMapEncodeTiled";
    fake.fail_with = cuda::kErrorInvalidValue;
    for (int i = 0; i < 2; ++i) {
        CHECK_THROWS_WITH(run(program, 1000), Catch::Contains("tensor `x` at 0x10000") &&
                                                  Catch::Contains("extents [64, 1000, 2, 4]") &&
                                                  Catch::Contains("strides of [1024, 128, 256] bytes"));
    }
    CHECK(fake.launches.empty());
}

TEST_CASE("batches beyond what kernels can count to are refused", "[launch]") {
    LaunchPlan plan;
    plan.launches.push_back({.symbol = "k", .grid = {}, .tiles = Extent{1, 8}, .threads = 32, .args = {}});
    CHECK_NOTHROW(check_grid(plan, std::int64_t{8} * INT32_MAX));
    CHECK_THROWS_WITH(check_grid(plan, std::int64_t{8} * INT32_MAX + 1),
                      Catch::Contains("more than kernel k can count to"));
    plan.launches[0].args = {{Kind::tensor_map, "x", x_map()}};
    CHECK_NOTHROW(check_grid(plan, INT32_MAX));
    CHECK_THROWS_AS(check_grid(plan, std::int64_t{INT32_MAX} + 1), ShapeError);
}
