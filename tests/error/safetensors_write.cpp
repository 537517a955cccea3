#include <sys/stat.h>
#include <unistd.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "tests/catch.h"
#include "tests/error/safetensors_bytes.h"
#include "tools/safetensors/publish.h"

using namespace tilejit;
namespace fs = std::filesystem;

namespace {

struct Folder {
    fs::path path = fs::temp_directory_path() / ("tilejit_write_" + std::to_string(::getpid()));
    Folder() { fs::create_directories(path); }
    ~Folder() { fs::remove_all(path); }
    std::string file(const std::string& name) const { return (path / name).string(); }
    std::size_t entries() const {
        return static_cast<std::size_t>(std::distance(fs::directory_iterator(path), fs::directory_iterator()));
    }
};

template <typename Call>
std::string message_of(Call call) {
    try {
        call();
    } catch (const FileError& error) {
        return error.what();
    }
    return "";
}

safetensors::Tensor bits16(safetensors::DType dtype, const std::vector<std::uint16_t>& bits) {
    safetensors::Tensor tensor{dtype, {static_cast<std::int64_t>(bits.size())}, {}};
    tensor.bytes.resize(bits.size() * 2);
    std::memcpy(tensor.bytes.data(), bits.data(), tensor.bytes.size());
    return tensor;
}

}  // namespace

TEST_CASE("safetensors: what is written reads back, for every type") {
    using safetensors::DType;
    const Folder folder;
    safetensors::File file;
    file.metadata = {{"quote \" and \\", "line\nbreak"}, {"größe", ""}};
    for (int i = 0; i <= static_cast<int>(DType::u64); ++i) {
        const auto dtype = static_cast<DType>(i);
        safetensors::Tensor tensor{dtype, {3, 1, 7}, std::vector<std::byte>(21 * safetensors::size_of(dtype))};
        for (std::size_t at = 0; at < tensor.bytes.size(); ++at) {
            tensor.bytes[at] = static_cast<std::byte>(at * 37 + static_cast<std::size_t>(i));
        }
        file.tensors[std::string(safetensors::name_of(dtype))] = tensor;
    }
    file.tensors["scalar"] = {DType::f64, {}, std::vector<std::byte>(8)};
    file.tensors["empty"] = {DType::bf16, {0, 4}, {}};
    safetensors::write(folder.file("all.safetensors"), file);
    CHECK(safetensors::read(folder.file("all.safetensors")) == file);
    CHECK(safetensors::serialize(file, "a") == safetensors::serialize(file, "b"));
    CHECK(folder.entries() == 1);
}

TEST_CASE("safetensors: values convert exactly") {
    using safetensors::DType;
    const std::vector<double> bf16 =
        safetensors::to_doubles(bits16(DType::bf16, {0x3f80, 0xc049, 0x0001, 0x7f80, 0x7fc0, 0x8000}));
    CHECK(bf16[0] == 1.0);
    CHECK(bf16[1] == -3.140625);
    CHECK(bf16[2] == 0x1p-133);
    CHECK(std::isinf(bf16[3]));
    CHECK(std::isnan(bf16[4]));
    CHECK(std::signbit(bf16[5]));
    const std::vector<double> f16 =
        safetensors::to_doubles(bits16(DType::f16, {0x3c00, 0x0001, 0x7bff, 0xfc00, 0x7e00}));
    CHECK(f16[0] == 1.0);
    CHECK(f16[1] == 0x1p-24);
    CHECK(f16[2] == 65504.0);
    CHECK(f16[3] == -INFINITY);
    CHECK(std::isnan(f16[4]));
    CHECK(message_of([] { safetensors::to_doubles({DType::i32, {0}, {}}); }).find("I32") != std::string::npos);
}

TEST_CASE("safetensors: files that cannot be written are refused before anything is") {
    const Folder folder;
    const std::string path = folder.file("out.safetensors");
    safetensors::File file;
    file.tensors["a"] = {safetensors::DType::f32, {2}, std::vector<std::byte>(7)};
    CHECK(message_of([&] { safetensors::write(path, file); }).find("\"a\" has 7 bytes") != std::string::npos);
    file.tensors = {{"\xff", {safetensors::DType::u8, {0}, {}}}};
    CHECK(message_of([&] { safetensors::write(path, file); }).find("not UTF-8") != std::string::npos);
    file.tensors = {{"__metadata__", {safetensors::DType::u8, {0}, {}}}};
    CHECK(message_of([&] { safetensors::write(path, file); }).find("__metadata__") != std::string::npos);
    CHECK(folder.entries() == 0);
}

TEST_CASE("publish: the old content or the new one, and nothing left beside it") {
    const Folder folder;
    const std::string path = folder.file("text");
    const auto content = [](const std::string& from) {
        std::ifstream in(from, std::ios::binary);
        return std::string(std::istreambuf_iterator<char>(in), {});
    };
    publish(path, std::string_view("old"));
    ::chmod(path.c_str(), 0640);
    publish(path, std::string_view("new"));
    CHECK(content(path) == "new");
    struct stat status {};
    REQUIRE(::stat(path.c_str(), &status) == 0);
    CHECK((status.st_mode & 0777) == 0640);

    fs::create_symlink("text", folder.path / "link");
    publish(folder.file("link"), std::string_view("through the link"));
    CHECK(fs::is_symlink(folder.path / "link"));
    CHECK(content(path) == "through the link");
    CHECK(folder.entries() == 2);

    const std::string missing = folder.file("no/such/folder");
    CHECK(message_of([&] { publish(missing, std::string_view("x")); }) ==
          missing + ": cannot create a file in its folder: No such file or directory");
    CHECK(message_of([&] { publish(folder.path.string(), std::string_view("x")); }).find("Is a directory") !=
          std::string::npos);
    publish("/dev/null", std::string_view("x"));
    CHECK(fs::is_character_file("/dev/null"));
    CHECK(folder.entries() == 2);
}
