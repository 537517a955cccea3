/// \file Ops on CPU tensors, through the interpreter. Only what the runtime adds; numbers against the
/// reference are tested end to end.
#include <atomic>
#include <cstring>
#include <thread>

#include "tests/catch.h"
#include "tests/runtime/op_tensors.h"
#include "tilejit/mhc.h"

using namespace tilejit;
using testing::OpTensors;

namespace {

constexpr std::int64_t kBatch = 3;
constexpr std::int64_t kN = 4;
constexpr std::int64_t kWidth = 24;

std::size_t bytes_of(const TensorView& view) { return static_cast<std::size_t>(view.elements()) * size_of(view.dtype); }

/// Small numbers that differ from element to element.
void fill(const TensorView& view, unsigned seed) {
    for (std::int64_t i = 0; i < view.elements(); ++i) {
        seed = seed * 1664525U + 1013904223U;
        const float value = static_cast<float>(seed >> 16) / 65536.0F - 0.5F;
        std::uint32_t bits = 0;
        std::memcpy(&bits, &value, sizeof bits);
        if (view.dtype == DType::f32) {
            static_cast<float*>(view.data)[i] = value;
        } else {
            static_cast<std::uint16_t*>(view.data)[i] = static_cast<std::uint16_t>(bits >> 16);
        }
    }
}

OpTensors filled(OpTensors tensors) {
    unsigned seed = 1;
    for (const auto& [name, view] : tensors.inputs) {
        fill(view, seed++);
    }
    return tensors;
}

std::string bits_of(const TensorView& view) { return {static_cast<const char*>(view.data), bytes_of(view)}; }

/// The same matrix with rows `row_stride` apart, `offset` elements into memory with a pattern.
TensorView strided(OpTensors& memory, const TensorView& from, std::int64_t row_stride, std::int64_t offset) {
    TensorView to = memory.make(from.dtype, {from.shape[0] * row_stride + offset});
    std::memset(to.data, 0x5a, bytes_of(to));
    const auto size = static_cast<std::ptrdiff_t>(size_of(from.dtype));
    to = testing::shifted(to, offset * size);
    to.shape = from.shape;
    to.strides = {row_stride, 1};
    for (std::int64_t row = 0; row < from.shape[0]; ++row) {
        std::memcpy(static_cast<char*>(to.data) + row * row_stride * size,
                    static_cast<const char*>(from.data) + row * from.shape[1] * size,
                    static_cast<std::size_t>(from.shape[1] * size));
    }
    return to;
}

std::string row_bits(const TensorView& view) {
    std::string result;
    const std::size_t size = size_of(view.dtype);
    for (std::int64_t row = 0; row < view.shape[0]; ++row) {
        result.append(static_cast<const char*>(view.data) + static_cast<std::size_t>(row * view.strides[0]) * size,
                      static_cast<std::size_t>(view.shape[1]) * size);
    }
    return result;
}

}  // namespace

TEST_CASE("typed and named ops, names and order, given and new outputs give the same bits", "[op][host]") {
    OpTensors tensors = filled(OpTensors::pre(kBatch, kN, kWidth));
    const MHCPreFwd typed(1.0F, 0.5F, 0.25F, 3);
    const Op named("MHCPreFwdOp", testing::pre_params());
    const auto result = typed(tensors.inputs["phi"], tensors.inputs["x"], tensors.inputs["b"]);
    const Outputs outputs = named.call(tensors.inputs, {.outputs = tensors.outputs});
    const std::vector<TensorView> in_order{tensors.inputs["phi"], tensors.inputs["x"], tensors.inputs["b"]};
    const Outputs ordered = named.call(in_order);
    CHECK(result.x_res.owns());
    CHECK_FALSE(outputs["x_res"].owns());
    CHECK(result.h_post.shape() == std::vector<std::int64_t>{kBatch, kN});
    for (const auto& [name, tensor] : {std::pair<std::string, const Tensor*>{"x_res", &result.x_res},
                                       {"x_layer", &result.x_layer},
                                       {"h_post", &result.h_post}}) {
        INFO(name);
        CHECK(bits_of(*tensor) == bits_of(tensors.outputs[name]));
        CHECK(bits_of(*tensor) == bits_of(ordered[name]));
    }
}

TEST_CASE("row strides and odd addresses change no bit and touch nothing else", "[op][host]") {
    OpTensors tensors = filled(OpTensors::post(kBatch, kN, kWidth));
    const Op op("MHCPostFwdOp");
    op.call(tensors.inputs, {.outputs = tensors.outputs});
    NamedTensors inputs;
    for (const auto& [name, view] : tensors.inputs) {
        inputs[name] = strided(tensors, view, view.shape[1] + 3, 1);
    }
    const std::int64_t stride = kN * kWidth + 5;
    const TensorView out = strided(tensors, tensors.outputs["x_out"], stride, 1);
    for (std::int64_t row = 0; row < kBatch; ++row) {
        std::memset(static_cast<char*>(out.data) + 2 * row * stride, 0, 2 * kN * kWidth);
    }
    op.call(inputs, {.outputs = {{"x_out", out}}});
    CHECK(row_bits(out) == row_bits(tensors.outputs["x_out"]));
    const auto* gap = static_cast<const unsigned char*>(out.data) + 2 * kN * kWidth;
    for (std::int64_t i = 0; i < 10; ++i) {
        CHECK(gap[i] == 0x5a);
    }
}

TEST_CASE("in place", "[op][host]") {
    OpTensors tensors = filled(OpTensors::post(kBatch, kN, kWidth));
    const MHCPostFwd op;
    const Tensor apart = op(tensors.inputs["x_layer_out"], tensors.inputs["h_post"], tensors.inputs["x_res"]);
    const TensorView x_res = tensors.inputs["x_res"];
    op(tensors.inputs["x_layer_out"], tensors.inputs["h_post"], x_res, {.x_out = x_res});
    CHECK(bits_of(x_res) == bits_of(apart));
}

TEST_CASE("every architecture's lowering runs on the CPU", "[op][host]") {
    OpTensors tensors = filled(OpTensors::post(kBatch, kN, kWidth));
    const std::string expected = bits_of(Op("MHCPostFwdOp", {}, "host").call(tensors.inputs)["x_out"]);
    for (const std::string& target : list_targets()) {
        if (target.substr(0, 5) == "host:") {
            INFO(target);
            CHECK(bits_of(Op("MHCPostFwdOp", {}, target).call(tensors.inputs)["x_out"]) == expected);
        }
    }
}

TEST_CASE("one op serves many threads and shapes at once", "[op][host]") {
    const Op op("MHCPostFwdOp");
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
        threads.emplace_back([&op, &wrong, i] {
            for (int round = 0; round < 4; ++round) {
                const OpTensors tensors = filled(OpTensors::post(1 + round, kN, 8 * (1 + i % 2)));
                const Outputs first = op.call(tensors.inputs);
                const Outputs second = op.call(tensors.inputs);
                wrong += bits_of(first["x_out"]) == bits_of(second["x_out"]) ? 0 : 1;
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    CHECK(wrong == 0);
}

TEST_CASE("prepare and workspace_bytes on the CPU need no driver", "[op][host]") {
    const MHCPreFwd op(1, 1, 1, 2);
    CHECK_NOTHROW(op.prepare(kN, kWidth, Device::cpu()));
    CHECK(op.workspace_bytes(kBatch, kN, kWidth, Device::cpu()) == 0);
}

TEST_CASE("tensors own, move and borrow", "[tensor]") {
    Tensor tensor = Tensor::empty(DType::bf16, {2, 3}, Device::cpu());
    CHECK(tensor.owns());
    CHECK(reinterpret_cast<std::uintptr_t>(tensor.data()) % 256 == 0);
    CHECK(tensor.view().strides == std::vector<std::int64_t>{3, 1});
    void* const data = tensor.data();
    const Tensor moved = std::move(tensor);
    CHECK(moved.data() == data);
    CHECK(tensor.data() == nullptr);  // NOLINT: what a moved-from tensor is, is promised
    CHECK_FALSE(tensor.owns());
    CHECK_FALSE(Tensor::borrow(moved.view()).owns());
    CHECK(Tensor::empty(DType::f32, {0, 5}, Device::cpu()).data() == nullptr);
    CHECK(name_of(Device::cuda(1)) == "cuda:1");
    CHECK(TensorView::rows(data, DType::f32, 2, 3, 8, Device::cpu()).strides == std::vector<std::int64_t>{8, 1});
}

TEST_CASE("copies on the CPU", "[tensor]") {
    const Tensor from = Tensor::empty(DType::f32, {7}, Device::cpu());
    const Tensor to = Tensor::empty(DType::f32, {7}, Device::cpu());
    fill(from, 3);
    copy(from, to);
    CHECK(bits_of(from) == bits_of(to));
    CHECK_NOTHROW(synchronize(Device::cpu()));
}
