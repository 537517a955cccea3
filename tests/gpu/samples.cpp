// Kernels that are not the project's own: a pipelined row softmax and a skinny matrix product with split K.

#include "tests/catch.h"
#include "tests/support/op_case.h"
#include "tests/support/sample_ops.h"

namespace {

using namespace tilejit;
using namespace tilejit::test;

const Device kGpu = Device::cuda(0);

}  // namespace

TEST_CASE("sample ops on the GPU", "[gpu][samples]") {
    std::vector<OpCase> cases;
    for (const SampleShape& shape : sample_shapes(40, 20261203)) {
        cases.push_back(random_case(shape.op, shape.dims, shape.seed));
    }
    prepare_in_parallel(cases, kGpu);
    for (const OpCase& op_case : cases) {
        INFO(describe(op_case));
        const HostTensors plain = run_case(op_case, {.device = kGpu});
        CHECK(errors_of(op_case, plain) == "");
        CHECK(run_case(op_case, {.device = kGpu, .row_gap = 3}) == plain);
        CHECK(run_case(op_case, {.device = kGpu}) == plain);
    }
}

// For compute-sanitizer: a few tiles of each op, all through the copy engine.
TEST_CASE("sample ops through the copy engine", "[gpu][samples]") {
    for (const OpCase& op_case : {random_case("RowSoftmaxOp", {{"batch", 1700}, {"width", 256}}, 1),
                                  random_case("RowSoftmaxOp", {{"batch", 300}, {"width", 1024}}, 2),
                                  random_case("SkinnyGemmOp", {{"batch", 19}, {"k", 640}, {"m", 40}}, 3)}) {
        INFO(describe(op_case));
        CHECK(errors_of(op_case, run_case(op_case, {.device = kGpu})) == "");
    }
}
