#include "runtime/driver/nvrtc.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>

#include "runtime/driver/shared_library.h"
#include "tilejit/error.h"

#ifndef TILEJIT_NVRTC_DIR
#define TILEJIT_NVRTC_DIR ""
#endif

namespace tilejit {

namespace {

constexpr const char* kLibraryNames[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"};

template <class Pointer>
void bind(const SharedLibrary& library, Pointer& entry, const char* symbol) {
    entry = reinterpret_cast<Pointer>(library.find(symbol));
    if (entry == nullptr) {
        throw DriverError(fmt::format("{} has no `{}`: it is too old or no NVRTC. TileJIT needs NVRTC {}.0 or newer; "
                                      "point TILEJIT_NVRTC to one.",
                                      library.name, symbol, kMinimumNvrtcMajor),
                          symbol, "");
    }
}

NvrtcApi bind_all(const SharedLibrary& library) {
    NvrtcApi api;
    api.path = library.name;
    bind(library, api.version, "nvrtcVersion");
    bind(library, api.get_error_string, "nvrtcGetErrorString");
    bind(library, api.get_num_supported_archs, "nvrtcGetNumSupportedArchs");
    bind(library, api.get_supported_archs, "nvrtcGetSupportedArchs");
    bind(library, api.create_program, "nvrtcCreateProgram");
    bind(library, api.destroy_program, "nvrtcDestroyProgram");
    bind(library, api.compile_program, "nvrtcCompileProgram");
    bind(library, api.get_ptx_size, "nvrtcGetPTXSize");
    bind(library, api.get_ptx, "nvrtcGetPTX");
    bind(library, api.get_cubin_size, "nvrtcGetCUBINSize");
    bind(library, api.get_cubin, "nvrtcGetCUBIN");
    bind(library, api.get_program_log_size, "nvrtcGetProgramLogSize");
    bind(library, api.get_program_log, "nvrtcGetProgramLog");
    return api;
}

/// PTX of an empty program. Its banner is the only place where NVRTC tells its build, and making it
/// needs the builtins library.
std::string empty_ptx(const NvrtcApi& api) {
    nvrtc::Program program = nullptr;
    check_nvrtc(api, api.create_program(&program, "", "probe.cu", 0, nullptr, nullptr), "nvrtcCreateProgram");
    const nvrtc::Result compiled = api.compile_program(program, 0, nullptr);
    std::string ptx;
    std::size_t bytes = 0;
    if (compiled == nvrtc::kSuccess && api.get_ptx_size(program, &bytes) == nvrtc::kSuccess) {
        ptx.resize(bytes);
        api.get_ptx(program, ptx.data());
    }
    api.destroy_program(&program);
    check_nvrtc(api, compiled, "nvrtcCompileProgram");
    return ptx;
}

std::string word_after(const std::string& text, const std::string& mark) {
    const std::size_t at = text.find(mark);
    if (at == std::string::npos) {
        return {};
    }
    const std::size_t begin = at + mark.size();
    return text.substr(begin, text.find_first_of(" \r\n", begin) - begin);
}

}  // namespace

std::vector<std::string> nvrtc_candidates() {
    if (const char* path = std::getenv("TILEJIT_NVRTC"); path != nullptr && *path != '\0') {
        return {path};
    }
    const std::string chosen = TILEJIT_NVRTC_DIR;
    std::vector<std::string> prefixes;
    if (!chosen.empty()) {
        prefixes.push_back(chosen + "/");
    }
    prefixes.insert(prefixes.end(), {"", "/usr/local/cuda/lib64/"});
    std::vector<std::string> result;
    for (const std::string& prefix : prefixes) {
        for (const char* name : kLibraryNames) {
            result.push_back(prefix + name);
        }
    }
    return result;
}

void check_nvrtc(const NvrtcApi& api, nvrtc::Result result, const char* call) {
    if (result == nvrtc::kSuccess) {
        return;
    }
    const std::string name = api.get_error_string(result);
    const std::string remedy = result == nvrtc::kErrorBuiltinOperation
                                   ? fmt::format("Put libnvrtc-builtins of the same version beside {}.", api.path)
                                   : fmt::format("Check the NVRTC installation behind {}.", api.path);
    throw DriverError(fmt::format("{} failed: {}. {}", call, name, remedy), call, name);
}

NvrtcApi load_nvrtc(const std::vector<std::string>& candidates) {
    std::string why;
    const auto library = open_first(candidates, why);
    if (!library) {
        throw DriverError(
            "libnvrtc, CUDA's run-time compiler, was not found. Install the CUDA toolkit (or the "
            "nvidia-cuda-nvrtc wheel) and set TILEJIT_NVRTC to the path of libnvrtc.so. The loader said:" +
                why,
            "dlopen", "");
    }
    NvrtcApi api = bind_all(*library);
    int major = 0;
    int minor = 0;
    check_nvrtc(api, api.version(&major, &minor), "nvrtcVersion");
    if (major < kMinimumNvrtcMajor) {
        throw DriverError(
            fmt::format("{} is NVRTC {}.{}, and TileJIT needs {}.0 or newer. Set TILEJIT_NVRTC to the path "
                        "of a newer libnvrtc.so.",
                        api.path, major, minor, kMinimumNvrtcMajor),
            "nvrtcVersion", "");
    }
    api.full_version = version_from_ptx(empty_ptx(api));
    if (api.full_version.empty()) {
        api.full_version = fmt::format("{}.{}", major, minor);
    }
    return api;
}

std::vector<std::string> supported_archs(const NvrtcApi& api) {
    int count = 0;
    check_nvrtc(api, api.get_num_supported_archs(&count), "nvrtcGetNumSupportedArchs");
    std::vector<int> numbers(static_cast<std::size_t>(count));
    check_nvrtc(api, api.get_supported_archs(numbers.data()), "nvrtcGetSupportedArchs");
    std::vector<std::string> result;
    result.reserve(numbers.size());
    for (const int number : numbers) {
        result.push_back(fmt::format("sm_{}", number));
    }
    return result;
}

std::string version_from_ptx(const std::string& ptx) {
    const std::string release = word_after(ptx, ", V");
    const std::string build = word_after(ptx, "Compiler Build ID: ");
    if (release.empty() || build.empty()) {
        return {};
    }
    return fmt::format("{} ({})", release, build);
}

}  // namespace tilejit
