/// \file The ops that are known: those built in, and those of an embedding program's folders.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "generator/manifest/manifest.h"

namespace tilejit::manifest {

/// Manifests by op name. References stay valid while the library lives. Reading from several threads is
/// fine as long as none adds.
class Library {
public:
    /// Throws `ManifestError` naming both files when the op is known already.
    void add(Manifest manifest);

    /// Adds every `*.json` in the folder but `*.schema.json`, in the order of their names. Throws
    /// `ManifestError`; then nothing was added.
    void add_directory(const std::string& path);

    /// Throws `OpNotAvailable` listing the ops.
    const Manifest& find(std::string_view op) const;
    const Manifest* find_if_known(std::string_view op) const;
    std::vector<std::string> ops() const;  ///< sorted

private:
    std::map<std::string, Manifest, std::less<>> manifests_;
};

/// The in-tree manifests, parsed at the first call. Thread-safe.
const Library& builtin_manifests();

/// An in-tree op. Throws `OpNotAvailable` listing the ops.
const Manifest& find_manifest(std::string_view op);

}  // namespace tilejit::manifest
