/// \file Messages for the embedding program; see `tilejit/log.h`.
#pragma once

#include <string_view>

namespace tilejit {

/// Hands `text` to the callback that `set_log_callback` set, if there is one.
void log_message(std::string_view text);

}  // namespace tilejit
