#include "runtime/cache/disk_cache.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>

#include "runtime/cache/file_io.h"
#include "runtime/log.h"
#include "tilejit/error.h"

namespace tilejit {

namespace {

namespace fs = std::filesystem;

/// Why code from `folder` must not be trusted, or nothing.
std::optional<std::string> distrust(const fs::path& folder) {
    struct stat info {};
    if (::stat(folder.c_str(), &info) != 0 || !S_ISDIR(info.st_mode)) {
        return "it is not a folder";
    }
    if (info.st_uid != ::geteuid() && info.st_uid != 0) {
        return "it belongs to another user";
    }
    if ((info.st_mode & S_IWOTH) != 0) {
        return "everyone may write to it";
    }
    return std::nullopt;
}

}  // namespace

std::optional<fs::path> cache_folder(const std::function<const char*(const char*)>& get) {
    const auto value = [&](const char* name) -> std::optional<fs::path> {
        const char* text = get(name);
        return text == nullptr || *text == '\0' ? std::nullopt : std::optional<fs::path>(text);
    };
    if (auto folder = value("TILEJIT_CACHE_DIR")) {
        return folder;
    }
    if (const auto folder = value("XDG_CACHE_HOME"); folder && folder->is_absolute()) {
        return *folder / "tilejit";
    }
    if (const auto home = value("HOME"); home && home->is_absolute()) {
        return *home / ".cache" / "tilejit";
    }
    return std::nullopt;
}

std::string entry_file(const KernelRecord& record, const std::string& extension) {
    return fmt::format("{}-{}{}", record.spec_key, record.build_key.substr(0, 16), extension);
}

DiskCache::DiskCache(std::optional<fs::path> folder) : folder_(std::move(folder)) {
    if (!folder_) {
        return;
    }
    std::error_code error;
    if (fs::exists(*folder_, error)) {
        if (const auto why = distrust(*folder_)) {
            give_up(*why);
            folder_.reset();
        }
    }
}

void DiskCache::give_up(const std::string& why) {
    if (writable_.exchange(false)) {
        log_message(
            fmt::format("the kernel cache {} cannot be used ({}); kernels are compiled again in each process. "
                        "Set TILEJIT_CACHE_DIR to a folder of yours that can be written.",
                        folder_->string(), why));
    }
}

bool DiskCache::prepare_folder() {
    std::error_code error;
    fs::create_directories(folder_->parent_path(), error);
    if (::mkdir(folder_->c_str(), 0700) != 0 && errno != EEXIST) {
        give_up(std::strerror(errno));
        return false;
    }
    if (const auto why = distrust(*folder_)) {
        give_up(*why);
        return false;
    }
    return true;
}

void DiskCache::remove_entry(const std::string& key) {
    std::error_code error;
    fs::remove(*folder_ / (key + ".json"), error);
    remove_builds(key, {});
}

void DiskCache::remove_builds(const std::string& key, const std::string& kept) {
    std::error_code error;
    for (fs::directory_iterator at(*folder_, error), end; !error && at != end; at.increment(error)) {
        const std::string name = at->path().filename().string();
        if (name.rfind(key + "-", 0) == 0 && (kept.empty() || name.rfind(kept, 0) != 0)) {
            std::error_code ignored;
            fs::remove(at->path(), ignored);
        }
    }
}

std::optional<KernelBinary> DiskCache::read_entry(const std::string& key, std::string& damage) {
    damage.clear();
    bool absent = false;
    const auto text = read_file(*folder_ / (key + ".json"), absent);
    if (!text) {
        return std::nullopt;
    }
    KernelBinary binary;
    try {
        binary.record = parse_record(*text);
    } catch (const FileError& error) {
        damage = error.what();
        return std::nullopt;
    }
    const auto image = read_file(*folder_ / entry_file(binary.record, ".cubin"), absent);
    if (!image || digest(*image) != binary.record.cubin_digest) {
        damage = image ? "the cubin's digest differs from the record's" : "the cubin cannot be read";
        return std::nullopt;
    }
    binary.image = *image;
    return binary;
}

std::optional<KernelBinary> DiskCache::find(const SpecKeyParts& parts) {
    if (!folder_) {
        return std::nullopt;
    }
    const std::string key = spec_key(parts);
    std::string damage;
    auto binary = read_entry(key, damage);
    if (!damage.empty()) {
        // Another process may have replaced the entry between the record and the cubin.
        binary = read_entry(key, damage);
    }
    if (binary && binary->record.parts != parts) {
        damage = "the record is of another kernel";
        binary.reset();
    }
    if (!damage.empty()) {
        log_message(fmt::format("the kernel cache entry {} is damaged and is built again: {}", key, damage));
        remove_entry(key);
    }
    return binary;
}

void DiskCache::store(const KernelBinary& binary) {
    if (!folder_ || !writable_ || !prepare_folder()) {
        return;
    }
    const KernelRecord& record = binary.record;
    const std::pair<std::string, std::string> files[] = {
        {entry_file(record, ".cubin"), binary.image},
        {entry_file(record, ".cu"), binary.source},
        {record.spec_key + ".json", nlohmann::json(record).dump(2) + "\n"},
    };
    for (const auto& [name, bytes] : files) {
        if (const auto why = publish_file(*folder_ / name, bytes)) {
            give_up(*why);
            return;
        }
    }
    remove_builds(record.spec_key, entry_file(record, ""));
}

}  // namespace tilejit
