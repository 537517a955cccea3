/// \file Access to libcuda: loading, checked calls, contexts.
#pragma once

#include <string>
#include <vector>

#include "runtime/driver/cuda_api.h"

namespace tilejit {

/// The oldest driver that has every call used here (`cuLaunchKernelEx`, C++20 device code).
inline constexpr int kMinimumDriverVersion = 12000;

/// Opens libcuda, checks its version and initialises it. Throws `DriverError` with a remedy when
/// there is no libcuda, it is too old, or it finds no usable GPU. `names` are tried in order.
cuda::DriverApi load_driver(const std::vector<std::string>& names = {"libcuda.so.1", "libcuda.so"});

/// Version check and `cuInit` of a table that is already filled; part of `load_driver`.
void start_driver(const cuda::DriverApi& api);

/// Throws `DriverError` unless `result` is success: the call, CUDA's name and text, `context` when
/// not empty, and what to do.
void check_driver(const cuda::DriverApi& api, cuda::Result result, const char* call, const std::string& context = {});

/// Makes a context current for a scope and then restores what was current before.
class ContextScope {
public:
    ContextScope(const cuda::DriverApi& api, cuda::Context context);
    ~ContextScope();
    ContextScope(const ContextScope&) = delete;
    ContextScope& operator=(const ContextScope&) = delete;

private:
    const cuda::DriverApi& api_;
};

}  // namespace tilejit
