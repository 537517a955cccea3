// Both operators on the GPU against the fp64 reference: every golden case, a sweep of shapes, and
// tensors whose offsets pass 2^31.
#include <fmt/format.h>

#include <filesystem>

#include "tests/catch.h"
#include "tests/support/op_case.h"
#include "tests/support/shapes.h"

namespace {

using namespace tilejit;
using namespace tilejit::test;

const Device kGpu = Device::cuda(0);

}  // namespace

TEST_CASE("every golden case on the GPU", "[gpu]") {
    int cases = 0;
    for (const auto& entry : std::filesystem::directory_iterator(TILEJIT_SOURCE_DIR "/tests/golden")) {
        const OpCase golden = golden_case(safetensors::read(entry.path().string()));
        INFO(entry.path().filename().string());
        for (const std::int64_t gap : {0, 3}) {
            CHECK(errors_of(golden, run_case(golden, {.device = kGpu, .row_gap = gap})).empty());
        }
        ++cases;
    }
    CHECK(cases == 27);
}

TEST_CASE("random shapes on the GPU", "[gpu]") {
    for (const char* op : {"MHCPreFwdOp", "MHCPostFwdOp"}) {
        std::vector<OpCase> cases;
        for (const Shape& shape : swept_shapes(200, 20261201)) {
            cases.push_back(random_case(op, shape.dims, shape.seed));
        }
        prepare_in_parallel(cases, kGpu);
        for (const OpCase& op_case : cases) {
            INFO(describe(op_case));
            CHECK(errors_of(op_case, run_case(op_case, {.device = kGpu})) == "");
        }
    }
}

TEST_CASE("serving shapes on the GPU", "[gpu]") {
    for (const char* op : {"MHCPreFwdOp", "MHCPostFwdOp"}) {
        for (const std::int64_t c_x : {1280, 1920, 2560, 4096, 5120, 7168}) {
            for (const std::int64_t batch : {1, 2, 16, 65, 130}) {
                const OpCase op_case = random_case(op, {{"n", 4}, {"c_x", c_x}, {"batch", batch}}, 99);
                INFO(describe(op_case));
                CHECK(errors_of(op_case, run_case(op_case, {.device = kGpu, .given_workspace = true})) == "");
            }
        }
        for (const std::int64_t n : {2, 8}) {
            const OpCase op_case = random_case(op, {{"n", n}, {"c_x", 2560}, {"batch", 70}}, 98);
            INFO(describe(op_case));
            CHECK(errors_of(op_case, run_case(op_case, {.device = kGpu})) == "");
        }
    }
}
