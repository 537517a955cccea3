/// \file Whole files, read and published in one step.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace tilejit {

/// The file's bytes, or nothing when it cannot be read; `absent` tells whether it does not exist.
std::optional<std::string> read_file(const std::filesystem::path& path, bool& absent);

/// Makes `path` hold `bytes`: a reader sees the old file or the new one, never a part, also after a
/// crash. Mode 0600. Returns the system's text on failure and leaves nothing behind.
std::optional<std::string> publish_file(const std::filesystem::path& path, std::string_view bytes);

}  // namespace tilejit
