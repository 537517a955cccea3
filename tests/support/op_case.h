/// \file An op with inputs, run on any device in memory that tests watch over, and checked against the
/// op's fp64 reference.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "generator/manifest/manifest.h"
#include "tilejit/op.h"
#include "tools/safetensors/safetensors.h"

namespace tilejit::test {

/// A row-major tensor in CPU memory without gaps.
struct HostTensor {
    DType dtype = DType::f32;
    std::vector<std::int64_t> shape;
    std::vector<std::byte> bytes;

    std::int64_t elements() const { return static_cast<std::int64_t>(bytes.size() / size_of(dtype)); }
    std::vector<double> values() const;
    /// Rows `first` to `first + count - 1` of the first axis.
    HostTensor rows(std::int64_t first, std::int64_t count) const;
    bool operator==(const HostTensor&) const = default;
};
using HostTensors = std::map<std::string, HostTensor>;

struct OpCase {
    const manifest::Manifest* manifest = nullptr;
    manifest::Values dims;
    HostTensors inputs;
    Params params;
    std::uint64_t seed = 0;  ///< of random inputs
};

/// Normal numbers: weights (f32 matrices) scaled by 1 / sqrt(rows), everything else by 1. The
/// parameters are the manifest's defaults.
OpCase random_case(const std::string& op, const manifest::Values& dims, std::uint64_t seed);
/// Inputs and parameters of a golden file.
OpCase golden_case(const safetensors::File& file);
/// The same case for some of its tokens: `batch` becomes `count`.
OpCase some_tokens(const OpCase& whole, std::int64_t first, std::int64_t count);

struct RunOptions {
    Device device = Device::cpu();
    std::string target = {};
    std::int64_t row_gap = 0;   ///< elements between the rows of matrices
    std::int64_t misalign = 0;  ///< elements from a 256-byte boundary to each tensor
    bool given_workspace = false;
};

/// Runs the case with outputs that are poisoned first and guarded on all sides. Fails the test when a
/// byte outside the outputs changed or an input changed.
HostTensors run_case(const OpCase& op_case, const RunOptions& options);

/// Compiles what the cases need, on all cores, so that running them one by one does not wait.
void prepare_in_parallel(const std::vector<OpCase>& cases, Device device);

/// One line per output out of tolerance, with its worst element; empty when all pass.
std::string errors_of(const OpCase& op_case, const HostTensors& outputs);

/// `MHCPreFwdOp batch=3 c_x=64 n=4 seed 7`
std::string describe(const OpCase& op_case);

}  // namespace tilejit::test
