/// \file Text files that are part of the library.
#pragma once

#include <span>
#include <string_view>

namespace tilejit {

struct EmbeddedFile {
    std::string_view name;  ///< path relative to the folder's root
    std::string_view text;
};

std::span<const EmbeddedFile> embedded_templates();  ///< device headers, `templates/`
std::span<const EmbeddedFile> embedded_manifests();  ///< in-tree op manifests, `manifests/`
std::span<const EmbeddedFile> generator_sources();   ///< what `generator_digest` covers

}  // namespace tilejit
