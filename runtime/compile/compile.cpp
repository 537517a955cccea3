#include "runtime/compile/compile.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "generator/embedded.h"
#include "tilejit/error.h"

namespace tilejit {

namespace {

/// NVRTC's program, destroyed with the scope.
class Program {
public:
    Program(const NvrtcApi& api, const std::string& source) : api_(api) {
        std::vector<std::string> texts;
        std::vector<std::string> names;
        for (const EmbeddedFile& file : embedded_templates()) {
            texts.emplace_back(file.text);
            names.emplace_back(file.name);
        }
        std::vector<const char*> text_pointers;
        std::vector<const char*> name_pointers;
        for (std::size_t i = 0; i < texts.size(); ++i) {
            text_pointers.push_back(texts[i].c_str());
            name_pointers.push_back(names[i].c_str());
        }
        check_nvrtc(api,
                    api.create_program(&program_, source.c_str(), "tilejit.cu", static_cast<int>(texts.size()),
                                       text_pointers.data(), name_pointers.data()),
                    "nvrtcCreateProgram");
    }
    ~Program() { api_.destroy_program(&program_); }
    Program(const Program&) = delete;
    Program& operator=(const Program&) = delete;

    nvrtc::Result compile(const std::vector<std::string>& options) {
        std::vector<const char*> pointers;
        pointers.reserve(options.size());
        for (const std::string& option : options) {
            pointers.push_back(option.c_str());
        }
        return api_.compile_program(program_, static_cast<int>(pointers.size()), pointers.data());
    }

    std::string log() { return text(api_.get_program_log_size, api_.get_program_log, "nvrtcGetProgramLog"); }
    std::string ptx() { return text(api_.get_ptx_size, api_.get_ptx, "nvrtcGetPTX"); }

    std::string image() {
        std::size_t bytes = 0;
        check_nvrtc(api_, api_.get_cubin_size(program_, &bytes), "nvrtcGetCUBINSize");
        std::string result(bytes, '\0');
        check_nvrtc(api_, api_.get_cubin(program_, result.data()), "nvrtcGetCUBIN");
        return result;
    }

private:
    /// A text whose size, as NVRTC counts, includes the closing zero.
    std::string text(nvrtc::Result (*size)(nvrtc::Program, std::size_t*), nvrtc::Result (*get)(nvrtc::Program, char*),
                     const char* call) {
        std::size_t bytes = 0;
        check_nvrtc(api_, size(program_, &bytes), call);
        std::string result(bytes, '\0');
        check_nvrtc(api_, get(program_, result.data()), call);
        while (!result.empty() && result.back() == '\0') {
            result.pop_back();
        }
        return result;
    }

    const NvrtcApi& api_;
    nvrtc::Program program_ = nullptr;
};

[[noreturn]] void throw_refused(const NvrtcApi& api, nvrtc::Result result, const std::string& arch, std::string log,
                                const std::string& source, const std::string& options) {
    if (result == nvrtc::kErrorInvalidOption && log.find("architecture") != std::string::npos) {
        throw DriverError(fmt::format("NVRTC {} does not know the architecture {}. It knows {}. Choose a target among "
                                      "these, or set TILEJIT_NVRTC to the path of a newer libnvrtc.so.",
                                      api.full_version, arch, fmt::join(supported_archs(api), ", ")),
                          "nvrtcCompileProgram", api.get_error_string(result));
    }
    if (result != nvrtc::kErrorCompilation && result != nvrtc::kErrorInvalidOption) {
        check_nvrtc(api, result, "nvrtcCompileProgram");
    }
    const std::string what = fmt::format(
        "NVRTC {} refused the generated source for {} (options: {}). This is a fault "
        "of the kernel or of TileJIT; the source is in the exception. NVRTC said:\n{}",
        api.full_version, arch, options, log);
    throw CompileError(what, std::move(log), source, options);
}

}  // namespace

std::vector<std::string> nvrtc_options(const std::string& arch, const CompileOptions& options) {
    std::vector<std::string> result = {"-arch=" + arch, "-std=c++20", "-default-device", "-fmad=false",
                                       "--ptxas-options=-v"};
    if (options.line_info) {
        result.push_back("-lineinfo");
    }
    return result;
}

Cubin compile(const NvrtcApi& api, const std::string& source, const std::string& arch, const CompileOptions& options) {
    const std::vector<std::string> list = nvrtc_options(arch, options);
    Program program(api, source);
    const nvrtc::Result result = program.compile(list);
    std::string log = program.log();
    if (result != nvrtc::kSuccess) {
        throw_refused(api, result, arch, std::move(log), source, fmt::format("{}", fmt::join(list, " ")));
    }
    Cubin cubin;
    cubin.image = program.image();
    cubin.ptx = program.ptx();
    cubin.kernels = parse_resources(log);
    cubin.log = std::move(log);
    cubin.nvrtc_version = api.full_version;
    return cubin;
}

}  // namespace tilejit
