/// \file Ops, parameters, targets and dimensions that do not exist.
#include <limits>

#include "tests/catch.h"
#include "tests/runtime/op_tensors.h"
#include "tilejit/mhc.h"

using namespace tilejit;
using testing::OpTensors;

namespace {

Params with(const std::string& name, double value) {
    Params params = testing::pre_params();
    params[name] = value;
    return params;
}

}  // namespace

TEST_CASE("an unknown op lists the known ones", "[op][error]") {
    CHECK_THROWS_AS(Op("MHCPreBwdOp"), OpNotAvailable);
    CHECK_THROWS_WITH(Op("MHCPreBwdOp"), Catch::Contains("MHCPreBwdOp") && Catch::Contains("MHCPreFwdOp") &&
                                             Catch::Contains("MHCPostFwdOp"));
}

TEST_CASE("parameters that are unknown, not finite or out of range", "[op][error]") {
    CHECK_THROWS_AS(Op("MHCPreFwdOp", with("alpha", 1)), ShapeError);
    CHECK_THROWS_WITH(Op("MHCPreFwdOp", with("alpha", 1)),
                      Catch::Contains("no parameter `alpha`") && Catch::Contains("alpha_pre"));
    CHECK_THROWS_WITH(Op("MHCPostFwdOp", {{"alpha", 1}}), Catch::Contains("it takes none"));
    for (const double value : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
        CHECK_THROWS_AS(Op("MHCPreFwdOp", with("alpha_pre", value)), ShapeError);
        CHECK_THROWS_WITH(Op("MHCPreFwdOp", with("alpha_pre", value)), Catch::Contains("alpha_pre"));
    }
    CHECK_THROWS_WITH(Op("MHCPreFwdOp", with("alpha_pre", 1e300)), Catch::Contains("alpha_pre"));
    CHECK_THROWS_WITH(Op("MHCPreFwdOp", with("sinkhorn_repeat", -1)),
                      Catch::Contains("sinkhorn_repeat") && Catch::Contains("-1"));
    CHECK_THROWS_WITH(Op("MHCPreFwdOp", with("sinkhorn_repeat", 1.5)), Catch::Contains("sinkhorn_repeat"));
    CHECK_THROWS_AS(MHCPreFwd(1, 1, 1, -2), ShapeError);
    CHECK_THROWS_AS(MHCPreFwd(1, 1, std::numeric_limits<float>::quiet_NaN(), 2), ShapeError);
}

TEST_CASE("an unknown target lists the known ones", "[op][error]") {
    for (const std::string name : {"sm_81", "host:sm_81", "cpu", "host:", "SM_80"}) {
        INFO(name);
        CHECK_THROWS_AS(Op("MHCPostFwdOp", {}, name), UnknownTarget);
        CHECK_THROWS_WITH(Op("MHCPostFwdOp", {}, name), Catch::Contains("`" + name + "`") &&
                                                            Catch::Contains("sm_90a") && Catch::Contains("BUILTIN") &&
                                                            Catch::Contains("host:sm_120a"));
    }
    CHECK_THROWS_AS(set_default_target("nowhere"), UnknownTarget);
    CHECK(default_target().empty());
}

TEST_CASE("a target of the other memory", "[op][error]") {
    const OpTensors on_cpu = OpTensors::post(2, 4, 8);
    const OpTensors on_gpu = OpTensors::post(2, 4, 8, Device::cuda(0));
    for (const std::string name : {"BUILTIN", "sm_90a"}) {
        const Op op("MHCPostFwdOp", {}, name);
        CHECK_THROWS_AS(op.call(on_cpu.inputs), TargetError);
        CHECK_THROWS_WITH(op.call(on_cpu.inputs), Catch::Contains("`" + name + "`") && Catch::Contains("CPU memory"));
    }
    for (const std::string name : {"host", "host:sm_90a"}) {
        const Op op("MHCPostFwdOp", {}, name);
        CHECK_THROWS_AS(op.call(on_gpu.inputs), TargetError);
        CHECK_THROWS_WITH(op.call(on_gpu.inputs), Catch::Contains("`host`") && Catch::Contains("cuda:0"));
    }
}

TEST_CASE("dimensions that are unknown, missing or illegal", "[op][error]") {
    const MHCPreFwd pre(1, 1, 1, 2);
    CHECK_THROWS_WITH(pre.op().prepare({{"n", 4}, {"c_x", 8}, {"width", 8}}, Device::cpu()), Catch::Contains("width"));
    CHECK_THROWS_WITH(pre.op().prepare({{"n", 4}}, Device::cpu()), Catch::Contains("c_x"));
    CHECK_THROWS_WITH(pre.prepare(33, 8, Device::cpu()), Catch::Contains("33") && Catch::Contains("32"));
    CHECK_THROWS_WITH(pre.op().workspace_bytes({{"n", 4}, {"c_x", 8}}, Device::cpu()), Catch::Contains("batch"));
    CHECK_THROWS_AS(pre.prepare(0, 8, Device::cpu()), ShapeError);
}

TEST_CASE("an output that does not exist", "[op][error]") {
    const Op op("MHCPostFwdOp");
    const OpTensors none = OpTensors::post(0, 4, 8);
    const Outputs outputs = op.call(none.inputs);
    CHECK_THROWS_WITH(outputs["x_res"], Catch::Contains("no output `x_res`") && Catch::Contains("x_out"));
}

TEST_CASE("tensors that cannot be allocated or copied", "[op][error]") {
    CHECK_THROWS_AS(Tensor::empty(DType::f32, {-1}, Device::cpu()), ShapeError);
    CHECK_THROWS_AS(Tensor::empty(DType::f32, {std::int64_t{1} << 62, 2}, Device::cpu()), ShapeError);
    const Tensor two = Tensor::empty(DType::f32, {2}, Device::cpu());
    const Tensor three = Tensor::empty(DType::f32, {3}, Device::cpu());
    CHECK_THROWS_WITH(copy(two, three), Catch::Contains("f32 [2] to f32 [3]"));
    TensorView strided = Tensor::borrow(two).view();
    strided.strides = {2};
    CHECK_THROWS_WITH(copy(strided, two), Catch::Contains("no gaps"));
}
