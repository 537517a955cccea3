/// \file What the driver is told about a launch besides its grid and arguments.
#pragma once

#include "generator/launch_plan.h"
#include "runtime/driver/cuda_api.h"

namespace tilejit {

/// A launch configuration and the attributes it points to.
struct LaunchSetup {
    cuda::LaunchConfig config;

    /// With `overlap` the kernel may begin before what is ahead of it in the stream has ended, if the plan
    /// allows it.
    LaunchSetup(const KernelLaunch& kernel, bool overlap);
    LaunchSetup(const LaunchSetup&) = delete;
    LaunchSetup& operator=(const LaunchSetup&) = delete;

private:
    cuda::LaunchAttribute& add(unsigned id);

    cuda::LaunchAttribute attributes_[2];
};

}  // namespace tilejit
