/// \file The kernel cache on disk. An entry is a JSON record `<spec_key>.json`, the cubin that it
/// names, and the CUDA text beside it; all are plain files that other tools open.
///
/// Publishing writes temporary files, syncs them and renames them into place, the record last. The
/// names of cubin and text hold the build key, so a record never meets the cubin of another build,
/// and any number of processes may read and publish at once. Nothing here throws for a bad disk: a
/// bad entry is removed and counts as absent, and a folder that cannot be used is reported once and
/// then left alone.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "runtime/cache/record.h"

namespace tilejit {

class DiskCache {
public:
    /// Works in `folder`, made with mode 0700 when it is missing. Without a folder, nothing is cached.
    explicit DiskCache(std::optional<std::filesystem::path> folder);

    /// The entry, checked: its digest fits, and its parts are the ones asked for.
    std::optional<KernelBinary> find(const SpecKeyParts& parts);

    /// Publishes `binary`. On failure the cache reports once and stops writing.
    void store(const KernelBinary& binary);

    const std::optional<std::filesystem::path>& folder() const { return folder_; }

private:
    bool prepare_folder();
    void give_up(const std::string& why);
    void remove_entry(const std::string& key);
    void remove_builds(const std::string& key, const std::string& kept);
    std::optional<KernelBinary> read_entry(const std::string& key, std::string& damage);

    std::optional<std::filesystem::path> folder_;
    std::atomic<bool> writable_{true};
};

/// `TILEJIT_CACHE_DIR`, else `XDG_CACHE_HOME/tilejit`, else `HOME/.cache/tilejit`, else none.
/// `get` reads an environment variable and returns null when it is unset.
std::optional<std::filesystem::path> cache_folder(const std::function<const char*(const char*)>& get);

/// The file name of an entry's cubin (`.cubin`) or text (`.cu`).
std::string entry_file(const KernelRecord& record, const std::string& extension);

}  // namespace tilejit
