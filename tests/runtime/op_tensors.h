/// \file Tensors of the mHC operators for tests: on the CPU with memory, on a pretended GPU without.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tilejit/op.h"

namespace tilejit::testing {

/// Inputs and outputs of one op, without gaps, each in memory of its own.
class OpTensors {
public:
    static OpTensors pre(std::int64_t batch, std::int64_t n, std::int64_t c_x, Device device = Device::cpu()) {
        const std::int64_t k = n * c_x;
        const std::int64_t q = n * n + 2 * n;
        OpTensors result(device);
        result.inputs = {{"phi", result.make(DType::f32, {k, q})},
                         {"x", result.make(DType::bf16, {batch, k})},
                         {"b", result.make(DType::f32, {q})}};
        result.outputs = {{"x_res", result.make(DType::bf16, {batch, k})},
                          {"x_layer", result.make(DType::bf16, {batch, c_x})},
                          {"h_post", result.make(DType::f32, {batch, n})}};
        return result;
    }

    static OpTensors post(std::int64_t batch, std::int64_t n, std::int64_t c_x, Device device = Device::cpu()) {
        OpTensors result(device);
        result.inputs = {{"x_layer_out", result.make(DType::bf16, {batch, c_x})},
                         {"h_post", result.make(DType::f32, {batch, n})},
                         {"x_res", result.make(DType::bf16, {batch, n * c_x})}};
        result.outputs = {{"x_out", result.make(DType::bf16, {batch, n * c_x})}};
        return result;
    }

    NamedTensors inputs;
    NamedTensors outputs;

    /// Memory for one more tensor, 16-byte aligned.
    TensorView make(DType dtype, std::vector<std::int64_t> shape) {
        TensorView view = TensorView::contiguous(nullptr, dtype, std::move(shape), device_);
        const std::size_t bytes = static_cast<std::size_t>(view.elements()) * size_of(dtype);
        if (device_.kind == Device::Kind::cpu) {
            memory_.push_back(std::make_shared<std::vector<Block>>(bytes / sizeof(Block) + 2));
            view.data = memory_.back()->data();
        } else {
            view.data = reinterpret_cast<void*>(next_address_);
            next_address_ += (bytes + 4095) / 4096 * 4096 + 4096;
        }
        return view;
    }

private:
    struct alignas(16) Block {
        unsigned char bytes[16] = {};
    };

    explicit OpTensors(Device device) : device_(device) {}

    Device device_;
    std::vector<std::shared_ptr<std::vector<Block>>> memory_;
    std::uintptr_t next_address_ = 0x7e0000000000;
};

/// The same tensor, `bytes` further on.
inline TensorView shifted(TensorView view, std::ptrdiff_t bytes) {
    view.data = static_cast<char*>(view.data) + bytes;
    return view;
}

inline const Params& pre_params() {
    static const Params params{{"alpha_pre", 1.0}, {"alpha_post", 0.5}, {"alpha_res", 0.25}, {"sinkhorn_repeat", 3}};
    return params;
}

}  // namespace tilejit::testing
