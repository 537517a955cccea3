#include "runtime/launch/loaded_program.h"

#include <fmt/format.h>

#include "tilejit/error.h"

namespace tilejit {

namespace {

/// Dynamic shared memory that a function may use without opting in.
constexpr std::int64_t kSharedBytesByDefault = std::int64_t{48} * 1024;

}  // namespace

DeviceContext::DeviceContext(const cuda::DriverApi& api, int index) : api_(api), index_(index) {
    int count = 0;
    check_driver(api, api.device_get_count(&count), "cuDeviceGetCount");
    if (index < 0 || index >= count) {
        throw DriverError(
            fmt::format("there is no device cuda:{}: the driver sees {} GPU(s), numbered from 0. Check the "
                        "tensor's device and CUDA_VISIBLE_DEVICES.",
                        index, count),
            "cuDeviceGet", "CUDA_ERROR_INVALID_DEVICE");
    }
    check_driver(api, api.device_get(&device_, index), "cuDeviceGet");
    compute_capability_ = attribute(cuda::kComputeCapabilityMajor) * 10 + attribute(cuda::kComputeCapabilityMinor);
    max_shared_bytes_ = attribute(cuda::kMaxSharedMemoryPerBlockOptin);
    check_driver(api, api.device_primary_ctx_retain(&context_, device_), "cuDevicePrimaryCtxRetain",
                 fmt::format("device cuda:{}", index));
}

DeviceContext::~DeviceContext() { api_.device_primary_ctx_release(device_); }

int DeviceContext::attribute(int id) const {
    int value = 0;
    check_driver(api_, api_.device_get_attribute(&value, id, device_), "cuDeviceGetAttribute");
    return value;
}

LoadedProgram::LoadedProgram(const DeviceContext& device, const KernelBinary& binary)
    : device_(device), record_(binary.record) {
    const cuda::DriverApi& api = device.api();
    const ContextScope scope(api, device.context());
    check_driver(api, api.module_load_data(&module_, binary.image.data()), "cuModuleLoadData",
                 fmt::format("a cubin for {} made by NVRTC {} on device cuda:{} of compute capability {}.{}",
                             record_.arch, record_.nvrtc_version, device.index(), device.compute_capability() / 10,
                             device.compute_capability() % 10));
    try {
        load_functions();
    } catch (...) {
        api.module_unload(module_);
        throw;
    }
}

void LoadedProgram::load_functions() {
    const cuda::DriverApi& api = device_.api();
    for (const KernelLaunch& launch : record_.plan.launches) {
        if (launch.shared_bytes > device_.max_shared_bytes()) {
            throw DriverError(
                fmt::format("kernel {} asks for {} bytes of shared memory and a block of device cuda:{} has "
                            "at most {}. Choose another kernel or schedule.",
                            launch.symbol, launch.shared_bytes, device_.index(), device_.max_shared_bytes()),
                "cuFuncSetAttribute", "CUDA_ERROR_INVALID_VALUE");
        }
        cuda::Function function = nullptr;
        check_driver(api, api.module_get_function(&function, module_, launch.symbol.c_str()), "cuModuleGetFunction",
                     fmt::format("kernel {}", launch.symbol));
        if (launch.shared_bytes > kSharedBytesByDefault) {
            check_driver(api,
                         api.func_set_attribute(function, cuda::kMaxDynamicSharedSizeBytes,
                                                static_cast<int>(launch.shared_bytes)),
                         "cuFuncSetAttribute", fmt::format("kernel {}", launch.symbol));
        }
        functions_.push_back(function);
    }
}

LoadedProgram::~LoadedProgram() {
    const cuda::DriverApi& api = device_.api();
    if (api.ctx_push_current(device_.context()) != cuda::kSuccess) {
        return;  // the driver is gone, and the module with it
    }
    api.module_unload(module_);
    cuda::Context ignored = nullptr;
    api.ctx_pop_current(&ignored);
}

}  // namespace tilejit
