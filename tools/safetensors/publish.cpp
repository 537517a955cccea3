#include "tools/safetensors/publish.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <vector>

#include "tilejit/error.h"

namespace tilejit {
namespace {

[[noreturn]] void fail(const std::string& path, const char* what, int error) {
    throw FileError(fmt::format("{}: {}: {}", path, what, std::strerror(error)));
}

class Descriptor {
public:
    explicit Descriptor(int fd) : fd_(fd) {}
    ~Descriptor() { close(); }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;

    int get() const { return fd_; }
    int close() {
        const int result = fd_ >= 0 ? ::close(fd_) : 0;
        fd_ = -1;
        return result;
    }

private:
    int fd_;
};

/// Removes the file unless it was renamed away.
class Temporary {
public:
    explicit Temporary(std::string path) : path_(std::move(path)) {}
    ~Temporary() {
        if (!path_.empty()) {
            ::unlink(path_.c_str());
        }
    }
    Temporary(const Temporary&) = delete;
    Temporary& operator=(const Temporary&) = delete;

    void rename_to(const std::string& path) {
        if (::rename(path_.c_str(), path.c_str()) != 0) {
            fail(path, "cannot put the finished file in place", errno);
        }
        path_.clear();
    }

private:
    std::string path_;
};

void write_all(int fd, std::span<const std::byte> bytes, const std::string& path) {
    while (!bytes.empty()) {
        const ssize_t written = ::write(fd, bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR) {
            continue;
        }
        if (written < 0) {
            fail(path, "cannot write", errno);
        }
        bytes = bytes.subspan(static_cast<std::size_t>(written));
    }
}

mode_t file_mode(const std::string& path) {
    struct stat status {};
    if (::stat(path.c_str(), &status) == 0) {
        return status.st_mode & 07777;
    }
    const mode_t mask = ::umask(0);
    ::umask(mask);
    return 0666 & ~mask;
}

}  // namespace

void publish(const std::string& path, std::span<const std::byte> bytes) {
    std::error_code error;
    const std::filesystem::path resolved = std::filesystem::weakly_canonical(path, error);
    const std::string target = error || resolved.empty() ? path : resolved.string();
    const auto status = std::filesystem::status(target, error);
    if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
        Descriptor file(::open(target.c_str(), O_WRONLY | O_CLOEXEC));
        if (file.get() < 0) {
            fail(path, "cannot open for writing", errno);
        }
        write_all(file.get(), bytes, path);
        return;
    }
    std::string pattern = target + ".XXXXXX";
    std::vector<char> name(pattern.begin(), pattern.end());
    name.push_back('\0');
    Descriptor file(::mkostemp(name.data(), O_CLOEXEC));
    if (file.get() < 0) {
        fail(path, "cannot create a file in its folder", errno);
    }
    Temporary temporary(name.data());
    write_all(file.get(), bytes, path);
    if (::fchmod(file.get(), file_mode(target)) != 0 || ::fsync(file.get()) != 0 || file.close() != 0) {
        fail(path, "cannot finish writing", errno);
    }
    temporary.rename_to(target);
}

void publish(const std::string& path, std::string_view text) { publish(path, std::as_bytes(std::span(text))); }

}  // namespace tilejit
