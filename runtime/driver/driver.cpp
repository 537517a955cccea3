#include "runtime/driver/driver.h"

#include <fmt/format.h>

#include "runtime/driver/shared_library.h"
#include "tilejit/error.h"

namespace tilejit {

namespace {

template <class Pointer>
void bind(const SharedLibrary& library, Pointer& entry, const char* symbol) {
    entry = reinterpret_cast<Pointer>(library.find(symbol));
    if (entry == nullptr) {
        throw DriverError(
            fmt::format("{} has no `{}`: the driver is too old. Install an NVIDIA driver for CUDA {}.{} "
                        "or newer.",
                        library.name, symbol, kMinimumDriverVersion / 1000, kMinimumDriverVersion % 1000 / 10),
            symbol, "");
    }
}

void bind_devices(const SharedLibrary& library, cuda::DriverApi& api) {
    bind(library, api.init, "cuInit");
    bind(library, api.driver_get_version, "cuDriverGetVersion");
    bind(library, api.get_error_name, "cuGetErrorName");
    bind(library, api.get_error_string, "cuGetErrorString");
    bind(library, api.device_get_count, "cuDeviceGetCount");
    bind(library, api.device_get, "cuDeviceGet");
    bind(library, api.device_get_attribute, "cuDeviceGetAttribute");
    bind(library, api.device_get_name, "cuDeviceGetName");
    bind(library, api.device_primary_ctx_retain, "cuDevicePrimaryCtxRetain");
    bind(library, api.device_primary_ctx_release, "cuDevicePrimaryCtxRelease_v2");
    bind(library, api.ctx_push_current, "cuCtxPushCurrent_v2");
    bind(library, api.ctx_pop_current, "cuCtxPopCurrent_v2");
}

void bind_work(const SharedLibrary& library, cuda::DriverApi& api) {
    bind(library, api.module_load_data, "cuModuleLoadData");
    bind(library, api.module_unload, "cuModuleUnload");
    bind(library, api.module_get_function, "cuModuleGetFunction");
    bind(library, api.func_set_attribute, "cuFuncSetAttribute");
    bind(library, api.occupancy_max_active_blocks, "cuOccupancyMaxActiveBlocksPerMultiprocessor");
    bind(library, api.occupancy_max_active_clusters, "cuOccupancyMaxActiveClusters");
    bind(library, api.tensor_map_encode_tiled, "cuTensorMapEncodeTiled");
    bind(library, api.launch_kernel_ex, "cuLaunchKernelEx");
    bind(library, api.mem_alloc_async, "cuMemAllocAsync");
    bind(library, api.mem_free_async, "cuMemFreeAsync");
    bind(library, api.memcpy_htod_async, "cuMemcpyHtoDAsync_v2");
    bind(library, api.memcpy_dtoh_async, "cuMemcpyDtoHAsync_v2");
    bind(library, api.memcpy_dtod_async, "cuMemcpyDtoDAsync_v2");
    bind(library, api.mem_get_info, "cuMemGetInfo_v2");
}

void bind_order(const SharedLibrary& library, cuda::DriverApi& api) {
    bind(library, api.stream_create, "cuStreamCreate");
    bind(library, api.stream_destroy, "cuStreamDestroy_v2");
    bind(library, api.stream_synchronize, "cuStreamSynchronize");
    bind(library, api.stream_is_capturing, "cuStreamIsCapturing");
    bind(library, api.event_create, "cuEventCreate");
    bind(library, api.event_destroy, "cuEventDestroy_v2");
    bind(library, api.event_record, "cuEventRecord");
    bind(library, api.event_synchronize, "cuEventSynchronize");
    bind(library, api.event_elapsed_time, "cuEventElapsedTime");
}

const char* remedy_for(cuda::Result result) {
    switch (result) {
        case cuda::kErrorOutOfMemory:
            return "Free device memory, or give outputs and workspace that were allocated before.";
        case cuda::kErrorDeinitialized:
            return "The driver has shut down; do not use TileJIT from exit handlers.";
        case cuda::kErrorNoDevice:
            return "Check with nvidia-smi that a GPU is visible, and CUDA_VISIBLE_DEVICES.";
        case cuda::kErrorInvalidDevice:
            return "Check the tensor's device index against the visible GPUs.";
        case cuda::kErrorInvalidContext:
        case cuda::kErrorInvalidHandle:
            return "Check that the stream belongs to the tensor's device and its primary context.";
        case cuda::kErrorInvalidImage:
        case cuda::kErrorNoBinaryForGpu:
        case cuda::kErrorUnsupportedPtxVersion:
        case cuda::kErrorInvalidSource:
            return "Use an NVRTC no newer than the driver, or update the driver.";
        case cuda::kErrorIllegalAddress:
        case cuda::kErrorLaunchFailed:
            return "A kernel that ran earlier in this context failed; run under compute-sanitizer to find it.";
        case cuda::kErrorSystemDriverMismatch:
            return "Reboot or reload the kernel module: libcuda and the kernel driver differ in version.";
        case cuda::kErrorNotSupported:
            return "The device lacks stream-ordered allocation; give outputs and workspace yourself.";
        case cuda::kErrorStreamCaptureUnsupported:
            return "Call prepare() before capturing the stream.";
        default:
            return "Check the driver's state with nvidia-smi.";
    }
}

}  // namespace

void check_driver(const cuda::DriverApi& api, cuda::Result result, const char* call, const std::string& context) {
    if (result == cuda::kSuccess) {
        return;
    }
    const char* name = nullptr;
    const char* text = nullptr;
    if (api.get_error_name(result, &name) != cuda::kSuccess || name == nullptr) {
        name = "unknown error";
    }
    if (api.get_error_string(result, &text) != cuda::kSuccess || text == nullptr) {
        text = "no description";
    }
    throw DriverError(fmt::format("{} failed: {} ({}, code {}){}{}. {}", call, name, text, result,
                                  context.empty() ? "" : ", ", context, remedy_for(result)),
                      call, name);
}

void start_driver(const cuda::DriverApi& api) {
    int version = 0;
    check_driver(api, api.driver_get_version(&version), "cuDriverGetVersion");
    if (version < kMinimumDriverVersion) {
        throw DriverError(fmt::format("the NVIDIA driver supports CUDA {}.{}, and TileJIT needs {}.{} or newer. Update "
                                      "the driver.",
                                      version / 1000, version % 1000 / 10, kMinimumDriverVersion / 1000,
                                      kMinimumDriverVersion % 1000 / 10),
                          "cuDriverGetVersion", "");
    }
    check_driver(api, api.init(0), "cuInit");
}

cuda::DriverApi load_driver(const std::vector<std::string>& names) {
    std::string why;
    const auto library = open_first(names, why);
    if (!library) {
        throw DriverError(
            "libcuda, the NVIDIA driver's library, was not found. Install the NVIDIA driver, or use the "
            "`host` target with tensors in CPU memory. The loader said:" +
                why,
            "dlopen", "");
    }
    cuda::DriverApi api;
    bind_devices(*library, api);
    bind_work(*library, api);
    bind_order(*library, api);
    start_driver(api);
    return api;
}

ContextScope::ContextScope(const cuda::DriverApi& api, cuda::Context context) : api_(api) {
    check_driver(api, api.ctx_push_current(context), "cuCtxPushCurrent");
}

ContextScope::~ContextScope() {
    cuda::Context ignored = nullptr;
    api_.ctx_pop_current(&ignored);
}

}  // namespace tilejit
