/// \file Tensors allocated through a given runtime.
#pragma once

#include "runtime/op/runtime.h"
#include "tilejit/tensor.h"

namespace tilejit {

/// As `Tensor::empty`, with the driver of `runtime`.
struct TensorAccess {
    static Tensor empty(const std::shared_ptr<Runtime>& runtime, DType dtype, std::vector<std::int64_t> shape,
                        Device device, Stream stream);
};

}  // namespace tilejit
