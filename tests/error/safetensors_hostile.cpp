#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/catch.h"
#include "tests/error/safetensors_bytes.h"

using namespace tilejit;
using test::file_with;
using test::parse_error;

namespace {

struct Row {
    std::string name;
    std::vector<std::byte> bytes;
    std::vector<std::string> says;
};

std::string tensor(const std::string& dtype, const std::string& shape, const std::string& offsets) {
    return R"({"a":{"dtype":)" + dtype + R"(,"shape":)" + shape + R"(,"data_offsets":)" + offsets + "}}";
}

std::string two(const std::string& first, const std::string& second) {
    return R"({"a":{"dtype":"U8","shape":[4],"data_offsets":)" + first +
           R"(},"b":{"dtype":"U8","shape":[4],"data_offsets":)" + second + "}}";
}

void check(const std::vector<Row>& rows) {
    for (const Row& row : rows) {
        INFO(row.name);
        const std::string message = parse_error(row.bytes);
        INFO(message);
        CHECK(message.rfind("in.safetensors: ", 0) == 0);
        CHECK(message.find('\n') == std::string::npos);
        CHECK(message.size() < 400);
        for (const std::string& part : row.says) {
            INFO(part);
            CHECK(message.find(part) != std::string::npos);
        }
    }
}

}  // namespace

TEST_CASE("safetensors: lengths that the file does not have") {
    check({
        {"empty", {}, {"0 bytes", "8 bytes of header length"}},
        {"seven bytes", test::to_bytes("1234567"), {"7 bytes"}},
        {"no header", file_with(0, "", 0), {"begins with \"\"", "JSON object"}},
        {"longer than the file", file_with(3, "{}", 0), {"length is 3", "only 2 bytes follow", "truncated"}},
        {"longer than any header", file_with(100'000'001, "{}", 0), {"100000001", "at most 100000000"}},
        {"all ones", file_with(UINT64_MAX, "{}", 0), {"18446744073709551615"}},
        {"wraps around", file_with(UINT64_MAX - 7, "{}", 0), {"18446744073709551608"}},
        {"data cut off", file_with(tensor(R"("F32")", "[4]", "[0,16]"), 15), {"\"a\"", "0 to 16", "15 bytes of data"}},
    });
}

TEST_CASE("safetensors: headers that are not the header's grammar") {
    const std::string deep(100'000, '[');
    std::string deep_objects;
    for (int i = 0; i < 50'000; ++i) {
        deep_objects += R"({"a":)";
    }
    check({
        {"an array", file_with("[]"), {"begins with \"[\"", "JSON object"}},
        {"a byte order mark", file_with("\xef\xbb\xbf{}"), {"JSON object"}},
        {"leading space", file_with(" {}"), {"begins with \" \""}},
        {"not closed", file_with("{"), {"not valid JSON"}},
        {"text after it", file_with("{} x"), {"not valid JSON", "byte 4"}},
        {"a NUL after it", file_with(std::string("{}\0", 3)), {"not valid JSON", "byte 3"}},
        {"text after a NUL", file_with(std::string("{}\0 x", 5)), {"not valid JSON", "byte 3"}},
        {"not UTF-8", file_with("{\"\xff\":{}}"), {"not valid JSON in UTF-8"}},
        {"half a surrogate", file_with(R"({"\ud800":{}})"), {"not valid JSON in UTF-8"}},
        {"deep arrays", file_with(R"({"a":)" + deep), {"\"a\" is an array, not an object"}},
        {"deep objects", file_with(deep_objects), {"tensor \"a\"", "legal are dtype, shape and data_offsets"}},
        {"deep shape", file_with(tensor(R"("F32")", deep, "[0,0]")), {"an array in its shape"}},
        {"entry is null", file_with(R"({"a":null})"), {"\"a\" is null, not an object"}},
        {"entry is a string", file_with(R"({"a":"F32"})"), {"the string \"F32\""}},
        {"duplicate tensor",
         file_with(R"({"a":{"dtype":"U8","shape":[0],"data_offsets":[0,0]},"a":{}})"),
         {"\"a\" comes twice in the header"}},
        {"duplicate metadata", file_with(R"({"__metadata__":{"k":"1","k":"2"}})"), {"\"k\" comes twice"}},
        {"duplicate dtype", file_with(R"({"a":{"dtype":"U8","dtype":"U8"}})"), {"\"dtype\" comes twice"}},
        {"metadata is no object", file_with(R"({"__metadata__":[]})"), {"__metadata__", "an array"}},
        {"metadata number", file_with(R"({"__metadata__":{"batch":3}})"), {"\"batch\"", "the number 3", "string"}},
        {"metadata object", file_with(R"({"__metadata__":{"k":{}}})"), {"\"k\"", "an object", "string"}},
        {"unknown key", file_with(R"({"a":{"dtypo":"U8"}})"), {"\"dtypo\"", "legal are"}},
        {"nothing in it", file_with(R"({"a":{}})"), {"lacks \"dtype\""}},
        {"no shape", file_with(R"({"a":{"dtype":"U8","data_offsets":[0,0]}})"), {"lacks \"shape\""}},
        {"no offsets", file_with(R"({"a":{"dtype":"U8","shape":[0]}})"), {"lacks \"data_offsets\""}},
    });
}

TEST_CASE("safetensors: types and shapes that are none") {
    check({
        {"unknown type", file_with(tensor(R"("F31")", "[]", "[0,4]"), 4), {"\"F31\"", "BF16", "F32"}},
        {"type of another case", file_with(tensor(R"("f32")", "[]", "[0,4]"), 4), {"\"f32\""}},
        {"type is a number", file_with(tensor("32", "[]", "[0,4]"), 4), {"the number 32", "a string"}},
        {"negative extent", file_with(tensor(R"("U8")", "[-1]", "[0,0]")), {"negative number -1", "from 0 to 2^63"}},
        {"two negative extents", file_with(tensor(R"("U8")", "[-2,-2]", "[0,4]"), 4), {"negative number -2"}},
        {"fraction", file_with(tensor(R"("U8")", "[1.5]", "[0,1]"), 1), {"1.5"}},
        {"exponent", file_with(tensor(R"("U8")", "[1e0]", "[0,1]"), 1), {"1e0"}},
        {"past int64", file_with(tensor(R"("U8")", "[9223372036854775808]", "[0,0]")), {"9223372036854775808"}},
        {"past uint64", file_with(tensor(R"("U8")", "[18446744073709551617]", "[0,1]"), 1), {"18446744073709551617"}},
        {"product wraps to 4",
         file_with(tensor(R"("U8")", "[4611686018427387905,4]", "[0,4]"), 4),
         {"more than 2^63 - 1 bytes"}},
        {"bytes wrap", file_with(tensor(R"("F64")", "[2305843009213693952]", "[0,0]")), {"more than 2^63 - 1"}},
        {"shape is a number", file_with(tensor(R"("U8")", "4", "[0,4]"), 4), {"the number 4 as shape", "array"}},
        {"shape of strings", file_with(tensor(R"("U8")", R"(["4"])", "[0,4]"), 4), {"the string \"4\""}},
        {"shape of booleans", file_with(tensor(R"("U8")", "[true]", "[0,1]"), 1), {"a boolean in its shape"}},
        {"size mismatch", file_with(tensor(R"("F32")", "[3]", "[0,16]"), 16), {"16 bytes", "F32", "need 12"}},
        {"scalar of no bytes", file_with(tensor(R"("F32")", "[]", "[0,0]")), {"0 bytes", "need 4"}},
    });
}

TEST_CASE("safetensors: offsets that overlap, leave holes or lie outside") {
    check({
        {"backwards", file_with(tensor(R"("U8")", "[4]", "[4,0]"), 4), {"bytes 4 to 0"}},
        {"past the end", file_with(tensor(R"("U8")", "[4]", "[4,8]"), 4), {"bytes 4 to 8", "4 bytes of data"}},
        {"far past the end",
         file_with(tensor(R"("U8")", "[4]", "[18446744073709551612,18446744073709551615]"), 4),
         {"18446744073709551612"}},
        {"negative", file_with(tensor(R"("U8")", "[4]", "[-4,0]"), 4), {"negative number -4"}},
        {"one", file_with(tensor(R"("U8")", "[4]", "[0]"), 4), {"1 data_offsets, not 2"}},
        {"none", file_with(tensor(R"("U8")", "[4]", "[]"), 4), {"0 data_offsets, not 2"}},
        {"three", file_with(tensor(R"("U8")", "[4]", "[0,4,4]"), 4), {"the number 4", "data_offsets"}},
        {"same bytes", file_with(two("[0,4]", "[0,4]"), 4), {"begins at byte 0", "ends at 4", "overlap"}},
        {"overlap", file_with(two("[0,4]", "[2,6]"), 6), {"\"b\" begins at byte 2", "overlap"}},
        {"hole between", file_with(two("[0,4]", "[5,9]"), 9), {"\"b\" begins at byte 5", "holes"}},
        {"hole in front", file_with(tensor(R"("U8")", "[4]", "[1,5]"), 5), {"begins at byte 1", "holes"}},
        {"bytes at the end", file_with(tensor(R"("U8")", "[4]", "[0,4]"), 5), {"end at byte 4", "5 bytes of data"}},
        {"bytes and no tensor", file_with("{}", 3), {"end at byte 0", "3 bytes of data"}},
    });
}

TEST_CASE("safetensors: what is legal though unusual") {
    CHECK(parse_error(file_with("{}")).empty());
    CHECK(parse_error(file_with("{}      ")).empty());
    CHECK(parse_error(file_with(two("[4,8]", "[0,4]"), 8)).empty());
    CHECK(parse_error(file_with(tensor(R"("F32")", "[]", "[0,4]"), 4)).empty());
    CHECK(parse_error(file_with(tensor(R"("F32")", "[0,9223372036854775807,9]", "[0,0]"))).empty());
    CHECK(parse_error(file_with(R"({"":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})", 1)).empty());
    CHECK(parse_error(file_with(R"({"__metadata__":{"name":"größe"}})")).empty());
}

TEST_CASE("safetensors: paths that are no file") {
    const auto message = [](const std::string& path) -> std::string {
        try {
            safetensors::read(path);
        } catch (const FileError& error) {
            return error.what();
        }
        return "";
    };
    const std::filesystem::path folder =
        std::filesystem::temp_directory_path() / ("tilejit_hostile_" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder);
    CHECK(message((folder / "missing").string()) ==
          (folder / "missing").string() + ": cannot open: No such file or directory");
    CHECK(message(folder.string()) == folder.string() + ": expected a regular file");
    const std::string pipe = (folder / "pipe").string();
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    CHECK(message(pipe) == pipe + ": expected a regular file");
    std::filesystem::remove_all(folder);
}
