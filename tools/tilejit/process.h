/// \file Running other programs.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilejit::cli {

/// The path of a program of the CUDA toolkit: from `PATH`, else from the toolkit's usual folder.
std::optional<std::string> find_program(const std::string& name);

/// Runs a program and returns its standard output. Throws `EnvironmentError` when it fails.
std::string output_of(const std::string& program, const std::vector<std::string>& arguments);

/// A file in the folder for temporary files, removed at the end of its life.
class ScratchFile {
public:
    /// Throws `FileError`.
    explicit ScratchFile(std::string_view bytes);
    ~ScratchFile();
    ScratchFile(const ScratchFile&) = delete;
    ScratchFile& operator=(const ScratchFile&) = delete;
    const std::string& path() const { return path_; }

private:
    std::string path_;
};

}  // namespace tilejit::cli
