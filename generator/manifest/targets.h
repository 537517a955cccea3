/// \file The architectures kernels are lowered for, and what a kernel may ask of them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "generator/manifest/manifest.h"

namespace tilejit::manifest {

/// Limits from the CUDA programming guide's table of compute capabilities.
struct Architecture {
    std::string_view name;
    int major = 0;
    int minor = 0;
    std::int64_t shared_memory = 0;  ///< dynamic shared memory of one block, bytes
    std::int64_t clusters = 1;       ///< most blocks in a cluster
    std::int64_t copy_engine = 0;    ///< 1 where tensor maps and bulk copies exist
    std::int64_t warp_size = 32;
};

/// All of them, oldest first. `host` is not one: it runs another's lowering.
std::span<const Architecture> architectures();
std::vector<std::string> architecture_names();

/// Nothing when `name` is not an architecture.
const Architecture* find_architecture(std::string_view name);

/// The names that kernels' expressions may use: `shared_memory`, `clusters`, `copy_engine`, `warp_size`.
std::vector<std::string> resource_names();
Values resources_of(const Architecture& architecture);

/// The architecture that serves a device.
struct DeviceArchitecture {
    const Architecture* architecture = nullptr;
    bool own = true;  ///< false: the device has no entry of its own and its family's serves it
};

/// By compute capability; nothing when the device is not supported. 8.x is served by sm_80 and 12.x by
/// sm_120a's lowering, compiled for a feature set that the device has.
std::optional<DeviceArchitecture> family_of(int major, int minor);

}  // namespace tilejit::manifest
