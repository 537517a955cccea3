#include "tools/tilejit/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "tools/tilejit/cli.h"

extern char** environ;

namespace tilejit::cli {
namespace {

/// Both ends of a pipe, closed at the end of its life.
struct Pipe {
    std::array<int, 2> ends = {-1, -1};
    Pipe() {
        if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
            throw EnvironmentError(fmt::format("cannot make a pipe: {}", std::strerror(errno)));
        }
    }
    ~Pipe() {
        close_end(0);
        close_end(1);
    }
    Pipe(const Pipe&) = delete;
    Pipe& operator=(const Pipe&) = delete;
    void close_end(std::size_t end) {
        if (ends[end] >= 0) {
            ::close(ends[end]);
            ends[end] = -1;
        }
    }
};

std::string read_all(int descriptor) {
    std::string text;
    std::array<char, 65536> buffer{};
    while (true) {
        const ssize_t got = ::read(descriptor, buffer.data(), buffer.size());
        if (got > 0) {
            text.append(buffer.data(), static_cast<std::size_t>(got));
        } else if (got == 0 || errno != EINTR) {
            return text;
        }
    }
}

}  // namespace

std::optional<std::string> find_program(const std::string& name) {
    const char* path = std::getenv("PATH");
    std::string folders = path == nullptr ? "" : path;
    folders += ":/usr/local/cuda/bin";
    for (std::size_t begin = 0; begin <= folders.size();) {
        const std::size_t end = std::min(folders.find(':', begin), folders.size());
        const std::string candidate = folders.substr(begin, end - begin) + "/" + name;
        if (end > begin && ::access(candidate.c_str(), X_OK) == 0) {
            return candidate;
        }
        begin = end + 1;
    }
    return std::nullopt;
}

std::string output_of(const std::string& program, const std::vector<std::string>& arguments) {
    Pipe pipe;
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, pipe.ends[1], STDOUT_FILENO);
    std::vector<std::string> words = {program};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> argv;
    for (std::string& word : words) {
        argv.push_back(word.data());
    }
    argv.push_back(nullptr);
    pid_t child = 0;
    const int error = ::posix_spawn(&child, program.c_str(), &actions, nullptr, argv.data(), environ);
    ::posix_spawn_file_actions_destroy(&actions);
    if (error != 0) {
        throw EnvironmentError(fmt::format("cannot run {}: {}", program, std::strerror(error)));
    }
    pipe.close_end(1);
    std::string text = read_all(pipe.ends[0]);
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        throw EnvironmentError(fmt::format("{} failed", program));
    }
    return text;
}

ScratchFile::ScratchFile(std::string_view bytes) {
    std::error_code error;
    const std::filesystem::path folder = std::filesystem::temp_directory_path(error);
    std::string pattern = (error ? std::filesystem::path("/tmp") : folder) / "tilejit.XXXXXX";
    const int descriptor = ::mkstemp(pattern.data());
    if (descriptor < 0) {
        throw FileError(fmt::format("{}: cannot create a temporary file: {}", pattern, std::strerror(errno)));
    }
    path_ = pattern;
    bool good = true;
    while (good && !bytes.empty()) {
        const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
        good = written > 0;
        bytes.remove_prefix(good ? static_cast<std::size_t>(written) : 0);
    }
    ::close(descriptor);
    if (!good) {
        ::unlink(path_.c_str());
        throw FileError(path_ + ": cannot write a temporary file");
    }
}

ScratchFile::~ScratchFile() { ::unlink(path_.c_str()); }

}  // namespace tilejit::cli
