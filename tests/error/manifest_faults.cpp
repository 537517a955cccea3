/// Every fault of a manifest that can be made by changing one place of a good one, with its whole message.
#include <fstream>
#include <string>

#include "generator/manifest/manifest.h"
#include "tests/catch.h"
#include "tests/generator/manifest_support.h"

namespace tilejit::test {
namespace {

/// Makes the change that `line` describes.
std::string spoil(const std::string& line) {
    const std::size_t pointer = line.find(' ') + 1;
    if (line.rfind("drop ", 0) == 0) {
        return toy_without(line.substr(pointer));
    }
    REQUIRE(line.rfind("set ", 0) == 0);
    const std::size_t value = line.find(' ', pointer) + 1;
    return toy_with(line.substr(pointer, value - 1 - pointer), line.substr(value));
}

TEST_CASE("each fault of a manifest has its message") {
    std::ifstream table(TILEJIT_SOURCE_DIR "/tests/error/manifest_faults.txt");
    REQUIRE(table);
    std::string change, message;
    int faults = 0;
    while (std::getline(table, change)) {
        if (change.empty() || change[0] == '#') {
            continue;
        }
        REQUIRE(std::getline(table, message));
        INFO(change);
        CHECK("  " + manifest_error(spoil(change)) == message);
        ++faults;
    }
    CHECK(faults > 160);
}

TEST_CASE("text that is not JSON is a manifest error with the place") {
    struct Fault {
        std::string text;
        std::string message;
    };
    const std::string deep(100000, '[');
    const Fault faults[] = {
        {"", "toy.json: (root): found parse error at line 1, column 1: "},
        {"{\"op\": \"A\", \"op\": \"B\"}", "toy.json: /op: found the key a second time, expected each key once"},
        {"{\"a\": [{}, {\"b\": 1, \"b\": 1}]}",
         "toy.json: /a/1/b: found the key a second time, expected each key once"},
        {"{\"op\": // name\n\"A\"}", "toy.json: /op: found parse error at line 1, column 8: "},
        {"{\"op\": \"\xff\"}", "toy.json: /op: found parse error at line 1, column 9: "},
        {"{\"op\": NaN}", "toy.json: /op: found parse error at line 1, column 8: "},
        {"{\"op\": 1e999}", "toy.json: /op: found number overflow parsing '1e999'"},
        {"{\"op\": \"A\"} {}", "toy.json: (root): found parse error at line 1, column 13: "},
        {deep, "expected at most 32 levels"},
        {std::string(2000000, ' '), "toy.json: (root): found 2000000 bytes, expected at most 1048576"},
        {"[]", "toy.json: (root): found [], expected an object"},
    };
    for (const Fault& fault : faults) {
        INFO(fault.text.substr(0, 100));
        CHECK_THAT(manifest_error(fault.text), contains(fault.message));
    }
}

TEST_CASE("an object with too many members is refused before it costs time") {
    std::string text = "{";
    for (int i = 0; i < 50000; ++i) {
        text += "\"k" + std::to_string(i) + "\": 0, ";
    }
    CHECK_THAT(manifest_error(text + "\"end\": 0}"), contains("found more members, expected at most 1024"));
}

TEST_CASE("a message shows keys and values in ASCII, and long ones cut") {
    CHECK(manifest_error("{\"\xc3\xa4/~\": 1}") ==
          "toy.json: /??~1~0: found the key \"\\u00e4/~\", expected one of op, family, layout, doc, signature, "
          "specialize, kernels, tolerance, workloads, roofline or $schema");
    CHECK(manifest_error(toy_with("/op", "\"" + std::string(200, 'a') + "\"")).size() < 250);
}

TEST_CASE("a file that cannot be read is a manifest error with its name") {
    CHECK_THROWS_WITH(manifest::load_manifest("/nowhere/op.json"),
                      "/nowhere/op.json: found no file that can be read, expected an op manifest");
    CHECK_THROWS_WITH(manifest::load_manifest("/"), "/: found no file that can be read, expected an op manifest");
}

}  // namespace
}  // namespace tilejit::test
