/// \file Random inputs of an op, and its outputs compared with the fp64 reference: what `run` and
/// `bench` share.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "generator/kernels/check.h"
#include "tools/tilejit/tensors.h"

namespace tilejit::cli {

/// Random values for the manifest's input number `index`, in CPU memory. Weights, tensors of rank 2
/// whose first axis is not the open one, are scaled to keep sums over that axis near 1.
Tensor random_input(const manifest::Manifest& manifest, std::size_t index, DType dtype,
                    const std::vector<std::int64_t>& shape, std::uint64_t seed);

/// Compares `got`, a CPU tensor without gaps, by the manifest's tolerance.
kernels::CheckResult check(const manifest::Manifest& manifest, const manifest::Tensor& output, const TensorView& got,
                           const kernels::ReferenceOutput& wanted, const kernels::ReferenceParams& params);

/// One line, with the worst element, ended by a line end.
std::string report_line(const std::string& name, const TensorView& tensor, const kernels::CheckResult& result);

}  // namespace tilejit::cli
