/// \file One call of a program: workspaces, arguments, launches. Everything goes to one stream;
/// nothing waits.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "runtime/launch/loaded_program.h"

namespace tilejit {

/// A tensor as kernels see it.
struct LaunchTensor {
    std::string_view name;
    std::uint64_t address = 0;
    std::int64_t row_stride = 0;  ///< elements
};

/// A launch parameter; `value` is rounded to the kernel's type.
struct LaunchParam {
    std::string_view name;
    double value = 0;
};

/// Workspace of one call: the program's workspaces one after another, each 256-byte aligned.
inline constexpr std::size_t kWorkspaceAlignment = 256;

/// Bytes of workspace that a call with `batch` rows needs. Throws `ShapeError` when they overflow.
std::size_t workspace_bytes(const LaunchPlan& plan, std::int64_t batch);

/// Throws `ShapeError` when a grid of the plan is beyond what a launch can have (2^31 - 1 blocks in
/// x, 65535 in y and z), or the batch beyond what its kernels can count to.
void check_grid(const LaunchPlan& plan, std::int64_t batch);

/// What a call brings.
struct LaunchRequest {
    std::span<const LaunchTensor> tensors;
    std::span<const LaunchParam> params;
    std::int64_t batch = 0;
    std::uint64_t workspace = 0;  ///< device address of `workspace_bytes` bytes, 256-byte aligned; 0 allocates
    cuda::Stream stream = nullptr;
    bool overlap = false;  ///< weights are older than what is ahead in the stream: kernels may begin before it ends
};

/// Launches the program's kernels in order. Needs the program's context current. A workspace that is
/// not given is allocated and freed in the stream, also when a launch fails.
void launch(const LoadedProgram& program, const LaunchRequest& request);

}  // namespace tilejit
