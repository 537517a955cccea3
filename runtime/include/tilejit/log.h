/// \file Messages that are no errors: a cache that cannot be used, a kernel that is built again.
#pragma once

#include <functional>
#include <string_view>

namespace tilejit {

/// Receives one line of text without a line end. May be called from any thread.
using LogCallback = std::function<void(std::string_view text)>;

/// Sets who receives TileJIT's messages. TileJIT is silent until this is called; an empty callback
/// makes it silent again. Thread-safe. The callback must not call TileJIT.
void set_log_callback(LogCallback callback);

}  // namespace tilejit
