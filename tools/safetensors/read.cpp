#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <functional>
#include <new>

#include "tools/safetensors/header.h"

namespace tilejit::safetensors {
namespace {

constexpr std::uint64_t kLengthBytes = 8;

/// Fills `into` from byte `offset` on; the range was checked against the file's size.
using ReadAt = std::function<void(std::uint64_t offset, std::span<std::byte> into)>;

std::uint64_t header_length(const std::string& file, std::uint64_t size, const ReadAt& read_at) {
    if (size < kLengthBytes) {
        throw FileError(fmt::format(
            "{}: the file has {} bytes; a safetensors file begins with 8 bytes of header length", file, size));
    }
    std::array<std::byte, kLengthBytes> raw{};
    read_at(0, raw);
    std::uint64_t length = 0;
    for (std::size_t i = 0; i < raw.size(); ++i) {
        length |= static_cast<std::uint64_t>(raw[i]) << (8 * i);
    }
    if (length > kMaxHeaderBytes) {
        throw FileError(fmt::format("{}: the header length is {}; at most {} are read. Is this a safetensors file?",
                                    file, length, kMaxHeaderBytes));
    }
    if (length > size - kLengthBytes) {
        throw FileError(fmt::format("{}: the header length is {}, but only {} bytes follow it; the file is truncated",
                                    file, length, size - kLengthBytes));
    }
    return length;
}

File load(const std::string& file, std::uint64_t size, const ReadAt& read_at) {
    const std::uint64_t length = header_length(file, size, read_at);
    std::string text(length, '\0');
    read_at(kLengthBytes, std::as_writable_bytes(std::span(text)));
    const std::uint64_t data = kLengthBytes + length;
    Header header = parse_header(text, size - data, file);

    File result;
    result.metadata = std::move(header.metadata);
    for (Entry& entry : header.entries) {
        Tensor tensor{entry.dtype, std::move(entry.shape), {}};
        tensor.bytes.resize(entry.end - entry.begin);
        read_at(data + entry.begin, tensor.bytes);
        result.tensors.emplace(std::move(entry.name), std::move(tensor));
    }
    return result;
}

class OpenFile {
public:
    explicit OpenFile(const std::string& path)
        : path_(path), fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
        if (fd_ < 0) {
            fail("cannot open");
        }
        struct stat status {};
        const bool known = ::fstat(fd_, &status) == 0;
        if (!known || !S_ISREG(status.st_mode)) {
            ::close(fd_);
            throw FileError(path + ": expected a regular file");
        }
        size_ = static_cast<std::uint64_t>(status.st_size);
    }
    ~OpenFile() { ::close(fd_); }
    OpenFile(const OpenFile&) = delete;
    OpenFile& operator=(const OpenFile&) = delete;

    std::uint64_t size() const { return size_; }

    void read_at(std::uint64_t offset, std::span<std::byte> into) const {
        while (!into.empty()) {
            const ssize_t got = ::pread(fd_, into.data(), into.size(), static_cast<off_t>(offset));
            if (got < 0 && errno == EINTR) {
                continue;
            }
            if (got < 0) {
                fail("cannot read");
            }
            if (got == 0) {
                throw FileError(path_ + ": the file became shorter while it was read");
            }
            offset += static_cast<std::uint64_t>(got);
            into = into.subspan(static_cast<std::size_t>(got));
        }
    }

private:
    [[noreturn]] void fail(const char* what) const {
        throw FileError(fmt::format("{}: {}: {}", path_, what, std::strerror(errno)));
    }

    std::string path_;
    int fd_;
    std::uint64_t size_ = 0;
};

}  // namespace

File read(const std::string& path) {
    const OpenFile file(path);
    try {
        return load(path, file.size(),
                    [&](std::uint64_t offset, std::span<std::byte> into) { file.read_at(offset, into); });
    } catch (const std::bad_alloc&) {
        throw FileError(fmt::format("{}: its {} bytes do not fit into memory", path, file.size()));
    }
}

File parse(std::span<const std::byte> bytes, const std::string& name) {
    return load(name, bytes.size(), [&](std::uint64_t offset, std::span<std::byte> into) {
        if (!into.empty()) {
            std::memcpy(into.data(), bytes.data() + offset, into.size());
        }
    });
}

}  // namespace tilejit::safetensors
