// Kernels that are not the project's own, on the CPU, lowered for targets with and without a copy engine.
#include "tests/catch.h"
#include "tests/support/op_case.h"
#include "tests/support/sample_ops.h"

namespace {

using namespace tilejit;
using namespace tilejit::test;

}  // namespace

TEST_CASE("sample ops on host") {
    for (const char* target : {"host", "host:sm_90a"}) {
        for (const SampleShape& shape : sample_shapes(40, 20261202)) {
            const OpCase op_case = random_case(shape.op, shape.dims, shape.seed);
            INFO(target << " " << describe(op_case));
            const HostTensors plain = run_case(op_case, {.device = Device::cpu(), .target = target});
            CHECK(errors_of(op_case, plain) == "");
            CHECK(run_case(op_case, {.device = Device::cpu(), .target = target, .row_gap = 3}) == plain);
        }
    }
}
