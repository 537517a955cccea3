/// The launch plan's JSON form.

#include "generator/launch_plan.h"
#include "tests/catch.h"
#include "tests/generator/manifest_support.h"

namespace tilejit {
namespace {

LaunchPlan sample() {
    KernelLaunch launch;
    launch.symbol = "mhc_pre_fwd_project";
    launch.grid = {Extent{1, 8}, Extent{16, 0}, Extent{1, 0}};
    launch.threads = 128;
    launch.shared_bytes = 4096;
    launch.args = {{KernelArg::Kind::pointer, "x"},
                   {KernelArg::Kind::row_stride, "x"},
                   {KernelArg::Kind::batch, ""},
                   {KernelArg::Kind::param_f32, "alpha_pre"},
                   {KernelArg::Kind::param_i32, "sinkhorn_repeat"}};
    KernelLaunch persistent = launch;
    persistent.tiles = Extent{1, 16};
    persistent.cluster = 16;
    persistent.programmatic = true;
    const TensorMap map{DType::bf16, {{64, false, 1, false, 64}, {1, true, 1, true, 8}}, true};
    persistent.args = {{KernelArg::Kind::tensor_map, "x", map}};
    return {{launch, persistent}, {{"partial", 6400}}};
}

TEST_CASE("a plan survives its JSON form") {
    const nlohmann::json json = sample();
    CHECK(nlohmann::json::parse(json.dump()).get<LaunchPlan>() == sample());
    CHECK(nlohmann::json(LaunchPlan{}).get<LaunchPlan>() == LaunchPlan{});
    CHECK(json["launches"][0].dump() ==
          R"({"args":[{"kind":"pointer","name":"x"},{"kind":"row_stride","name":"x"},{"kind":"batch","name":""},)"
          R"({"kind":"param_f32","name":"alpha_pre"},{"kind":"param_i32","name":"sinkhorn_repeat"}],)"
          R"("cluster":1,"grid":[{"constant":1,"per":8},{"constant":16,"per":0},{"constant":1,"per":0}],)"
          R"("programmatic":false,"shared_bytes":4096,"symbol":"mhc_pre_fwd_project","threads":128,"tiles":null})");
    CHECK(json["launches"][1]["args"].dump() ==
          R"([{"kind":"tensor_map","map":{"dims":[{"box":64,"by_row":false,"extent":64,"open":false,"stride":1},)"
          R"({"box":8,"by_row":true,"extent":1,"open":true,"stride":1}],"dtype":"bf16","swizzled":true},"name":"x"}])");
    CHECK(json["launches"][1]["tiles"].dump() == R"({"constant":1,"per":16})");
}

TEST_CASE("what is not a plan is a FileError with the place") {
    struct Fault {
        const char* pointer;
        const char* value;
        const char* message;
    };
    const Fault faults[] = {
        {"", "[]", "(root): expected an object with exactly launches, workspaces"},
        {"/extra", "1", "(root): expected an object with exactly launches, workspaces"},
        {"/launches", "{}", "/launches: expected an array of at most 64 entries"},
        {"/launches/1", "7",
         "/launches/1: expected an object with exactly symbol, grid, tiles, cluster, programmatic, threads, "
         "shared_bytes, args"},
        {"/launches/0/symbol", "\"a b\"", "/launches/0/symbol: expected an identifier of at most 256 characters"},
        {"/launches/0/symbol", "null", "/launches/0/symbol: expected an identifier of at most 256 characters"},
        {"/launches/0/grid", "[]", "/launches/0/grid: expected an array of 3 extents"},
        {"/launches/0/grid/1/per", "-1", "/launches/0/grid/1/per: expected an integer from 0 to 2147483647"},
        {"/launches/0/grid/1/constant", "1e3", "/launches/0/grid/1/constant: expected an integer from 0 to 2147483647"},
        {"/launches/0/threads", "0", "/launches/0/threads: expected an integer from 1 to 1024"},
        {"/launches/0/threads", "18446744073709551615", "/launches/0/threads: expected an integer from 1 to 1024"},
        {"/launches/0/shared_bytes", "1048577", "/launches/0/shared_bytes: expected an integer from 0 to 1048576"},
        {"/launches/0/args/0/kind", "\"address\"",
         "/launches/0/args/0/kind: expected one of pointer, row_stride, batch, param_f32, param_i32, tensor_map"},
        {"/launches/0/args/0/name", "\"\"",
         "/launches/0/args/0/name: expected an identifier of at most 256 characters"},
        {"/launches/0/args/2/name", "\"x\"", "/launches/0/args/2/name: expected an empty text for batch"},
        {"/launches/1/cluster", "17", "/launches/1/cluster: expected an integer from 1 to 16"},
        {"/launches/1/programmatic", "1", "/launches/1/programmatic: expected true or false"},
        {"/launches/1/tiles", "3", "/launches/1/tiles: expected an object with exactly constant, per"},
        {"/launches/0/args/0/map", "{}", "/launches/0/args/0: expected an object with exactly kind, name"},
        {"/launches/1/args/0/map", "{}",
         "/launches/1/args/0/map: expected an object with exactly dtype, dims, swizzled"},
        {"/launches/1/args/0/map/dtype", "\"f16\"", "/launches/1/args/0/map/dtype: expected bf16 or f32"},
        {"/launches/1/args/0/map/dims", "[]", "/launches/1/args/0/map/dims: expected a first dimension of stride 1"},
        {"/launches/1/args/0/map/dims", "[0, 0, 0, 0, 0, 0]",
         "/launches/1/args/0/map/dims: expected an array of at most 5 entries"},
        {"/launches/1/args/0/map/dims/0/stride", "2",
         "/launches/1/args/0/map/dims: expected a first dimension of stride 1"},
        {"/launches/1/args/0/map/dims/1/box", "257",
         "/launches/1/args/0/map/dims/1/box: expected an integer from 1 to 256"},
        {"/workspaces/0/bytes_per_row", "-4",
         "/workspaces/0/bytes_per_row: expected an integer from 0 to 1099511627776"},
        {"/workspaces/1", R"({"name": "partial", "bytes_per_row": 4})",
         "/workspaces/1/name: expected a name that no other workspace has"},
    };
    for (const Fault& fault : faults) {
        nlohmann::json json = sample();
        json[nlohmann::json::json_pointer(fault.pointer)] = nlohmann::json::parse(fault.value);
        INFO(fault.pointer << " " << fault.value);
        CHECK_THROWS_AS(json.get<LaunchPlan>(), FileError);
        CHECK_THROWS_WITH(json.get<LaunchPlan>(), std::string("launch plan: ") + fault.message);
    }
}

TEST_CASE("a plan that is refused leaves the old one as it was") {
    LaunchPlan plan = sample();
    CHECK_THROWS_AS(from_json(nlohmann::json::object(), plan), FileError);
    CHECK(plan == sample());
}

TEST_CASE("an extent is a constant or follows the batch") {
    CHECK(Extent{5, 0}.at(1000) == 5);
    CHECK(Extent{1, 8}.at(0) == 0);
    CHECK(Extent{1, 8}.at(8) == 1);
    CHECK(Extent{1, 8}.at(9) == 2);
}

}  // namespace
}  // namespace tilejit
