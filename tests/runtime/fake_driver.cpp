#include "tests/runtime/fake_driver.h"

namespace tilejit::testing {

namespace {

FakeDriver* current = nullptr;

constexpr std::uint64_t kFirstMap = FakeDriver::kFirstMap;

cuda::Result init(unsigned) { return current->enter("cuInit"); }

cuda::Result driver_get_version(int* version) {
    *version = current->driver_version;
    return current->enter("cuDriverGetVersion");
}

cuda::Result get_error_name(cuda::Result error, const char** text) {
    *text = error == cuda::kErrorLaunchFailed  ? "CUDA_ERROR_LAUNCH_FAILED"
            : error == cuda::kErrorOutOfMemory ? "CUDA_ERROR_OUT_OF_MEMORY"
                                               : "CUDA_ERROR_SOMETHING";
    return cuda::kSuccess;
}

cuda::Result get_error_string(cuda::Result error, const char** text) {
    *text = error == cuda::kErrorOutOfMemory ? "out of memory" : "unspecified launch failure";
    return cuda::kSuccess;
}

cuda::Result device_get_count(int* count) {
    *count = current->devices;
    return current->enter("cuDeviceGetCount");
}

cuda::Result device_get(cuda::Device* device, int ordinal) {
    *device = ordinal;
    return current->enter("cuDeviceGet");
}

cuda::Result device_get_attribute(int* value, int attribute, cuda::Device) {
    *value = attribute == cuda::kComputeCapabilityMajor   ? current->capability_major
             : attribute == cuda::kComputeCapabilityMinor ? current->capability_minor
             : attribute == cuda::kMultiprocessorCount    ? current->multiprocessors
                                                          : current->shared_optin;
    return current->enter("cuDeviceGetAttribute");
}

cuda::Result device_get_name(char* name, int length, cuda::Device) {
    std::strncpy(name, "fake", static_cast<std::size_t>(length));
    return current->enter("cuDeviceGetName");
}

cuda::Result device_primary_ctx_retain(cuda::Context* context, cuda::Device device) {
    *context = FakeDriver::context_of(device);
    ++current->retained;
    return current->enter("cuDevicePrimaryCtxRetain");
}

cuda::Result device_primary_ctx_release(cuda::Device) {
    --current->retained;
    return current->enter("cuDevicePrimaryCtxRelease");
}

cuda::Result ctx_push_current(cuda::Context context) {
    current->contexts.push_back(context);
    return current->enter("cuCtxPushCurrent");
}

cuda::Result ctx_pop_current(cuda::Context* context) {
    *context = current->contexts.back();
    current->contexts.pop_back();
    return current->enter("cuCtxPopCurrent");
}

cuda::Result module_load_data(cuda::Module* module, const void*) {
    const cuda::Result result = current->enter("cuModuleLoadData");
    if (result == cuda::kSuccess) {
        *module = reinterpret_cast<cuda::Module>(static_cast<std::uintptr_t>(++current->modules));
    }
    return result;
}

cuda::Result module_unload(cuda::Module) {
    --current->modules;
    return current->enter("cuModuleUnload");
}

cuda::Result module_get_function(cuda::Function* function, cuda::Module, const char* name) {
    const auto at = current->symbols.try_emplace(name, static_cast<int>(current->symbols.size()) + 1).first;
    *function = reinterpret_cast<cuda::Function>(static_cast<std::uintptr_t>(at->second));
    return current->enter("cuModuleGetFunction");
}

std::string symbol_of(cuda::Function function) {
    for (const auto& [name, number] : current->symbols) {
        if (reinterpret_cast<cuda::Function>(static_cast<std::uintptr_t>(number)) == function) {
            return name;
        }
    }
    return "?";
}

cuda::Result func_set_attribute(cuda::Function function, int attribute, int value) {
    if (attribute == cuda::kMaxDynamicSharedSizeBytes) {
        current->attributes[symbol_of(function)] = value;
    } else if (attribute == cuda::kNonPortableClusterSizeAllowed && value == 1) {
        current->wide.push_back(symbol_of(function));
    }
    return current->enter("cuFuncSetAttribute");
}

FakeLaunch seen(cuda::Function function, const cuda::LaunchConfig& config) {
    FakeLaunch result;
    result.symbol = symbol_of(function);
    result.config = config;
    result.attributes.assign(config.attributes, config.attributes + config.attribute_count);
    return result;
}

cuda::Result launch_kernel_ex(const cuda::LaunchConfig* config, cuda::Function function, void** args, void**) {
    const cuda::Result result = current->enter("cuLaunchKernelEx");
    if (result != cuda::kSuccess) {
        return result;
    }
    FakeLaunch& launch = current->launches.emplace_back(seen(function, *config));
    launch.context = current->contexts.empty() ? nullptr : current->contexts.back();
    for (std::size_t i = 0; i < current->args_of[launch.symbol]; ++i) {
        std::memcpy(&launch.args.emplace_back(), args[i], sizeof(std::uint64_t));
        launch.aligned = launch.aligned && (launch.args.back() < kFirstMap || launch.args.back() >= kFirstMap + 1000 ||
                                            reinterpret_cast<std::uintptr_t>(args[i]) % 128 == 0);
    }
    return result;
}

cuda::Result occupancy_max_active_blocks(int* count, cuda::Function function, int threads, std::size_t shared_bytes) {
    cuda::LaunchConfig config;
    config.block_x = static_cast<unsigned>(threads);
    config.shared_bytes = static_cast<unsigned>(shared_bytes);
    current->asked.push_back(seen(function, config));
    *count = current->blocks_that_fit;
    return current->enter("cuOccupancyMaxActiveBlocksPerMultiprocessor");
}

cuda::Result occupancy_max_active_clusters(int* count, cuda::Function function, const cuda::LaunchConfig* config) {
    current->asked.push_back(seen(function, *config));
    *count = current->clusters_that_fit;
    return current->enter("cuOccupancyMaxActiveClusters");
}

cuda::Result tensor_map_encode_tiled(cuda::TensorMap* map, int dtype, std::uint32_t rank, void* address,
                                     const std::uint64_t* extents, const std::uint64_t* strides,
                                     const std::uint32_t* box, const std::uint32_t* element_strides, int, int swizzle,
                                     int, int) {
    map->opaque[0] = kFirstMap + current->maps.size();
    current->maps.push_back({dtype,
                             reinterpret_cast<std::uintptr_t>(address),
                             {extents, extents + rank},
                             {strides, strides + rank - 1},
                             {box, box + rank},
                             {element_strides, element_strides + rank},
                             swizzle});
    return current->enter("cuTensorMapEncodeTiled");
}

cuda::Result mem_alloc_async(cuda::DevicePtr* address, std::size_t bytes, cuda::Stream stream) {
    const cuda::Result result = current->enter("cuMemAllocAsync");
    if (result == cuda::kSuccess) {
        *address = current->next_address;
        current->next_address += (bytes + 511) / 512 * 512;
        current->allocated[*address] = stream;
    }
    return result;
}

cuda::Result mem_free_async(cuda::DevicePtr address, cuda::Stream stream) {
    current->freed.emplace_back(address, stream);
    return current->enter("cuMemFreeAsync");
}

cuda::Result memcpy_htod_async(cuda::DevicePtr, const void*, std::size_t, cuda::Stream) {
    return current->enter("cuMemcpyHtoDAsync");
}

cuda::Result memcpy_dtoh_async(void*, cuda::DevicePtr, std::size_t, cuda::Stream) {
    return current->enter("cuMemcpyDtoHAsync");
}

cuda::Result memcpy_dtod_async(cuda::DevicePtr, cuda::DevicePtr, std::size_t, cuda::Stream) {
    return current->enter("cuMemcpyDtoDAsync");
}

cuda::Result stream_synchronize(cuda::Stream) { return current->enter("cuStreamSynchronize"); }

cuda::Result stream_is_capturing(cuda::Stream, int* status) {
    *status = current->capturing ? 1 : cuda::kCaptureStatusNone;
    return current->enter("cuStreamIsCapturing");
}

}  // namespace

FakeDriver::FakeDriver() { current = this; }

FakeDriver::~FakeDriver() { current = nullptr; }

cuda::Context FakeDriver::context_of(int device) {
    return reinterpret_cast<cuda::Context>(static_cast<std::uintptr_t>(0x1000 + device));
}

cuda::Result FakeDriver::enter(const char* call) {
    calls.emplace_back(call);
    return fail_call == call && successes_++ >= fail_after ? fail_with : cuda::kSuccess;
}

int FakeDriver::count(const std::string& call) const {
    int result = 0;
    for (const std::string& name : calls) {
        result += name == call ? 1 : 0;
    }
    return result;
}

cuda::DriverApi FakeDriver::api() const {
    cuda::DriverApi api;
    api.init = init;
    api.driver_get_version = driver_get_version;
    api.get_error_name = get_error_name;
    api.get_error_string = get_error_string;
    api.device_get_count = device_get_count;
    api.device_get = device_get;
    api.device_get_attribute = device_get_attribute;
    api.device_get_name = device_get_name;
    api.device_primary_ctx_retain = device_primary_ctx_retain;
    api.device_primary_ctx_release = device_primary_ctx_release;
    api.ctx_push_current = ctx_push_current;
    api.ctx_pop_current = ctx_pop_current;
    api.module_load_data = module_load_data;
    api.module_unload = module_unload;
    api.module_get_function = module_get_function;
    api.func_set_attribute = func_set_attribute;
    api.launch_kernel_ex = launch_kernel_ex;
    api.occupancy_max_active_blocks = occupancy_max_active_blocks;
    api.occupancy_max_active_clusters = occupancy_max_active_clusters;
    api.tensor_map_encode_tiled = tensor_map_encode_tiled;
    api.mem_alloc_async = mem_alloc_async;
    api.mem_free_async = mem_free_async;
    api.memcpy_htod_async = memcpy_htod_async;
    api.memcpy_dtoh_async = memcpy_dtoh_async;
    api.memcpy_dtod_async = memcpy_dtod_async;
    api.stream_synchronize = stream_synchronize;
    api.stream_is_capturing = stream_is_capturing;
    return api;
}

}  // namespace tilejit::testing
