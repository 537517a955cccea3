#include "generator/manifest/library.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "generator/embedded.h"
#include "tilejit/error.h"

namespace tilejit::manifest {
namespace {

bool ends_with(const std::string& text, std::string_view end) {
    return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

std::vector<std::string> manifest_files(const std::string& path) {
    std::vector<std::string> files;
    std::error_code error;
    std::filesystem::directory_iterator entries(path, error);
    for (; !error && entries != std::filesystem::directory_iterator(); entries.increment(error)) {
        const std::string name = entries->path().filename().string();
        if (ends_with(name, ".json") && !ends_with(name, ".schema.json")) {
            files.push_back(entries->path().string());
        }
    }
    if (error) {
        throw ManifestError(fmt::format("{}: found no folder that can be read ({}), expected one with op manifests",
                                        path, error.message()));
    }
    std::sort(files.begin(), files.end());
    return files;
}

}  // namespace

void Library::add(Manifest manifest) {
    const auto known = manifests_.find(manifest.op);
    if (known != manifests_.end()) {
        throw ManifestError(fmt::format("{}: /op: found \"{}\", which {} describes already, expected another op",
                                        manifest.file, manifest.op, known->second.file));
    }
    std::string op = manifest.op;
    manifests_.emplace(std::move(op), std::move(manifest));
}

void Library::add_directory(const std::string& path) {
    Library extended = *this;
    for (const std::string& file : manifest_files(path)) {
        extended.add(load_manifest(file));
    }
    // merge() keeps the nodes that references point to and takes only the new ones.
    manifests_.merge(extended.manifests_);
}

const Manifest* Library::find_if_known(std::string_view op) const {
    const auto known = manifests_.find(op);
    return known == manifests_.end() ? nullptr : &known->second;
}

const Manifest& Library::find(std::string_view op) const {
    const Manifest* known = find_if_known(op);
    if (known == nullptr) {
        throw OpNotAvailable(fmt::format("found the op \"{}\", expected one of {}", op, fmt::join(ops(), ", ")));
    }
    return *known;
}

std::vector<std::string> Library::ops() const {
    std::vector<std::string> names;
    for (const auto& entry : manifests_) {
        names.push_back(entry.first);
    }
    return names;
}

const Library& builtin_manifests() {
    static const Library kLibrary = [] {
        Library result;
        for (const EmbeddedFile& file : embedded_manifests()) {
            result.add(parse_manifest(file.text, fmt::format("manifests/{}", file.name)));
        }
        return result;
    }();
    return kLibrary;
}

const Manifest& find_manifest(std::string_view op) { return builtin_manifests().find(op); }

}  // namespace tilejit::manifest
