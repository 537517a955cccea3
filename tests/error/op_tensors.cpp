/// \file Tensors that do not fit, one kind a test. Nothing may run, and the text must help.
#include "tests/runtime/op_tensors.h"

#include "tests/catch.h"
#include "tilejit/mhc.h"
#include "tilejit/op.h"

using namespace tilejit;
using testing::OpTensors;
using testing::shifted;

namespace {

/// The text of the `ShapeError` that a call throws; checks that no other type comes.
std::string refusal(const Op& op, const OpTensors& tensors) {
    try {
        op.call(tensors.inputs, {.outputs = tensors.outputs});
    } catch (const ShapeError& error) {
        return error.what();
    } catch (const std::exception& error) {
        FAIL("another error: " << error.what());
    }
    FAIL("nothing was thrown");
    return {};
}

struct Fixture {
    Op pre{"MHCPreFwdOp", testing::pre_params()};
    Op post{"MHCPostFwdOp"};
    OpTensors of_pre = OpTensors::pre(3, 4, 40);
    OpTensors of_post = OpTensors::post(3, 4, 40);
};

}  // namespace

TEST_CASE_METHOD(Fixture, "wrong dtype", "[op][error]") {
    of_pre.inputs["x"].dtype = DType::f32;
    CHECK_THAT(refusal(pre, of_pre), Catch::Contains("MHCPreFwdOp: input `x`: expected dtype bf16, found f32"));
    of_post.outputs["x_out"].dtype = DType::f32;
    CHECK_THAT(refusal(post, of_post), Catch::Contains("output `x_out`: expected dtype bf16, found f32"));
}

TEST_CASE_METHOD(Fixture, "wrong rank", "[op][error]") {
    of_pre.inputs["x"] = of_pre.make(DType::bf16, {160});
    CHECK_THAT(refusal(pre, of_pre), Catch::Contains("`x`: expected bf16 [batch, K], of rank 2 or more") &&
                                         Catch::Contains("[160] of rank 1"));
    of_pre = OpTensors::pre(3, 4, 40);
    of_pre.inputs["phi"] = of_pre.make(DType::f32, {2, 80, 24});
    CHECK_THAT(refusal(pre, of_pre), Catch::Contains("`phi`: expected f32 [K, Q], of rank 2, found shape [2, 80, 24]"));
}

TEST_CASE_METHOD(Fixture, "shapes that contradict each other", "[op][error]") {
    of_pre.inputs["x"] = of_pre.make(DType::bf16, {3, 161});
    const std::string text = refusal(pre, of_pre);
    CHECK_THAT(text, Catch::Contains("phi") && Catch::Contains("161") && Catch::Contains("160"));
    of_post.inputs["h_post"] = of_post.make(DType::f32, {5, 4});
    CHECK_THAT(refusal(post, of_post), Catch::Contains("h_post") && Catch::Contains("5") && Catch::Contains("3"));
}

TEST_CASE_METHOD(Fixture, "an output of another shape", "[op][error]") {
    of_pre.outputs["h_post"] = of_pre.make(DType::f32, {3, 5});
    CHECK_THAT(refusal(pre, of_pre), Catch::Contains("h_post"));
}

TEST_CASE_METHOD(Fixture, "columns of phi that belong to no n", "[op][error]") {
    of_pre.inputs["phi"] = of_pre.make(DType::f32, {160, 23});
    CHECK_THAT(refusal(pre, of_pre), Catch::Contains("phi") && Catch::Contains("23"));
}

TEST_CASE_METHOD(Fixture, "gaps in the last axis", "[op][error]") {
    of_pre.inputs["x"] = of_pre.make(DType::bf16, {3, 320});
    of_pre.inputs["x"].shape = {3, 160};
    of_pre.inputs["x"].strides = {320, 2};
    CHECK_THAT(refusal(pre, of_pre), Catch::Contains("`x`: axis 1 has stride 2, expected 1") &&
                                         Catch::Contains("make the tensor contiguous"));
}

TEST_CASE_METHOD(Fixture, "gaps in a tensor of rank 1", "[op][error]") {
    of_pre.inputs["b"] = of_pre.make(DType::f32, {48});
    of_pre.inputs["b"].shape = {24};
    of_pre.inputs["b"].strides = {2};
    CHECK_THAT(refusal(pre, of_pre), Catch::Contains("`b`: axis 0 has stride 2, expected 1"));
}

TEST_CASE_METHOD(Fixture, "rows that overlap", "[op][error]") {
    for (const std::int64_t stride : {0, 159, -160}) {
        of_pre.inputs["x"].strides = {stride, 1};
        CHECK_THAT(refusal(pre, of_pre), Catch::Contains("`x`: the row stride is " + std::to_string(stride)) &&
                                             Catch::Contains("at least 160"));
    }
}

TEST_CASE_METHOD(Fixture, "leading axes that do not join", "[op][error]") {
    of_pre.inputs["x"] = of_pre.make(DType::bf16, {2, 4, 160});
    of_pre.inputs["x"].shape = {2, 3, 160};
    CHECK_THAT(refusal(pre, of_pre),
               Catch::Contains("axis 0 has stride 640, expected 480") && Catch::Contains("leading axes must join"));
}

TEST_CASE_METHOD(Fixture, "strides and shape of different length", "[op][error]") {
    of_pre.inputs["x"].strides = {1};
    CHECK_THAT(refusal(pre, of_pre), Catch::Contains("`x`: shape [3, 160] has 2 axes and strides [1] have 1"));
}

TEST_CASE_METHOD(Fixture, "negative and overflowing extents", "[op][error]") {
    of_pre.inputs["x"].shape = {-3, 160};
    CHECK_THAT(refusal(pre, of_pre), Catch::Contains("`x`: shape [-3, 160] has a negative extent"));
    of_pre.inputs["x"].shape = {std::int64_t{1} << 60, 160};
    CHECK_THAT(refusal(pre, of_pre), Catch::Contains("`x`") && Catch::Contains("2^63"));
    of_pre.inputs["x"].shape = {3, 160};
    of_pre.inputs["x"].strides = {std::int64_t{1} << 62, 1};
    CHECK_THAT(refusal(pre, of_pre), Catch::Contains("`x`") && Catch::Contains("2^63"));
}

TEST_CASE_METHOD(Fixture, "tensors on several devices", "[op][error]") {
    of_pre.inputs["x"].device = Device::cuda(1);
    CHECK_THAT(refusal(pre, of_pre), Catch::Contains("`x` is on cuda:1") && Catch::Contains("`phi` is on cpu") &&
                                         Catch::Contains("on one device"));
}

TEST_CASE_METHOD(Fixture, "null pointers", "[op][error]") {
    of_pre.inputs["b"].data = nullptr;
    CHECK_THAT(refusal(pre, of_pre), Catch::Contains("input `b` of shape [24] has a null pointer"));
    of_post.outputs["x_out"].data = nullptr;
    CHECK_THAT(refusal(post, of_post), Catch::Contains("output `x_out` of shape [3, 160] has a null pointer"));
}

TEST_CASE_METHOD(Fixture, "pointers that do not fit the element", "[op][error]") {
    of_pre.inputs["x"] = shifted(of_pre.inputs["x"], 1);
    CHECK_THAT(refusal(pre, of_pre), Catch::Contains("`x`") && Catch::Contains("not a multiple of 2 bytes"));
    of_post.inputs["h_post"] = shifted(of_post.inputs["h_post"], 2);
    CHECK_THAT(refusal(post, of_post), Catch::Contains("`h_post`") && Catch::Contains("not a multiple of 4 bytes"));
}

TEST_CASE_METHOD(Fixture, "an output over an input", "[op][error]") {
    of_pre.outputs["x_res"] = of_pre.inputs["x"];
    CHECK_THAT(refusal(pre, of_pre),
               Catch::Contains("output `x_res` shares memory with input `x`") && Catch::Contains("memory of its own"));
}

TEST_CASE_METHOD(Fixture, "an output over another", "[op][error]") {
    of_pre.outputs["x_layer"].data = of_pre.outputs["x_res"].data;
    CHECK_THAT(refusal(pre, of_pre), Catch::Contains("shares memory with output"));
}

TEST_CASE_METHOD(Fixture, "an output that nearly is the input it may be", "[op][error]") {
    of_post.inputs["x_res"] = of_post.make(DType::bf16, {4, 160});
    of_post.inputs["x_res"].shape = {3, 160};
    of_post.outputs["x_out"] = shifted(of_post.inputs["x_res"], 2);
    CHECK_THAT(refusal(post, of_post),
               Catch::Contains("`x_out` shares memory with input `x_res`") && Catch::Contains("exactly `x_res`"));
    of_post.outputs["x_out"] = of_post.inputs["x_res"];
    of_post.outputs["x_out"].strides = {168, 1};
    CHECK_THAT(refusal(post, of_post), Catch::Contains("exactly `x_res`"));
}

TEST_CASE_METHOD(Fixture, "unknown and missing tensors", "[op][error]") {
    of_pre.inputs["y"] = of_pre.inputs["x"];
    CHECK_THAT(refusal(pre, of_pre), Catch::Contains("no input `y`") && Catch::Contains("phi, x, b"));
    of_pre.inputs.erase("y");
    of_pre.inputs.erase("b");
    CHECK_THAT(refusal(pre, of_pre), Catch::Contains("input `b` is missing"));
    of_post.outputs["x_res"] = of_post.inputs["x_res"];
    CHECK_THAT(refusal(post, of_post), Catch::Contains("no output `x_res`") && Catch::Contains("x_out"));
}

TEST_CASE_METHOD(Fixture, "a wrong number of tensors in order", "[op][error]") {
    const std::vector<TensorView> two{of_pre.inputs["phi"], of_pre.inputs["x"]};
    CHECK_THROWS_WITH(pre.call(two), Catch::Contains("expected 3 inputs (phi, x, b), found 2"));
}

TEST_CASE_METHOD(Fixture, "a failed call leaves the op as it was", "[op][error]") {
    OpTensors on_gpu = OpTensors::post(3, 4, 40, Device::cuda(0));
    on_gpu.inputs["h_post"].dtype = DType::bf16;
    refusal(post, on_gpu);
    of_post.inputs["h_post"].data = nullptr;
    // Had the failed call settled the op on the GPU, this would be a `TargetError`.
    CHECK_THAT(refusal(post, of_post), Catch::Contains("null pointer"));
}
