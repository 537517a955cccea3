/// \file The golden cases: inputs in their storage types, outputs in fp64.
#pragma once

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "generator/kernels/reference.h"
#include "tools/safetensors/safetensors.h"

namespace tilejit::test {

inline constexpr std::size_t kGoldenCases = 27;

/// Paths of the cases, sorted.
inline std::vector<std::string> golden_files() {
    std::vector<std::string> files;
    for (const auto& entry : std::filesystem::directory_iterator(std::string(TILEJIT_SOURCE_DIR) + "/tests/golden")) {
        if (entry.path().extension() == ".safetensors") {
            files.push_back(entry.path().string());
        }
    }
    std::sort(files.begin(), files.end());
    return files;
}

inline kernels::ReferenceTensor to_reference(const safetensors::Tensor& tensor) {
    return {tensor.shape, safetensors::to_doubles(tensor)};
}

/// A case's tensors: inputs under their names, outputs under `ref.<name>`.
inline kernels::ReferenceInputs golden_tensors(const safetensors::File& file) {
    kernels::ReferenceInputs tensors;
    for (const auto& [name, tensor] : file.tensors) {
        tensors.emplace(name, to_reference(tensor));
    }
    return tensors;
}

/// The numbers in a case's metadata.
inline kernels::ReferenceParams golden_params(const safetensors::File& file) {
    kernels::ReferenceParams params;
    for (const auto& [name, text] : file.metadata) {
        if (name != "op") {
            params.emplace(name, std::stod(text));
        }
    }
    return params;
}

}  // namespace tilejit::test
