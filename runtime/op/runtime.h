/// \file What all ops of a process share: the driver, NVRTC, the devices' contexts, the kernels in
/// memory and on disk. Everything is opened when it is first needed.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "generator/generate.h"
#include "runtime/cache/disk_cache.h"
#include "runtime/cache/single_flight.h"
#include "runtime/driver/driver.h"
#include "runtime/driver/nvrtc.h"
#include "runtime/launch/loaded_program.h"

namespace tilejit {

/// How a runtime gets at the outside; tests give their own.
struct RuntimeOptions {
    std::function<cuda::DriverApi()> load_driver;
    std::function<NvrtcApi()> load_nvrtc;
    std::optional<std::filesystem::path> cache_folder;
};

class Runtime {
public:
    explicit Runtime(RuntimeOptions options);

    /// The process's own. Never destroyed, for the driver may be gone before static objects are.
    static const std::shared_ptr<Runtime>& process();

    /// Throws `DriverError` when there is none; asks again the next time.
    const cuda::DriverApi& driver();
    const NvrtcApi& nvrtc();

    DeviceContext& device(int index);

    /// The kernel for `specialization`, from the disk cache or compiled for `compile_arch`, which is
    /// the lowering's architecture or another of its family.
    KernelBinary build(const manifest::Manifest& manifest, const Specialization& specialization,
                       const std::string& compile_arch);

    /// The kernel on `device`, from memory or by `build`. Throws `DriverError` when it would have to
    /// be loaded while `stream` is being captured.
    std::shared_ptr<const LoadedProgram> load(DeviceContext& device, const manifest::Manifest& manifest,
                                              const Specialization& specialization, const std::string& compile_arch,
                                              cuda::Stream stream);

private:
    KernelBinary compile_new(const SpecKeyParts& parts, const Specialization& specialization,
                             const std::string& compile_arch);
    const NvrtcApi* nvrtc_if_present();

    RuntimeOptions options_;
    DiskCache cache_;
    std::mutex nvrtc_mutex_;  ///< guards `nvrtc_`: loading it takes long, and launches need not wait
    std::optional<NvrtcApi> nvrtc_;
    std::mutex mutex_;  ///< guards the two below
    std::optional<cuda::DriverApi> driver_;
    std::map<int, std::unique_ptr<DeviceContext>> devices_;
    SingleFlight<LoadedProgram> programs_;  ///< by device and key; destroyed before the devices
};

/// The parts of the key of `specialization`.
SpecKeyParts key_parts(const manifest::Manifest& manifest, const Specialization& specialization,
                       const std::string& compile_arch);

}  // namespace tilejit
