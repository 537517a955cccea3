/// \file Access to libnvrtc: loading, its version, the architectures it knows.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace tilejit {

namespace nvrtc {

using Result = int;
using Program = void*;  ///< `nvrtcProgram`, an opaque pointer

inline constexpr Result kSuccess = 0;
inline constexpr Result kErrorInvalidOption = 5;
inline constexpr Result kErrorCompilation = 6;
inline constexpr Result kErrorBuiltinOperation = 7;

}  // namespace nvrtc

/// NVRTC's entry points. Filled by `load_nvrtc()`; tests fill one of their own.
struct NvrtcApi {
    nvrtc::Result (*version)(int* major, int* minor) = nullptr;
    const char* (*get_error_string)(nvrtc::Result result) = nullptr;
    nvrtc::Result (*get_num_supported_archs)(int* count) = nullptr;
    nvrtc::Result (*get_supported_archs)(int* archs) = nullptr;
    nvrtc::Result (*create_program)(nvrtc::Program* program, const char* source, const char* name, int header_count,
                                    const char* const* headers, const char* const* header_names) = nullptr;
    nvrtc::Result (*destroy_program)(nvrtc::Program* program) = nullptr;
    nvrtc::Result (*compile_program)(nvrtc::Program program, int option_count, const char* const* options) = nullptr;
    nvrtc::Result (*get_ptx_size)(nvrtc::Program program, std::size_t* bytes) = nullptr;
    nvrtc::Result (*get_ptx)(nvrtc::Program program, char* text) = nullptr;
    nvrtc::Result (*get_cubin_size)(nvrtc::Program program, std::size_t* bytes) = nullptr;
    nvrtc::Result (*get_cubin)(nvrtc::Program program, char* image) = nullptr;
    nvrtc::Result (*get_program_log_size)(nvrtc::Program program, std::size_t* bytes) = nullptr;
    nvrtc::Result (*get_program_log)(nvrtc::Program program, char* text) = nullptr;

    std::string path;          ///< what opened it
    std::string full_version;  ///< with the build: `13.0.88 (CL-36424714)`; decides `build_key`
};

/// The oldest NVRTC that knows C++20 and sm_90a.
inline constexpr int kMinimumNvrtcMajor = 12;

/// Where `load_nvrtc` looks, in order: the path in `TILEJIT_NVRTC` (alone, when set), the folder
/// chosen at build time (`TILEJIT_NVRTC_DIR`), the loader's own search, `/usr/local/cuda/lib64`.
std::vector<std::string> nvrtc_candidates();

/// Opens NVRTC, checks its version, and compiles an empty program to learn its build and to see that
/// its builtins library is there. Throws `DriverError` with a remedy.
NvrtcApi load_nvrtc(const std::vector<std::string>& candidates = nvrtc_candidates());

/// Throws `DriverError` unless `result` is success.
void check_nvrtc(const NvrtcApi& api, nvrtc::Result result, const char* call);

/// The architectures this NVRTC compiles for, as `sm_80`, without `a` or `f` suffixes.
std::vector<std::string> supported_archs(const NvrtcApi& api);

/// Version with the build, read from the banner of a PTX text. Empty when there is no banner.
std::string version_from_ptx(const std::string& ptx);

}  // namespace tilejit
