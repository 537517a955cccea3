/// \file A compiled program on one device: module, functions and launch plan.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/cache/record.h"
#include "runtime/driver/driver.h"

namespace tilejit {

/// A device, its primary context, and what launches depend on. The context is retained for as long
/// as this lives.
class DeviceContext {
public:
    /// Throws `DriverError` when there is no such device, naming how many there are.
    DeviceContext(const cuda::DriverApi& api, int index);
    ~DeviceContext();
    DeviceContext(const DeviceContext&) = delete;
    DeviceContext& operator=(const DeviceContext&) = delete;

    const cuda::DriverApi& api() const { return api_; }
    cuda::Context context() const { return context_; }
    int index() const { return index_; }
    int compute_capability() const { return compute_capability_; }       ///< 90 for 9.0
    std::int64_t max_shared_bytes() const { return max_shared_bytes_; }  ///< of a block, opted in
    int attribute(int id) const;                                         ///< `CU_DEVICE_ATTRIBUTE_...`

private:
    const cuda::DriverApi& api_;
    int index_;
    cuda::Device device_ = 0;
    cuda::Context context_ = nullptr;
    int compute_capability_ = 0;
    std::int64_t max_shared_bytes_ = 0;
};

/// Loads the module, sets the functions' attributes and asks how many clusters fit, once. Unloads it at the end of its
/// life.
class LoadedProgram {
public:
    /// Throws `DriverError` when the image cannot be loaded or asks for more than the device has.
    LoadedProgram(const DeviceContext& device, const KernelBinary& binary);
    ~LoadedProgram();
    LoadedProgram(const LoadedProgram&) = delete;
    LoadedProgram& operator=(const LoadedProgram&) = delete;

    const DeviceContext& device() const { return device_; }
    const KernelRecord& record() const { return record_; }
    const LaunchPlan& plan() const { return record_.plan; }
    cuda::Function function(std::size_t launch) const { return kernels_[launch].function; }
    /// How many clusters (blocks, where there are none) of a persistent kernel the device runs at once.
    int resident(std::size_t launch) const { return kernels_[launch].resident; }
    /// Of this program and no other in the process, for what is remembered of it.
    std::uint64_t serial() const { return serial_; }

private:
    struct Kernel {
        cuda::Function function = nullptr;
        int resident = 0;
    };

    void load_functions();
    Kernel load(const KernelLaunch& launch) const;
    int count_resident(const KernelLaunch& launch, cuda::Function function) const;

    const DeviceContext& device_;
    KernelRecord record_;
    cuda::Module module_ = nullptr;
    std::vector<Kernel> kernels_;
    std::uint64_t serial_;
};

}  // namespace tilejit
