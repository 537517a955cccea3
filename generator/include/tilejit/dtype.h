/// \file Element types of tensors and tiles.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "tilejit/error.h"

namespace tilejit {

/// Element type. `bf16` is stored as its 16 bits; `f32` is IEEE binary32.
enum class DType { f32, bf16 };

/// Size of one element in bytes.
constexpr std::size_t size_of(DType type) { return type == DType::f32 ? 4 : 2; }

/// `"f32"` or `"bf16"`, the spelling of manifests.
constexpr std::string_view name_of(DType type) { return type == DType::f32 ? "f32" : "bf16"; }

/// The type of that name, if there is one.
constexpr std::optional<DType> dtype_named(std::string_view name) {
    for (const DType type : {DType::f32, DType::bf16}) {
        if (name_of(type) == name) {
            return type;
        }
    }
    return std::nullopt;
}

/// What a manifest's dtype variables stand for.
using Dtypes = std::map<std::string, DType>;

}  // namespace tilejit
