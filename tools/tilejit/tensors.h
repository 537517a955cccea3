/// \file Tensors between files, memory, devices and random numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "generator/manifest/manifest.h"
#include "tilejit/tensor.h"
#include "tools/safetensors/safetensors.h"

namespace tilejit::cli {

/// The spelling of `dtype` in safetensors files.
safetensors::DType file_dtype(DType dtype);
/// The reverse, of types that ops have.
std::optional<DType> op_dtype(safetensors::DType dtype);

/// A CPU tensor with the bytes of one from a file, which must be of a type that ops have.
Tensor from_file(const safetensors::Tensor& tensor, DType dtype);
safetensors::Tensor to_file(const TensorView& tensor);  ///< of a CPU tensor without gaps

/// The elements of a CPU tensor without gaps.
std::vector<double> to_doubles(const TensorView& tensor);

/// A copy in the memory of `device`; waits for it.
Tensor copy_to(const TensorView& tensor, Device device);

/// Standard normal numbers, each times `scale`, rounded to `dtype`; the same for one seed on every
/// machine.
Tensor random_tensor(DType dtype, const std::vector<std::int64_t>& shape, double scale, std::uint64_t seed);

}  // namespace tilejit::cli
