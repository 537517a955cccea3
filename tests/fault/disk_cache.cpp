/// \file The disk cache under damage, bad folders and several processes.
#include "runtime/cache/disk_cache.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <mutex>

#include "tests/catch.h"
#include "tests/runtime/temporary_folder.h"
#include "tilejit/log.h"

using namespace tilejit;
using testing::read_text;
using testing::TemporaryFolder;
using testing::write_text;
namespace fs = std::filesystem;

namespace {

SpecKeyParts parts_of(const std::string& name) { return {"manifest", "generator", name, "-arch=sm_90a"}; }

KernelBinary binary_of(const std::string& name, const std::string& image = "image", const std::string& nvrtc = "13") {
    KernelBinary binary;
    binary.image = image;
    binary.source = "// source";
    KernelRecord& record = binary.record;
    record.parts = parts_of(name);
    record.op = "Op";
    record.arch = "sm_90a";
    record.spec_key = spec_key(record.parts);
    record.source_digest = digest(binary.source);
    record.nvrtc_version = nvrtc;
    record.build_key = build_key(record.spec_key, record.source_digest, nvrtc);
    record.cubin_digest = digest(image);
    KernelLaunch launch;
    launch.symbol = "kernel";
    launch.threads = 128;
    launch.grid[0] = {1, 4};
    launch.args = {{KernelArg::Kind::pointer, "x"}, {KernelArg::Kind::batch, ""}};
    record.plan.launches.push_back(launch);
    record.plan.workspaces.push_back({"partial", 96});
    record.resources.push_back({"kernel", 40, 1024, 0, 0, 0});
    return binary;
}

/// Collects TileJIT's messages while it lives.
class Messages {
public:
    Messages() {
        set_log_callback([this](std::string_view text) { texts.emplace_back(text); });
    }
    ~Messages() { set_log_callback({}); }
    std::vector<std::string> texts;
};

std::vector<fs::path> files_in(const fs::path& folder) {
    std::vector<fs::path> result;
    for (const auto& entry : fs::directory_iterator(folder)) {
        result.push_back(entry.path());
    }
    return result;
}

fs::path file_with(const fs::path& folder, const std::string& extension) {
    for (const fs::path& file : files_in(folder)) {
        if (file.extension() == extension) {
            return file;
        }
    }
    FAIL("no file with extension " << extension);
    return {};
}

void flip_byte(const fs::path& file, std::size_t at) {
    std::string bytes = read_text(file);
    bytes.at(at) = static_cast<char>(bytes[at] ^ 1);
    write_text(file, bytes);
}

}  // namespace

TEST_CASE("an entry comes back as it was stored", "[cache]") {
    const TemporaryFolder scratch;
    const fs::path folder = scratch.path() / "a" / "cache";
    const KernelBinary stored = binary_of("one");
    DiskCache(folder).store(stored);
    DiskCache cache(folder);
    const auto found = cache.find(parts_of("one"));
    REQUIRE(found);
    CHECK(found->record == stored.record);
    CHECK(found->image == stored.image);
    CHECK_FALSE(cache.find(parts_of("two")));
    CHECK(read_text(file_with(folder, ".cu")) == stored.source);
    CHECK((fs::status(folder).permissions() & fs::perms::all) == fs::perms::owner_all);
    CHECK(files_in(folder).size() == 3);
}

TEST_CASE("a damaged entry is absent, removed, and can be stored again", "[cache]") {
    const TemporaryFolder scratch;
    DiskCache cache(scratch.path());
    cache.store(binary_of("one"));
    cache.store(binary_of("other"));
    const std::string key = spec_key(parts_of("one"));
    const fs::path record = scratch.path() / (key + ".json");
    const fs::path cubin = scratch.path() / entry_file(binary_of("one").record, ".cubin");
    SECTION("a flipped bit in the cubin") { flip_byte(cubin, 2); }
    SECTION("a torn cubin") { fs::resize_file(cubin, 2); }
    SECTION("an empty cubin") { fs::resize_file(cubin, 0); }
    SECTION("no cubin") { fs::remove(cubin); }
    SECTION("a torn record") { fs::resize_file(record, fs::file_size(record) / 2); }
    SECTION("an empty record") { fs::resize_file(record, 0); }
    SECTION("a record that is JSON of something else") { write_text(record, "[1, 2]"); }
    SECTION("a record of another key") {
        write_text(record, read_text(scratch.path() / (spec_key(parts_of("other")) + ".json")));
    }
    SECTION("a record of another schema") {
        std::string text = read_text(record);
        const std::size_t at = text.find("\"schema\": 1");
        REQUIRE(at != std::string::npos);
        write_text(record, text.replace(at, 11, "\"schema\": 9"));
    }
    const Messages messages;
    CHECK_FALSE(cache.find(parts_of("one")));
    CHECK(messages.texts.size() == 1);
    CHECK_FALSE(fs::exists(record));
    CHECK_FALSE(fs::exists(cubin));
    CHECK(cache.find(parts_of("other")));
    cache.store(binary_of("one"));
    CHECK(cache.find(parts_of("one")));
}

TEST_CASE("an entry of another build replaces the old one and its files", "[cache]") {
    const TemporaryFolder scratch;
    DiskCache cache(scratch.path());
    cache.store(binary_of("one", "old image", "12.9"));
    cache.store(binary_of("one", "new image", "13.0"));
    const auto found = cache.find(parts_of("one"));
    REQUIRE(found);
    CHECK(found->image == "new image");
    CHECK(found->record.nvrtc_version == "13.0");
    CHECK(files_in(scratch.path()).size() == 3);
}

TEST_CASE("a folder that cannot be written works uncached and says so once", "[cache]") {
    const TemporaryFolder scratch;
    const Messages messages;
    const fs::path file = scratch.path() / "file";
    write_text(file, "");
    // A file where a folder should be: no one can write there, not even root.
    DiskCache cache(file / "cache");
    cache.store(binary_of("one"));
    cache.store(binary_of("two"));
    CHECK_FALSE(cache.find(parts_of("one")));
    REQUIRE(messages.texts.size() == 1);
    CHECK_THAT(messages.texts[0], Catch::Contains("TILEJIT_CACHE_DIR"));
}

TEST_CASE("a read-only folder still serves what it has", "[cache]") {
    if (::geteuid() == 0) {
        WARN("root writes to read-only folders; only the reading is checked");
    }
    const TemporaryFolder scratch;
    DiskCache(scratch.path()).store(binary_of("one"));
    fs::permissions(scratch.path(), fs::perms::owner_read | fs::perms::owner_exec);
    const Messages messages;
    DiskCache cache(scratch.path());
    CHECK(cache.find(parts_of("one")));
    cache.store(binary_of("two"));
    cache.store(binary_of("three"));
    CHECK(messages.texts.size() == (::geteuid() == 0 ? 0U : 1U));
}

TEST_CASE("a folder that everyone may write to is not trusted", "[cache]") {
    const TemporaryFolder scratch;
    DiskCache(scratch.path()).store(binary_of("one"));
    fs::permissions(scratch.path(), fs::perms::all);
    const Messages messages;
    DiskCache cache(scratch.path());
    CHECK_FALSE(cache.find(parts_of("one")));
    REQUIRE(messages.texts.size() == 1);
    CHECK_THAT(messages.texts[0], Catch::Contains("everyone may write"));
}

TEST_CASE("without a folder nothing is cached and nothing is said", "[cache]") {
    const Messages messages;
    DiskCache cache(std::nullopt);
    cache.store(binary_of("one"));
    CHECK_FALSE(cache.find(parts_of("one")));
    CHECK(messages.texts.empty());
}

TEST_CASE("the folder follows the environment", "[cache]") {
    std::map<std::string, std::string> environment;
    const auto get = [&](const char* name) {
        const auto at = environment.find(name);
        return at == environment.end() ? nullptr : at->second.c_str();
    };
    CHECK_FALSE(cache_folder(get));
    environment["HOME"] = "/home/me";
    CHECK(cache_folder(get) == fs::path("/home/me/.cache/tilejit"));
    environment["XDG_CACHE_HOME"] = "/xdg";
    CHECK(cache_folder(get) == fs::path("/xdg/tilejit"));
    environment["TILEJIT_CACHE_DIR"] = "/chosen dir/\xc3\xa9";
    CHECK(cache_folder(get) == fs::path("/chosen dir/\xc3\xa9"));
    environment = {{"HOME", "relative"}};
    CHECK_FALSE(cache_folder(get));
    environment = {{"HOME", ""}};
    CHECK_FALSE(cache_folder(get));
}

TEST_CASE("processes that publish and read at once never see a part", "[cache]") {
    constexpr int kProcesses = 4;
    constexpr int kRounds = 60;
    const TemporaryFolder scratch;
    std::vector<pid_t> children;
    for (int child = 0; child < kProcesses; ++child) {
        const pid_t pid = ::fork();
        REQUIRE(pid >= 0);
        if (pid == 0) {
            DiskCache cache(scratch.path());
            const std::string image(200000, 'i');
            int bad = 0;
            for (int round = 0; round < kRounds; ++round) {
                cache.store(binary_of("shared", image));
                const auto found = cache.find(parts_of("shared"));
                bad += found && found->image == image ? 0 : 1;
            }
            ::_exit(bad == 0 ? 0 : 1);
        }
        children.push_back(pid);
    }
    for (const pid_t pid : children) {
        int status = 0;
        ::waitpid(pid, &status, 0);
        CHECK(WIFEXITED(status));
        CHECK(WEXITSTATUS(status) == 0);
    }
    CHECK(files_in(scratch.path()).size() == 3);
}
