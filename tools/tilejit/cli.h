/// \file The commands of `tilejit` and what they share: exit codes, errors, output.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tilejit/error.h"

namespace tilejit::cli {

using Arguments = std::vector<std::string>;

enum ExitCode {
    kGood = 0,
    kFailed = 1,       ///< a check failed, or TileJIT itself did
    kBadUse = 2,       ///< arguments, shapes, files, targets: the caller can mend it
    kEnvironment = 3,  ///< a GPU, a driver, NVRTC, a tool or memory is missing
};

/// The command line is not legal.
class UsageError : public UserError {
public:
    using UserError::UserError;
};

/// A program that a command needs is not there, or failed.
class EnvironmentError : public UserError {
public:
    using UserError::UserError;
};

/// An output differs from the reference by more than the tolerance.
class CheckFailed : public Error {
public:
    using Error::Error;
};

/// `--help` was given: not an error.
struct HelpRequested {
    std::string text;
};

struct Command {
    std::string_view name;
    std::string_view summary;
    int (*run)(const Arguments& arguments);  ///< returns an exit code
};

int list_command(const Arguments& arguments);
int gen_command(const Arguments& arguments);
int run_command(const Arguments& arguments);
int aot_command(const Arguments& arguments);
int explain_command(const Arguments& arguments);
int bench_command(const Arguments& arguments);

std::span<const Command> commands();

/// Writes to standard output; throws `FileError` when that fails.
void print(std::string_view text);
/// Writes `json`, indented, and a line end to standard output.
void print_json(const nlohmann::json& json);

/// Writes to standard error when that is a terminal.
void progress(std::string_view text);

/// The exit code of an error, and its type's name; `what()`, or words for an error that has none.
ExitCode exit_code_of(const std::exception& error);
std::string_view type_of(const std::exception& error);
std::string message_of(const std::exception& error);

}  // namespace tilejit::cli
