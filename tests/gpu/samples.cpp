// Kernels that are not the project's own: a pipelined row softmax and a skinny matrix product with split K.

#include "tests/catch.h"
#include "tests/support/op_case.h"
#include "tests/support/sample_ops.h"

namespace {

using namespace tilejit;
using namespace tilejit::test;

}  // namespace

TEST_CASE("sample ops on the GPU", "[gpu][samples]") {
    std::vector<OpCase> cases;
    for (const SampleShape& shape : sample_shapes(40, 20261203)) {
        cases.push_back(random_case(shape.op, shape.dims, shape.seed));
    }
    prepare_in_parallel(cases, Device::cuda(0));
    for (const OpCase& op_case : cases) {
        INFO(describe(op_case));
        const HostTensors plain = run_case(op_case, {.device = Device::cuda(0)});
        CHECK(errors_of(op_case, plain) == "");
        CHECK(run_case(op_case, {.device = Device::cuda(0), .row_gap = 3}) == plain);
        CHECK(run_case(op_case, {.device = Device::cuda(0)}) == plain);
    }
}
