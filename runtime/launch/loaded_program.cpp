#include "runtime/launch/loaded_program.h"

#include <fmt/format.h>

#include <atomic>

#include "runtime/launch/launch_setup.h"
#include "tilejit/error.h"

namespace tilejit {

namespace {

/// Dynamic shared memory that a function may use without opting in.
constexpr std::int64_t kSharedBytesByDefault = std::int64_t{48} * 1024;

/// Blocks of a cluster that a function may have without opting in.
constexpr int kPortableCluster = 8;

std::uint64_t next_serial() {
    static std::atomic<std::uint64_t> last{0};
    return ++last;
}

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
    : device_(device), record_(binary.record), serial_(next_serial()) {
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
    for (const KernelLaunch& launch : record_.plan.launches) {
        kernels_.push_back(load(launch));
    }
}

LoadedProgram::Kernel LoadedProgram::load(const KernelLaunch& launch) const {
    const cuda::DriverApi& api = device_.api();
    if (launch.shared_bytes > device_.max_shared_bytes()) {
        throw DriverError(fmt::format("kernel {} asks for {} bytes of shared memory and a block of device cuda:{} has "
                                      "at most {}. Choose another kernel or schedule.",
                                      launch.symbol, launch.shared_bytes, device_.index(), device_.max_shared_bytes()),
                          "cuFuncSetAttribute", "CUDA_ERROR_INVALID_VALUE");
    }
    const std::string who = fmt::format("kernel {}", launch.symbol);
    Kernel kernel;
    check_driver(api, api.module_get_function(&kernel.function, module_, launch.symbol.c_str()), "cuModuleGetFunction",
                 who);
    const auto set = [&](int attribute, std::int64_t value) {
        check_driver(api, api.func_set_attribute(kernel.function, attribute, static_cast<int>(value)),
                     "cuFuncSetAttribute", who);
    };
    if (launch.shared_bytes > kSharedBytesByDefault) {
        set(cuda::kMaxDynamicSharedSizeBytes, launch.shared_bytes);
    }
    if (launch.cluster > kPortableCluster) {
        set(cuda::kNonPortableClusterSizeAllowed, 1);
    }
    if (launch.tiles) {
        kernel.resident = count_resident(launch, kernel.function);
    }
    return kernel;
}

int LoadedProgram::count_resident(const KernelLaunch& launch, cuda::Function function) const {
    const cuda::DriverApi& api = device_.api();
    const std::string who =
        fmt::format("kernel {} on device cuda:{}, clusters of {} blocks, {} threads and {} bytes of shared memory each",
                    launch.symbol, device_.index(), launch.cluster, launch.threads, launch.shared_bytes);
    int count = 0;
    if (launch.cluster == 1) {
        check_driver(api,
                     api.occupancy_max_active_blocks(&count, function, launch.threads,
                                                     static_cast<std::size_t>(launch.shared_bytes)),
                     "cuOccupancyMaxActiveBlocksPerMultiprocessor", who);
        count *= device_.attribute(cuda::kMultiprocessorCount);
    } else {
        LaunchSetup setup(launch, false);
        setup.config.grid_x = static_cast<unsigned>(launch.cluster);
        check_driver(api, api.occupancy_max_active_clusters(&count, function, &setup.config),
                     "cuOccupancyMaxActiveClusters", who);
    }
    if (count < 1) {
        throw DriverError(fmt::format("none fits: {}. Choose another kernel or schedule, or a device with more "
                                      "multiprocessors to share.",
                                      who),
                          "cuOccupancyMaxActiveClusters", "CUDA_ERROR_INVALID_CLUSTER_SIZE");
    }
    return count;
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
