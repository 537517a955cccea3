/// \file The typed errors of TileJIT.
///
/// There are two families. Everything derived from `UserError` tells a caller what was expected,
/// what came and what to do about it; the type says at which stage. `InternalError` is a fault of
/// TileJIT itself and names the file and line that noticed it.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

namespace tilejit {

/// Base of every exception that TileJIT throws.
class Error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// Base of the errors that a caller can mend.
class UserError : public Error {
public:
    using Error::Error;
};

/// A manifest, or an expression in one, is not legal. The text carries file and JSON pointer.
class ManifestError : public UserError {
public:
    using UserError::UserError;
};

/// A tensor, dimension or parameter given to an op contradicts its manifest.
class ShapeError : public UserError {
public:
    using UserError::UserError;
};

/// A target is unknown, ambiguous, or does not fit the tensor's device.
class TargetError : public UserError {
public:
    using UserError::UserError;
};

/// The target name is not one of the in-tree or registered ones; the text lists them.
class UnknownTarget : public TargetError {
public:
    using TargetError::TargetError;
};

/// More than one registered target claims the device; the text names them.
class AmbiguousTarget : public TargetError {
public:
    using TargetError::TargetError;
};

/// The target exists and has no kernel for this op and these dimensions; the text says what exists.
class OpNotAvailable : public TargetError {
public:
    using TargetError::TargetError;
};

/// A DSL program is not legal. The text names the DSL file and line.
class GenerateError : public UserError {
public:
    using UserError::UserError;
};

/// A kernel's roles, run on the CPU, race, wait for what never comes, or use a barrier wrongly. The text names
/// the barrier or tile, the roles and their DSL lines.
class ProtocolError : public UserError {
public:
    using UserError::UserError;
};

/// NVRTC refused the generated source.
class CompileError : public UserError {
public:
    CompileError(const std::string& what, std::string log, std::string source, std::string options)
        : UserError(what), log_(std::move(log)), source_(std::move(source)), options_(std::move(options)) {}

    const std::string& log() const { return log_; }          ///< NVRTC's own text
    const std::string& source() const { return source_; }    ///< the generated CUDA text
    const std::string& options() const { return options_; }  ///< the options, joined by spaces

private:
    std::string log_;
    std::string source_;
    std::string options_;
};

/// A file given by the user (safetensors, bundle) cannot be read, is malformed, or cannot be written.
class FileError : public UserError {
public:
    using UserError::UserError;
};

/// The kernel cache cannot do what was asked of it.
class CacheError : public UserError {
public:
    using UserError::UserError;
};

/// libcuda or libnvrtc is missing or too old, or a driver call failed.
class DriverError : public UserError {
public:
    DriverError(const std::string& what, std::string call, std::string name)
        : UserError(what), call_(std::move(call)), name_(std::move(name)) {}

    const std::string& call() const { return call_; }  ///< the function that failed, `cuLaunchKernelEx`
    const std::string& name() const { return name_; }  ///< the driver's name of the error, `CUDA_ERROR_...`

private:
    std::string call_;
    std::string name_;
};

/// A fault of TileJIT. Please report it with the text, which names file and line.
class InternalError : public Error {
public:
    using Error::Error;
};

/// Throws `InternalError` unless `condition` holds.
inline void internal_check(bool condition, const char* what, const char* file = __builtin_FILE(),
                           int line = __builtin_LINE()) {
    if (!condition) {
        throw InternalError(std::string("internal error: ") + what + " (" + file + ":" + std::to_string(line) + ")");
    }
}

}  // namespace tilejit
