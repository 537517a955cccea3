#include "runtime/op/runtime.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>

#include "runtime/compile/compile.h"
#include "tilejit/error.h"

namespace tilejit {

namespace {

const std::string& generator_digest_once() {
    static const std::string kText = generator_digest();
    return kText;
}

void refuse_capture(const cuda::DriverApi& api, cuda::Stream stream, const std::string& op) {
    if (stream == nullptr) {
        return;  // the legacy default stream cannot be captured
    }
    int status = cuda::kCaptureStatusNone;
    check_driver(api, api.stream_is_capturing(stream, &status), "cuStreamIsCapturing");
    if (status != cuda::kCaptureStatusNone) {
        throw DriverError(fmt::format("{} would have to load a kernel while its stream is being captured into a CUDA "
                                      "graph. Call prepare() with these dimensions and this device before the capture.",
                                      op),
                          "cuModuleLoadData", "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED");
    }
}

}  // namespace

SpecKeyParts key_parts(const manifest::Manifest& manifest, const Specialization& specialization,
                       const std::string& compile_arch) {
    return {.manifest_digest = digest(manifest.text),
            .generator_digest = generator_digest_once(),
            .specialization = canonical_text(specialization),
            .options = fmt::format("{}", fmt::join(nvrtc_options(compile_arch), " "))};
}

Runtime::Runtime(RuntimeOptions options) : options_(std::move(options)), cache_(options_.cache_folder) {}

const std::shared_ptr<Runtime>& Runtime::process() {
    static const auto* const kInstance = new std::shared_ptr<Runtime>(std::make_shared<Runtime>(RuntimeOptions{
        .load_driver = [] { return tilejit::load_driver(); },
        .load_nvrtc = [] { return tilejit::load_nvrtc(); },
        .cache_folder = cache_folder([](const char* name) { return static_cast<const char*>(std::getenv(name)); }),
    }));
    return *kInstance;
}

const cuda::DriverApi& Runtime::driver() {
    const std::lock_guard lock(mutex_);
    if (!driver_) {
        driver_ = options_.load_driver();
    }
    return *driver_;
}

const NvrtcApi& Runtime::nvrtc() {
    const std::lock_guard lock(nvrtc_mutex_);
    if (!nvrtc_) {
        nvrtc_ = options_.load_nvrtc();
    }
    return *nvrtc_;
}

const NvrtcApi* Runtime::nvrtc_if_present() {
    try {
        return &nvrtc();
    } catch (const DriverError&) {
        return nullptr;
    }
}

DeviceContext& Runtime::device(int index) {
    const cuda::DriverApi& api = driver();
    const std::lock_guard lock(mutex_);
    std::unique_ptr<DeviceContext>& slot = devices_[index];
    if (!slot) {
        slot = std::make_unique<DeviceContext>(api, index);
    }
    return *slot;
}

KernelBinary Runtime::compile_new(const SpecKeyParts& parts, const Specialization& specialization,
                                  const std::string& compile_arch) {
    const NvrtcApi& compiler = nvrtc();
    Source source = generate(specialization);
    Cubin cubin = compile(compiler, source.text, compile_arch);
    KernelBinary binary;
    KernelRecord& record = binary.record;
    record.parts = parts;
    record.op = specialization.op;
    record.arch = compile_arch;
    record.spec_key = spec_key(parts);
    record.source_digest = digest(source.text);
    record.nvrtc_version = cubin.nvrtc_version;
    record.build_key = build_key(record.spec_key, record.source_digest, record.nvrtc_version);
    record.cubin_digest = digest(cubin.image);
    record.plan = std::move(source.plan);
    record.resources = std::move(cubin.kernels);
    binary.image = std::move(cubin.image);
    binary.source = std::move(source.text);
    return binary;
}

KernelBinary Runtime::build(const manifest::Manifest& manifest, const Specialization& specialization,
                            const std::string& compile_arch) {
    const SpecKeyParts parts = key_parts(manifest, specialization, compile_arch);
    if (auto found = cache_.find(parts)) {
        const NvrtcApi* compiler = nvrtc_if_present();
        if (compiler == nullptr || compiler->full_version == found->record.nvrtc_version) {
            return std::move(*found);
        }
    }
    KernelBinary binary = compile_new(parts, specialization, compile_arch);
    cache_.store(binary);
    return binary;
}

std::shared_ptr<const LoadedProgram> Runtime::load(DeviceContext& device, const manifest::Manifest& manifest,
                                                   const Specialization& specialization,
                                                   const std::string& compile_arch, cuda::Stream stream) {
    const std::string key =
        fmt::format("{}:{}", device.index(), spec_key(key_parts(manifest, specialization, compile_arch)));
    return programs_.get(key, [&] {
        refuse_capture(device.api(), stream, manifest.op);
        return std::make_shared<const LoadedProgram>(device, build(manifest, specialization, compile_arch));
    });
}

}  // namespace tilejit
