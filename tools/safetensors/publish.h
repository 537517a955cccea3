/// \file Files that appear whole or not at all.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace tilejit {

/// Writes `bytes` to a temporary file beside `path`, syncs it, and renames it to `path`: whoever reads
/// `path` sees the old content or the new one. A link is followed; a device or pipe is written to as
/// it is. Throws `FileError`, and then leaves no temporary file behind.
void publish(const std::string& path, std::span<const std::byte> bytes);
void publish(const std::string& path, std::string_view text);

}  // namespace tilejit
