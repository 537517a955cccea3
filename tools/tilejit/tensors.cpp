#include "tools/tilejit/tensors.h"

#include <cstring>
#include <random>

namespace tilejit::cli {
namespace {

/// Nearest, ties to even; of a finite value.
std::uint16_t to_bf16(float value) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    return static_cast<std::uint16_t>((bits + 0x7fffU + ((bits >> 16) & 1U)) >> 16);
}

/// The sum of twelve uniform numbers, less its mean: normal to within 1 % out to three deviations, of
/// deviation 1. Made of integers, so that no mathematical library decides the bits.
double normal(std::mt19937_64& random) {
    std::int64_t sum = 0;
    for (int i = 0; i < 6; ++i) {
        const std::uint64_t pair = random();
        sum += static_cast<std::int64_t>(pair >> 32) + static_cast<std::int64_t>(pair & 0xffffffffU);
    }
    return static_cast<double>(sum - 6 * 0xffffffffLL) * 0x1p-32;
}

}  // namespace

safetensors::DType file_dtype(DType dtype) {
    return dtype == DType::f32 ? safetensors::DType::f32 : safetensors::DType::bf16;
}

std::optional<DType> op_dtype(safetensors::DType dtype) {
    for (const DType type : {DType::f32, DType::bf16}) {
        if (file_dtype(type) == dtype) {
            return type;
        }
    }
    return std::nullopt;
}

Tensor from_file(const safetensors::Tensor& tensor, DType dtype) {
    internal_check(tensor.dtype == file_dtype(dtype), "the tensor's type was not checked");
    Tensor result = Tensor::empty(dtype, tensor.shape, Device::cpu());
    if (!tensor.bytes.empty()) {
        std::memcpy(result.data(), tensor.bytes.data(), tensor.bytes.size());
    }
    return result;
}

safetensors::Tensor to_file(const TensorView& tensor) {
    safetensors::Tensor result{file_dtype(tensor.dtype), tensor.shape, {}};
    result.bytes.resize(static_cast<std::size_t>(tensor.elements()) * size_of(tensor.dtype));
    if (!result.bytes.empty()) {
        std::memcpy(result.bytes.data(), tensor.data, result.bytes.size());
    }
    return result;
}

std::vector<double> to_doubles(const TensorView& tensor) { return safetensors::to_doubles(to_file(tensor)); }

Tensor copy_to(const TensorView& tensor, Device device) {
    Tensor result = Tensor::empty(tensor.dtype, tensor.shape, device);
    copy(tensor, result);
    synchronize(tensor.device);
    synchronize(device);
    return result;
}

Tensor random_tensor(DType dtype, const std::vector<std::int64_t>& shape, double scale, std::uint64_t seed) {
    Tensor result = Tensor::empty(dtype, shape, Device::cpu());
    std::mt19937_64 random(seed);
    const std::int64_t count = result.view().elements();
    for (std::int64_t i = 0; i < count; ++i) {
        const auto value = static_cast<float>(normal(random) * scale);
        if (dtype == DType::f32) {
            static_cast<float*>(result.data())[i] = value;
        } else {
            static_cast<std::uint16_t*>(result.data())[i] = to_bf16(value);
        }
    }
    return result;
}

}  // namespace tilejit::cli
