#include "generator/manifest/targets.h"

#include <algorithm>
#include <array>

namespace tilejit::manifest {
namespace {

constexpr std::array<Architecture, 7> kArchitectures{{
    {"sm_80", 8, 0, 166912, 1, 0},
    {"sm_86", 8, 6, 101376, 1, 0},
    {"sm_89", 8, 9, 101376, 1, 0},
    {"sm_90a", 9, 0, 232448, 16, 1},
    {"sm_100a", 10, 0, 232448, 16, 1},
    {"sm_103a", 10, 3, 232448, 16, 1},
    {"sm_120a", 12, 0, 101376, 8, 1},
}};

}  // namespace

std::span<const Architecture> architectures() { return kArchitectures; }

std::vector<std::string> architecture_names() {
    std::vector<std::string> names;
    for (const Architecture& architecture : kArchitectures) {
        names.emplace_back(architecture.name);
    }
    return names;
}

const Architecture* find_architecture(std::string_view name) {
    const auto found = std::find_if(kArchitectures.begin(), kArchitectures.end(),
                                    [&](const Architecture& entry) { return entry.name == name; });
    return found == kArchitectures.end() ? nullptr : &*found;
}

std::vector<std::string> resource_names() { return {"shared_memory", "clusters", "copy_engine", "warp_size"}; }

Values resources_of(const Architecture& architecture) {
    return {{"shared_memory", architecture.shared_memory},
            {"clusters", architecture.clusters},
            {"copy_engine", architecture.copy_engine},
            {"warp_size", architecture.warp_size}};
}

std::optional<DeviceArchitecture> family_of(int major, int minor) {
    for (const Architecture& architecture : kArchitectures) {
        if (architecture.major == major && architecture.minor == minor) {
            return DeviceArchitecture{&architecture, true};
        }
    }
    if (major == 8 && minor >= 0) {
        return DeviceArchitecture{find_architecture("sm_80"), false};
    }
    if (major == 12 && minor >= 0) {
        return DeviceArchitecture{find_architecture("sm_120a"), false};
    }
    return std::nullopt;
}

}  // namespace tilejit::manifest
