/// \file Two ops beside the project's own, to show that nothing is shaped to one: a pipelined row softmax
/// and a skinny matrix product with split K.
#pragma once

#include <string>
#include <vector>

#include "generator/manifest/manifest.h"

namespace tilejit::test {

/// `RowSoftmaxOp` (dims batch, width) or `SkinnyGemmOp` (dims batch, k, m). Their kernels and references
/// are registered at the first call; the manifest lives as long as the process.
const manifest::Manifest& sample_manifest(const std::string& op);

/// The file of a sample's manifest, for `Op::from_manifest`.
std::string sample_path(const std::string& op);

bool is_sample(const std::string& op);

struct SampleShape {
    std::string op;
    manifest::Values dims;
    std::uint64_t seed;
};

/// Random shapes of both, `count` of each, among them rows that the copy engine can move.
std::vector<SampleShape> sample_shapes(int count, std::uint64_t seed);

}  // namespace tilejit::test
