#include "runtime/op/params.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <vector>

namespace tilejit {

Params check_params(const manifest::Manifest& manifest, const Params& given) {
    std::vector<std::string> names;
    Params result;
    for (const manifest::Param& param : manifest.params) {
        names.push_back(param.name);
        const auto found = given.find(param.name);
        if (found == given.end() && !param.default_value) {
            throw ShapeError(fmt::format("{}: parameter `{}` is missing and has no default.", manifest.op, param.name));
        }
        result[param.name] =
            manifest::check_param(manifest, param, found == given.end() ? *param.default_value : found->second);
    }
    for (const auto& [name, value] : given) {
        if (result.find(name) == result.end()) {
            throw ShapeError(names.empty() ? fmt::format("{} has no parameter `{}`; it takes none.", manifest.op, name)
                                           : fmt::format("{} has no parameter `{}`. Its parameters are: {}.",
                                                         manifest.op, name, fmt::join(names, ", ")));
        }
    }
    return result;
}

}  // namespace tilejit
