/// \file What `bench` decides before it touches a device: how many sets of buffers there are and where
/// their tensors lie, how many rows are made at random, which tokens are checked.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "generator/generate.h"

namespace tilejit::cli {

/// A tensor of every set.
struct PlannedTensor {
    std::int64_t bytes = 0;
    std::int64_t alignment = 0;  ///< the least that its address may have, bytes
};

/// Equal sets of tensors, one behind the other.
struct SetPlan {
    std::vector<std::int64_t> offsets;  ///< of each tensor from its set's begin
    std::int64_t set_bytes = 0;         ///< a multiple of 512
    std::int64_t sets = 0;
    std::int64_t total_bytes() const { return sets * set_bytes; }
};

/// Calls that take the sets in turn find none of a set's bytes in an L2 cache of `l2_bytes`: there are
/// at least 3 sets, and together they are larger than four such caches. With `Access::element`, tensors
/// begin as far behind a multiple of 512 bytes as their alignment. Throws `EnvironmentError` when 3 sets exceed
/// `budget` bytes.
SetPlan plan_sets(std::span<const PlannedTensor> tensors, Access access, std::int64_t l2_bytes, std::int64_t budget);

/// Rows that are made at random for a tensor of `rows`; the others repeat them.
std::int64_t random_rows(std::int64_t rows);

/// Up to 4 different tokens, ascending, the first and the last among them. `batch` is at least 1.
std::vector<std::int64_t> sampled_tokens(std::int64_t batch);

}  // namespace tilejit::cli
