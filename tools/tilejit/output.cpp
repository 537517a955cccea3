#include <unistd.h>

#include <cstdio>
#include <new>
#include <nlohmann/json.hpp>

#include "tools/tilejit/cli.h"

namespace tilejit::cli {
namespace {

template <typename Type>
bool is(const std::exception& error) {
    return dynamic_cast<const Type*>(&error) != nullptr;
}

struct NamedType {
    std::string_view name;
    bool (*matches)(const std::exception& error);
};

/// Derived types stand before their bases.
constexpr NamedType kTypes[] = {
    {"UsageError", is<UsageError>},         {"EnvironmentError", is<EnvironmentError>},
    {"ManifestError", is<ManifestError>},   {"ShapeError", is<ShapeError>},
    {"UnknownTarget", is<UnknownTarget>},   {"AmbiguousTarget", is<AmbiguousTarget>},
    {"OpNotAvailable", is<OpNotAvailable>}, {"TargetError", is<TargetError>},
    {"GenerateError", is<GenerateError>},   {"ProtocolError", is<ProtocolError>},
    {"CompileError", is<CompileError>},     {"FileError", is<FileError>},
    {"CacheError", is<CacheError>},         {"DriverError", is<DriverError>},
    {"OutOfMemory", is<std::bad_alloc>},    {"InternalError", is<InternalError>},
    {"CheckFailed", is<CheckFailed>},
};

}  // namespace

void print(std::string_view text) {
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) {
        throw FileError("cannot write to standard output");
    }
}

void print_json(const nlohmann::json& json) {
    print(json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
}

void progress(std::string_view text) {
    if (::isatty(STDERR_FILENO) != 0) {
        std::fwrite(text.data(), 1, text.size(), stderr);
    }
}

ExitCode exit_code_of(const std::exception& error) {
    if (is<DriverError>(error) || is<EnvironmentError>(error) || is<std::bad_alloc>(error)) {
        return kEnvironment;
    }
    // NVRTC refuses text, or the interpreter a program, that TileJIT made: no argument can mend that.
    if (is<CompileError>(error) || is<ProtocolError>(error)) {
        return kFailed;
    }
    return is<UserError>(error) ? kBadUse : kFailed;
}

std::string_view type_of(const std::exception& error) {
    for (const auto& [name, matches] : kTypes) {
        if (matches(error)) {
            return name;
        }
    }
    return "Error";
}

std::string message_of(const std::exception& error) {
    return is<std::bad_alloc>(error) ? "not enough memory for the tensors; use smaller dimensions" : error.what();
}

}  // namespace tilejit::cli
