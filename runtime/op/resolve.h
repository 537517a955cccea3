/// \file From a target name and a device to the architecture whose kernels run.
#pragma once

#include <string>
#include <string_view>

#include "tilejit/target.h"
#include "tilejit/tensor.h"

namespace tilejit {

/// A set of kernels.
struct TargetSet {
    enum class Kind {
        host,     ///< the interpreter, on the program lowered for `arch`
        builtin,  ///< the in-tree kernels of whatever device the tensors are on
        pinned,   ///< the in-tree kernels of `arch` alone
    };
    Kind kind = Kind::builtin;
    std::string arch;  ///< empty for `builtin`
    bool operator==(const TargetSet&) const = default;
};

/// The lowering `host` runs when it names none.
inline constexpr std::string_view kHostLowering = "sm_80";

/// Throws `UnknownTarget`, listing what is known. `name` is not empty.
TargetSet parse_target(std::string_view name);

/// What serves an op that was constructed with target `name` (empty: none) and has not been called:
/// the name, else the default target, else by the memory of `device`.
TargetSet choose_set(std::string_view name, Device device);

/// Throws `TargetError` when the set does not serve the kind of memory that `device` is.
void check_memory(const TargetSet& set, Device device, std::string_view op);

/// The architecture whose lowering runs, and the one to compile it for.
struct ResolvedArch {
    std::string lowering;
    std::string compile;
};

/// For a device of compute capability `major`.`minor`. Throws `TargetError` when the set is pinned to
/// another architecture, `OpNotAvailable` when no in-tree architecture serves the device.
ResolvedArch resolve_arch(const TargetSet& set, int major, int minor, Device device);

}  // namespace tilejit
