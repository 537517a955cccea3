#include "runtime/launch/launch.h"

#include "tests/catch.h"
#include "tests/runtime/fake_driver.h"
#include "tilejit/error.h"

using namespace tilejit;
using testing::FakeDriver;
using testing::stream_number;
using Kind = KernelArg::Kind;

namespace {

constexpr std::int64_t kBigShared = 100 * 1024;

/// Two launches that share a workspace; the second wants much shared memory.
KernelBinary two_launches() {
    KernelBinary binary;
    binary.image = "cubin";
    LaunchPlan& plan = binary.record.plan;
    plan.launches.push_back({.symbol = "first",
                             .grid = {Extent{1, 8}, Extent{3, 0}, Extent{}},
                             .threads = 128,
                             .shared_bytes = 1024,
                             .args = {{Kind::pointer, "x"},
                                      {Kind::pointer, "partial"},
                                      {Kind::row_stride, "x"},
                                      {Kind::batch, ""},
                                      {Kind::param_f32, "alpha"},
                                      {Kind::param_i32, "repeat"}}});
    plan.launches.push_back({.symbol = "second",
                             .grid = {Extent{1, 1}, Extent{}, Extent{}},
                             .threads = 64,
                             .shared_bytes = kBigShared,
                             .args = {{Kind::pointer, "sums"}, {Kind::pointer, "y"}}});
    plan.workspaces = {{"partial", 100}, {"sums", 4}};
    return binary;
}

struct Fixture {
    FakeDriver fake;
    cuda::DriverApi api = fake.api();
    DeviceContext device{api, 0};
    LoadedProgram program{device, two_launches()};
    std::vector<LaunchTensor> tensors{{"x", 0x1000, 640}, {"y", 0x2000, 320}};
    std::vector<LaunchParam> params{{"alpha", 0.1}, {"repeat", -3}};
    LaunchRequest request{tensors, params, 20, 0, stream_number(5)};

    Fixture() { fake.args_of = {{"first", 6}, {"second", 2}}; }
};

float as_float(std::uint64_t bits) {
    float value = 0;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}

}  // namespace

TEST_CASE_METHOD(Fixture, "launches go out in order, on the stream, with grids for the batch", "[launch]") {
    launch(program, request);
    REQUIRE(fake.launches.size() == 2);
    const auto& [first, second] = std::tie(fake.launches[0], fake.launches[1]);
    CHECK(first.symbol == "first");
    CHECK(first.config.grid_x == 3);
    CHECK(first.config.grid_y == 3);
    CHECK(first.config.grid_z == 1);
    CHECK(first.config.block_x == 128);
    CHECK(first.config.block_y == 1);
    CHECK(first.config.shared_bytes == 1024);
    CHECK(second.symbol == "second");
    CHECK(second.config.grid_x == 20);
    for (const auto& one : fake.launches) {
        CHECK(one.config.stream == stream_number(5));
        CHECK(one.config.attribute_count == 0);
    }
}

TEST_CASE_METHOD(Fixture, "arguments follow the plan's order and types", "[launch]") {
    request.workspace = 0x100000;
    launch(program, request);
    const auto& args = fake.launches.at(0).args;
    REQUIRE(args.size() == 6);
    CHECK(args[0] == 0x1000);
    CHECK(args[1] == 0x100000);
    CHECK(args[2] == 640);
    CHECK(args[3] == 20);
    CHECK(as_float(args[4]) == 0.1F);
    CHECK(static_cast<std::int32_t>(args[5]) == -3);
    // `partial` takes 2000 bytes, so `sums` begins at the next multiple of 256.
    CHECK(fake.launches.at(1).args == std::vector<std::uint64_t>{0x100000 + 2048, 0x2000});
}

TEST_CASE_METHOD(Fixture, "a workspace that is not given is made and freed in the stream", "[launch]") {
    launch(program, request);
    REQUIRE(fake.allocated.size() == 1);
    REQUIRE(fake.freed.size() == 1);
    CHECK(fake.allocated.begin()->second == stream_number(5));
    CHECK(fake.freed[0] == std::pair(fake.allocated.begin()->first, stream_number(5)));
    CHECK(fake.launches.at(0).args[1] == fake.freed[0].first);
    CHECK(fake.calls.back() == "cuMemFreeAsync");
}

TEST_CASE_METHOD(Fixture, "a given workspace is neither made nor freed", "[launch]") {
    request.workspace = 0x100000;
    launch(program, request);
    CHECK(fake.allocated.empty());
    CHECK(fake.freed.empty());
}

TEST_CASE_METHOD(Fixture, "a failed launch frees the workspace and names kernel and shape", "[launch]") {
    fake.fail_call = "cuLaunchKernelEx";
    fake.fail_after = 1;
    CHECK_THROWS_WITH(launch(program, request), Catch::Contains("kernel second") && Catch::Contains("grid 20x1x1") &&
                                                    Catch::Contains("CUDA_ERROR_LAUNCH_FAILED"));
    CHECK(fake.freed.size() == 1);
}

TEST_CASE_METHOD(Fixture, "a full device launches nothing", "[launch]") {
    fake.fail_call = "cuMemAllocAsync";
    fake.fail_with = cuda::kErrorOutOfMemory;
    CHECK_THROWS_WITH(launch(program, request), Catch::Contains("CUDA_ERROR_OUT_OF_MEMORY"));
    CHECK(fake.launches.empty());
    CHECK(fake.freed.empty());
}

TEST_CASE_METHOD(Fixture, "much shared memory is opted into once, at loading", "[launch]") {
    CHECK(fake.attributes == std::map<std::string, int>{{"second", static_cast<int>(kBigShared)}});
    launch(program, request);
    launch(program, request);
    CHECK(fake.count("cuFuncSetAttribute") == 1);
    CHECK(fake.count("cuModuleLoadData") == 1);
}

TEST_CASE("a module is unloaded with its program, and contexts end as they were", "[launch]") {
    FakeDriver fake;
    const cuda::DriverApi api = fake.api();
    {
        const DeviceContext device(api, 0);
        const LoadedProgram program(device, two_launches());
        CHECK(fake.modules == 1);
        CHECK(fake.retained == 1);
    }
    CHECK(fake.modules == 0);
    CHECK(fake.retained == 0);
    CHECK(fake.contexts.empty());
}

TEST_CASE("what cannot be loaded is unloaded and said", "[launch]") {
    FakeDriver fake;
    const cuda::DriverApi api = fake.api();
    const DeviceContext device(api, 0);
    SECTION("more shared memory than the device has") {
        fake.shared_optin = 64 * 1024;
        const DeviceContext small(api, 0);
        CHECK_THROWS_WITH(LoadedProgram(small, two_launches()),
                          Catch::Contains("102400 bytes of shared memory") && Catch::Contains("65536"));
    }
    SECTION("a symbol that is not there") {
        fake.fail_call = "cuModuleGetFunction";
        CHECK_THROWS_WITH(LoadedProgram(device, two_launches()), Catch::Contains("kernel first"));
    }
    SECTION("an image that the driver refuses") {
        fake.fail_call = "cuModuleLoadData";
        CHECK_THROWS_WITH(LoadedProgram(device, two_launches()), Catch::Contains("compute capability 9.0"));
    }
    CHECK(fake.modules == 0);
    CHECK(fake.contexts.empty());
}

TEST_CASE("a device that is not there is named with how many there are", "[launch]") {
    FakeDriver fake;
    fake.devices = 2;
    const cuda::DriverApi api = fake.api();
    CHECK_THROWS_WITH(DeviceContext(api, 2), Catch::Contains("cuda:2") && Catch::Contains("2 GPU(s)"));
    CHECK_THROWS_AS(DeviceContext(api, -1), DriverError);
}

TEST_CASE("grids are checked against what a launch can have", "[launch]") {
    LaunchPlan plan;
    plan.launches.push_back({.symbol = "k", .grid = {Extent{1, 1}, Extent{}, Extent{}}, .threads = 32, .args = {}});
    CHECK_NOTHROW(check_grid(plan, 2147483647));
    CHECK_THROWS_WITH(check_grid(plan, 2147483648),
                      Catch::Contains("2147483648 blocks in x") && Catch::Contains("Split the batch"));
    plan.launches[0].grid = {Extent{}, Extent{1, 2}, Extent{}};
    CHECK_NOTHROW(check_grid(plan, 2 * 65535));
    CHECK_THROWS_WITH(check_grid(plan, 2 * 65535 + 1), Catch::Contains("65536 blocks in y"));
}

TEST_CASE("workspaces are rounded one by one, and an overflow is an error", "[launch]") {
    LaunchPlan plan;
    plan.workspaces = {{"a", 1}, {"b", 257}};
    CHECK(workspace_bytes(plan, 1) == 256 + 512);
    CHECK(workspace_bytes({}, 1000) == 0);
    CHECK_THROWS_AS(workspace_bytes(plan, INT64_MAX / 2), ShapeError);
}
