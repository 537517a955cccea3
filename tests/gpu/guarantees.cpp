// What numerics promise beyond accuracy, on the GPU: the same bits for a token whatever its batch,
// position, neighbours and strides; poison contained; nothing launched for an empty batch.
#include <cmath>
#include <cstring>

#include "tests/catch.h"
#include "tests/support/op_case.h"

namespace {

using namespace tilejit;
using namespace tilejit::test;

const Device kGpu = Device::cuda(0);
constexpr const char* kOps[] = {"MHCPreFwdOp", "MHCPostFwdOp"};

}  // namespace

TEST_CASE("a token's bits do not depend on its batch", "[gpu]") {
    for (const char* op : kOps) {
        for (const auto& [n, c_x] : {std::pair{4, 1280}, std::pair{4, 33}, std::pair{8, 320}, std::pair{12, 40}}) {
            // 5000 tokens are in the last range of batches; parts of them are in the others.
            const OpCase whole = random_case(op, {{"n", n}, {"c_x", c_x}, {"batch", 5000}}, 5);
            const HostTensors all = run_case(whole, {.device = kGpu});
            INFO(describe(whole));
            CHECK(run_case(whole, {.device = kGpu}) == all);
            for (const auto& [first, count] : {std::pair{0, 1}, std::pair{17, 1}, std::pair{4999, 1}, std::pair{3, 13},
                                               std::pair{1000, 64}, std::pair{900, 65}, std::pair{1, 4096}}) {
                INFO("tokens " << first << " + " << count);
                for (const auto& [name, output] : run_case(some_tokens(whole, first, count), {.device = kGpu})) {
                    CHECK(output == all.at(name).rows(first, count));
                }
            }
        }
    }
}

TEST_CASE("strides and alignment do not change bits", "[gpu]") {
    for (const char* op : kOps) {
        for (const auto& [n, c_x] : {std::pair{4, 1280}, std::pair{4, 72}, std::pair{2, 31}, std::pair{16, 48}}) {
            const OpCase op_case = random_case(op, {{"n", n}, {"c_x", c_x}, {"batch", 67}}, 6);
            const HostTensors plain = run_case(op_case, {.device = kGpu});
            INFO(describe(op_case));
            CHECK(errors_of(op_case, plain) == "");
            CHECK(run_case(op_case, {.device = kGpu, .row_gap = 8}) == plain);
            CHECK(run_case(op_case, {.device = kGpu, .row_gap = 3}) == plain);
            CHECK(run_case(op_case, {.device = kGpu, .misalign = 1}) == plain);
            CHECK(run_case(op_case, {.device = kGpu, .row_gap = 1, .misalign = 3}) == plain);
        }
    }
}

TEST_CASE("a poisoned token changes no other", "[gpu]") {
    for (const float poison : {INFINITY, -INFINITY, NAN}) {
        const OpCase clean = random_case("MHCPreFwdOp", {{"n", 4}, {"c_x", 320}, {"batch", 70}}, 7);
        OpCase poisoned = clean;
        HostTensor& x = poisoned.inputs.at("x");
        std::uint32_t bits = 0;
        std::memcpy(&bits, &poison, sizeof(bits));
        const auto half = static_cast<std::uint16_t>(bits >> 16U);
        std::memcpy(x.bytes.data() + (11 * 4 * 320 + 5) * 2, &half, 2);
        const HostTensors expected = run_case(clean, {.device = kGpu});
        const HostTensors got = run_case(poisoned, {.device = kGpu});
        CHECK(errors_of(poisoned, got) == "");
        for (const auto& [name, output] : got) {
            CHECK(output.rows(0, 11) == expected.at(name).rows(0, 11));
            CHECK(output.rows(12, 58) == expected.at(name).rows(12, 58));
        }
    }
}

TEST_CASE("an empty batch succeeds and reads no pointer", "[gpu]") {
    const Op pre("MHCPreFwdOp");
    const HostTensors weights = random_case("MHCPreFwdOp", {{"n", 4}, {"c_x", 64}, {"batch", 1}}, 8).inputs;
    const TensorView phi = TensorView::contiguous(nullptr, DType::f32, {256, 24}, kGpu);
    const TensorView x = TensorView::contiguous(nullptr, DType::bf16, {0, 256}, kGpu);
    const TensorView b = TensorView::contiguous(nullptr, DType::f32, {24}, kGpu);
    const Outputs outputs = pre.call({{"phi", phi}, {"x", x}, {"b", b}});
    CHECK(outputs["x_res"].shape() == std::vector<std::int64_t>{0, 256});
    synchronize(kGpu);
}

TEST_CASE("post works in place", "[gpu]") {
    const OpCase op_case = random_case("MHCPostFwdOp", {{"n", 4}, {"c_x", 264}, {"batch", 67}}, 9);
    const HostTensors expected = run_case(op_case, {.device = kGpu});
    NamedTensors inputs;
    std::vector<Tensor> memory;
    for (const auto& [name, tensor] : op_case.inputs) {
        memory.push_back(Tensor::empty(tensor.dtype, tensor.shape, kGpu));
        copy(TensorView::contiguous(const_cast<std::byte*>(tensor.bytes.data()), tensor.dtype, tensor.shape,
                                    Device::cpu()),
             memory.back());
        inputs[name] = memory.back();
    }
    Op("MHCPostFwdOp").call(inputs, {.outputs = {{"x_out", inputs["x_res"]}}});
    HostTensor got = expected.at("x_out");
    copy(inputs["x_res"], TensorView::contiguous(got.bytes.data(), got.dtype, got.shape, Device::cpu()));
    synchronize(kGpu);
    CHECK(got == expected.at("x_out"));
}
