#include "runtime/driver/shared_library.h"

#include <dlfcn.h>

namespace tilejit {

void* SharedLibrary::find(const char* symbol) const { return dlsym(handle, symbol); }

std::optional<SharedLibrary> open_first(const std::vector<std::string>& names, std::string& why) {
    for (const std::string& name : names) {
        if (void* handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL)) {
            return SharedLibrary{handle, name};
        }
        const char* text = dlerror();
        why += "\n  " + (text != nullptr ? std::string(text) : name + ": cannot be opened");
    }
    return std::nullopt;
}

}  // namespace tilejit
