/// \file What must be known to launch a generated program without generating it again.
///
/// The plan travels with the cubin in cache records and bundles, so everything here is a plain value
/// with a JSON form. Only the outermost dimension (`batch` for the mHC operators) is open.
#pragma once

#include <array>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tilejit/dtype.h"

namespace tilejit {

/// `constant`, or `ceil_div(batch, per)` when `per > 0`.
struct Extent {
    std::int64_t constant = 1;
    std::int64_t per = 0;

    std::int64_t at(std::int64_t batch) const { return per > 0 ? (batch + per - 1) / per : constant; }
    bool operator==(const Extent&) const = default;
};

/// A box of a tensor that the copy engine moves; encoded for the engine at launch.
struct TensorMap {
    struct Dim {
        std::int64_t extent = 1;
        bool open = false;  ///< the extent is the batch
        std::int64_t stride = 1;
        bool by_row = false;  ///< the stride is in rows, otherwise in elements
        int box = 1;
        bool operator==(const Dim&) const = default;
    };
    DType dtype = DType::bf16;
    std::vector<Dim> dims;  ///< the innermost, which has stride 1, first; at most 5
    bool swizzled = false;  ///< the innermost dimension of the box is 128 bytes, swizzled in shared memory
    bool operator==(const TensorMap&) const = default;
};

/// One argument of a kernel, in the order of its signature.
struct KernelArg {
    enum class Kind {
        pointer,     ///< device address of tensor or workspace `name` (8 bytes)
        row_stride,  ///< elements between two rows (second-to-last axis) of tensor `name` (int64)
        batch,       ///< the open dimension (int64)
        param_f32,   ///< launch parameter `name` (float)
        param_i32,   ///< launch parameter `name` (int32)
        tensor_map,  ///< `map` of tensor or workspace `name` (128 bytes and as aligned)
    };
    Kind kind = Kind::batch;
    std::string name;
    TensorMap map{};
    bool operator==(const KernelArg&) const = default;
};

/// One launch of the program; the launches of a program run in order on one stream.
struct KernelLaunch {
    std::string symbol;
    std::array<Extent, 3> grid;     ///< of a kernel that is not persistent
    std::optional<Extent> tiles{};  ///< of a persistent kernel: at most so many clusters, as many as fit
    int cluster = 1;                ///< blocks
    bool programmatic = false;      ///< may begin before the kernel ahead has ended: it waits by itself
    int threads = 0;
    std::int64_t shared_bytes = 0;  ///< dynamic shared memory
    std::vector<KernelArg> args;
    bool operator==(const KernelLaunch&) const = default;
};

/// Scratch memory of one call: `bytes_per_row * batch` bytes, 256-byte aligned.
struct Workspace {
    std::string name;
    std::int64_t bytes_per_row = 0;
    bool operator==(const Workspace&) const = default;
};

struct LaunchPlan {
    std::vector<KernelLaunch> launches;
    std::vector<Workspace> workspaces;
    bool operator==(const LaunchPlan&) const = default;
};

void to_json(nlohmann::json& json, const LaunchPlan& plan);
/// Throws `FileError` when the JSON is not a plan.
void from_json(const nlohmann::json& json, LaunchPlan& plan);

}  // namespace tilejit
