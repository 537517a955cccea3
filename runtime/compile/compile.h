/// \file CUDA text in, cubin or PTX out, through NVRTC. Needs no GPU and no driver.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runtime/driver/nvrtc.h"

namespace tilejit {

/// What ptxas reports about one kernel. Bytes are per thread but for `shared_bytes`.
struct KernelResources {
    std::string symbol;
    int registers = 0;
    int shared_bytes = 0;  ///< static shared memory of a block
    int stack_bytes = 0;
    int spill_store_bytes = 0;
    int spill_load_bytes = 0;
    bool operator==(const KernelResources&) const = default;
};

struct CompileOptions {
    bool line_info = false;  ///< for profilers and debuggers; does not change the code
};

/// A compiled program.
struct Cubin {
    std::string image;  ///< an ELF file
    std::string ptx;
    std::vector<KernelResources> kernels;
    std::string log;            ///< NVRTC's own text, warnings included
    std::string nvrtc_version;  ///< `NvrtcApi::full_version`
};

/// The options for `arch` (`sm_90a`), as they enter the key.
std::vector<std::string> nvrtc_options(const std::string& arch, const CompileOptions& options = {});

/// Compiles `source`, which may include the embedded templates by name and nothing else. Throws
/// `CompileError` with log, source and options when NVRTC refuses the text, and `DriverError` naming
/// the known architectures when this NVRTC does not know `arch`.
Cubin compile(const NvrtcApi& api, const std::string& source, const std::string& arch,
              const CompileOptions& options = {});

/// Reads what `--ptxas-options=-v` wrote into the log. One entry a kernel, in the log's order.
std::vector<KernelResources> parse_resources(std::string_view log);

}  // namespace tilejit
