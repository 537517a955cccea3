#include "runtime/launch/launch_setup.h"

#include <cstring>

namespace tilejit {

LaunchSetup::LaunchSetup(const KernelLaunch& kernel, bool overlap) {
    config.block_x = static_cast<unsigned>(kernel.threads);
    config.shared_bytes = static_cast<unsigned>(kernel.shared_bytes);
    config.attributes = attributes_;
    if (kernel.cluster > 1) {
        const unsigned size[3] = {static_cast<unsigned>(kernel.cluster), 1, 1};
        std::memcpy(add(cuda::kClusterDimension).value, size, sizeof size);
    }
    if (kernel.programmatic && overlap) {
        const int allowed = 1;
        std::memcpy(add(cuda::kProgrammaticStreamSerialization).value, &allowed, sizeof allowed);
    }
}

cuda::LaunchAttribute& LaunchSetup::add(unsigned id) {
    cuda::LaunchAttribute& added = attributes_[config.attribute_count++];
    added.id = id;
    return added;
}

}  // namespace tilejit
