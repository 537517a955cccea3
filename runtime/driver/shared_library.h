/// \file Shared libraries opened at run time and kept open until the process ends: code of theirs
/// may run in exit handlers, so closing them is never safe.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace tilejit {

/// An open library.
struct SharedLibrary {
    void* handle = nullptr;
    std::string name;  ///< the name or path that opened it

    /// Address of `symbol`, or null.
    void* find(const char* symbol) const;
};

/// Opens the first of `names` that opens. When none does, `why` has the loader's text for each, a
/// line a name.
std::optional<SharedLibrary> open_first(const std::vector<std::string>& names, std::string& why);

}  // namespace tilejit
