/// \file The golden cases: inputs in their storage types, outputs in fp64.
#pragma once

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
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

/// Sums of the absolute terms of `pre`'s bf16 outputs, from the coefficients that the case holds.
inline std::map<std::string, std::vector<double>> pre_magnitudes(const kernels::ReferenceInputs& tensors) {
    const auto& x = tensors.at("x");
    const auto& m = tensors.at("ref.m");
    const auto& h_pre = tensors.at("ref.h_pre");
    const auto batch = static_cast<std::size_t>(x.shape[0]);
    const auto n = static_cast<std::size_t>(m.shape[1]);
    const auto width = static_cast<std::size_t>(x.shape[1]) / n;
    std::vector<double> res(batch * n * width);
    std::vector<double> layer(batch * width);
    for (std::size_t t = 0; t < batch; ++t) {
        for (std::size_t k = 0; k < n; ++k) {
            for (std::size_t c = 0; c < width; ++c) {
                const double value = std::fabs(x.values[(t * n + k) * width + c]);
                layer[t * width + c] += h_pre.values[t * n + k] * value;
                for (std::size_t i = 0; i < n; ++i) {
                    res[(t * n + i) * width + c] += m.values[(t * n + i) * n + k] * value;
                }
            }
        }
    }
    return {{"x_res", res}, {"x_layer", layer}};
}

}  // namespace tilejit::test
