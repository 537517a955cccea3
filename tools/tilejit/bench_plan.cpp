#include "tools/tilejit/bench_plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "tools/tilejit/cli.h"

namespace tilejit::cli {
namespace {

constexpr std::int64_t kAlignment = 512;
constexpr std::int64_t kFewestSets = 3;
constexpr std::int64_t kMostSets = 16384;  // of sets so small that more would only cost time to fill
constexpr std::int64_t kCachesToExceed = 4;
constexpr std::int64_t kRandomRows = 1021;  // a prime, so that no tile meets the same rows twice
constexpr std::int64_t kSampledTokens = 4;

std::int64_t aligned(std::int64_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

}  // namespace

SetPlan plan_sets(std::span<const PlannedTensor> tensors, Access access, std::int64_t l2_bytes, std::int64_t budget) {
    SetPlan plan;
    for (const PlannedTensor& tensor : tensors) {
        plan.offsets.push_back(plan.set_bytes + (access == Access::element ? tensor.alignment : 0));
        plan.set_bytes = aligned(plan.offsets.back() + tensor.bytes);
    }
    plan.set_bytes = std::max(plan.set_bytes, kAlignment);
    const std::int64_t fitting = budget / plan.set_bytes;
    if (fitting < kFewestSets) {
        throw EnvironmentError(
            fmt::format("{} sets of tensors need {:.1f} GB of device memory and {:.1f} GB are free; use smaller "
                        "dimensions, or free memory",
                        kFewestSets, static_cast<double>(kFewestSets * plan.set_bytes) * 1e-9,
                        static_cast<double>(std::max<std::int64_t>(budget, 0)) * 1e-9));
    }
    const std::int64_t wanted = std::max(kFewestSets, kCachesToExceed * l2_bytes / plan.set_bytes + 1);
    plan.sets = std::min({wanted, kMostSets, fitting});
    return plan;
}

std::int64_t random_rows(std::int64_t rows) { return std::min(rows, kRandomRows); }

std::vector<std::int64_t> sampled_tokens(std::int64_t batch) {
    std::vector<std::int64_t> tokens;
    for (std::int64_t i = 0; i < kSampledTokens; ++i) {
        tokens.push_back((batch - 1) * i / (kSampledTokens - 1));
    }
    tokens.erase(std::unique(tokens.begin(), tokens.end()), tokens.end());
    return tokens;
}

}  // namespace tilejit::cli
