/// \file Programs as a user runs them, and folders for them to work in.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace tilejit::test {

struct ProcessResult {
    int code = -1;  ///< exit code; -1 when a signal ended it
    std::string out;
    std::string err;
};

struct ProcessOptions {
    std::vector<std::pair<std::string, std::string>> environment = {};  ///< added to this program's own
    std::string folder = {};                                            ///< working directory; empty: this one
};

/// Runs a program, found on PATH when its name has no slash, and waits for it.
ProcessResult run_program(const std::string& program, const std::vector<std::string>& arguments,
                          const ProcessOptions& options = {});

#ifdef TILEJIT_CLI
/// Runs the command line program that was built with the tests.
inline ProcessResult run_cli(const std::vector<std::string>& arguments, const ProcessOptions& options = {}) {
    return run_program(TILEJIT_CLI, arguments, options);
}
#endif

/// An empty folder, removed with all it holds at the end of its life.
class ScratchFolder {
public:
    ScratchFolder();
    ~ScratchFolder();
    ScratchFolder(const ScratchFolder&) = delete;
    ScratchFolder& operator=(const ScratchFolder&) = delete;
    std::string file(const std::string& name) const { return path_ + "/" + name; }
    const std::string& path() const { return path_; }

private:
    std::string path_;
};

/// A file's bytes. Throws when it cannot be read.
std::string content_of(const std::string& path);

}  // namespace tilejit::test
