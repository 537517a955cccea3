/// \file Checks of the tensors of a call, before anything runs. Every `ShapeError` names op, tensor,
/// what was expected, what came and what to do.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "generator/generate.h"
#include "tilejit/tensor.h"

namespace tilejit {

/// A tensor whose layout is legal, seen as rows along its last axis.
struct CheckedTensor {
    const manifest::Tensor* spec = nullptr;
    bool is_output = false;
    DType dtype = DType::f32;
    void* data = nullptr;
    Device device;
    std::vector<std::int64_t> shape;    ///< with the manifest's rank
    std::vector<std::int64_t> leading;  ///< the axes that make up the first one, when there are several
    std::int64_t rows = 1;
    std::int64_t row_length = 1;
    std::int64_t row_stride = 1;  ///< elements; the row's length when there is one row at most

    /// Bytes from the first element to the end of the last.
    std::uint64_t span_bytes() const;
};

/// Checks a fixed dtype, rank and strides, and joins leading axes. Looks at no other tensor and at no address.
CheckedTensor check_layout(const manifest::Manifest& manifest, const manifest::Tensor& spec, bool is_output,
                           const TensorView& view);

/// Checks that all are on one device and returns it.
Device check_devices(const manifest::Manifest& manifest, std::span<const CheckedTensor> tensors);

/// Checks that pointers are there and aligned to the element, or as the manifest asks for, and that
/// outputs overlap nothing but what the manifest allows.
void check_memory_of(const manifest::Manifest& manifest, std::span<const CheckedTensor> tensors);

/// Checks a workspace that was given for `needed` bytes.
void check_workspace(const manifest::Manifest& manifest, const void* data, std::size_t bytes, std::size_t needed,
                     std::span<const CheckedTensor> tensors);

/// Whether the tensors are what `Access::aligned` asks for.
Access access_of(std::span<const CheckedTensor> tensors);

/// Whether some byte belongs to both. Exact where both have the same row stride in bytes; otherwise
/// whether their spans meet.
bool overlap(const CheckedTensor& a, const CheckedTensor& b);

/// `[2, 1280]`.
std::string shape_text(std::span<const std::int64_t> shape);

}  // namespace tilejit
