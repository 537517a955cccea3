// Both operators through the C++ API on `host`: random shapes against the fp64 reference, and the
// guarantees that hold on every target.
#include "tests/catch.h"
#include "tests/support/op_case.h"
#include "tests/support/shapes.h"

namespace {

using namespace tilejit;
using namespace tilejit::test;

constexpr const char* kOps[] = {"MHCPreFwdOp", "MHCPostFwdOp"};

}  // namespace

TEST_CASE("random shapes on host") {
    for (const char* op : kOps) {
        for (const Shape& shape : swept_shapes(200, 20261201)) {
            const OpCase op_case = random_case(op, shape.dims, shape.seed);
            INFO(describe(op_case));
            CHECK(errors_of(op_case, run_case(op_case, {})) == "");
        }
    }
}

TEST_CASE("bits on host depend on neither batch nor strides") {
    for (const char* op : kOps) {
        for (const auto& [n, c_x] : {std::pair{4, 72}, std::pair{3, 31}, std::pair{12, 16}}) {
            const OpCase whole = random_case(op, {{"n", n}, {"c_x", c_x}, {"batch", 70}}, 5);
            const HostTensors all = run_case(whole, {});
            INFO(describe(whole));
            CHECK(run_case(whole, {.row_gap = 3}) == all);
            CHECK(run_case(whole, {.target = "host:sm_90a", .misalign = 1}) == all);
            for (const auto& [first, count] : {std::pair{0, 1}, std::pair{69, 1}, std::pair{3, 64}}) {
                for (const auto& [name, output] : run_case(some_tokens(whole, first, count), {})) {
                    CHECK(output == all.at(name).rows(first, count));
                }
            }
        }
    }
}
