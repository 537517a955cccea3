/// Whatever the text, the parser answers with a manifest or a `ManifestError`.
#include <array>
#include <random>

#include "generator/manifest/library.h"
#include "tests/catch.h"
#include "tests/generator/manifest_support.h"

namespace tilejit::manifest {
namespace {

/// One random edit: of a byte, of a span, or with a fragment that means something.
void mutate(std::string& text, std::mt19937_64& random) {
    static const std::array<const char*, 20> kFragments{
        "{", "}",    "[",    "]",    "\"",  ",",    ":",    "\\u0000", "1e999", "-9223372036854775808",
        "0", "null", " // ", " % 0", "(((", "min(", "rows", "n * n",   "\xff",  "9223372036854775807"};
    const auto below = [&](std::size_t limit) { return static_cast<std::size_t>(random() % limit); };
    const std::size_t at = below(text.size());
    switch (below(5)) {
        case 0:
            text[at] = static_cast<char>(below(256));
            break;
        case 1:
            text.erase(at, 1 + below(12));
            break;
        case 2:
            text.insert(at, text.substr(below(text.size()), below(40)));
            break;
        case 3:
            text.replace(at, below(6), kFragments.at(below(kFragments.size())));
            break;
        default:
            text[at] = static_cast<char>('0' + below(10));
    }
}

TEST_CASE("random edits of a manifest end as a manifest or a ManifestError") {
    const std::uint64_t seed = 20240917;
    std::mt19937_64 random(seed);
    int accepted = 0;
    int refused = 0;
    for (int i = 0; i < 4000; ++i) {
        std::string text = test::kToyManifest;
        for (std::uint64_t edits = 1 + random() % 3; edits > 0; --edits) {
            mutate(text, random);
        }
        try {
            parse_manifest(text, "fuzz.json");
            ++accepted;
        } catch (const ManifestError& error) {
            ++refused;
            if (std::string(error.what()).rfind("fuzz.json: ", 0) != 0) {
                FAIL("seed " << seed << ", text " << i << ": " << error.what());
            }
        } catch (const std::exception& error) {
            FAIL("seed " << seed << ", text " << i << ": " << error.what() << "\n" << text);
        }
    }
    CHECK(accepted > 50);
    CHECK(refused > 1000);
}

TEST_CASE("random expressions evaluate or fail as a ManifestError") {
    std::mt19937_64 random(7);
    static const std::array<const char*, 24> kPieces{
        "n",   "c_x", "0",   "1",  "7", "9223372036854775807", "+", "-", "*", "//", "%", "(", ")", ",", "min(", "max(",
        "and", "or",  "not", "==", "<", "ceil_div(",           " ", "?"};
    int evaluated = 0;
    for (int i = 0; i < 50000; ++i) {
        std::string text;
        for (std::uint64_t pieces = 1 + random() % 9; pieces > 0; --pieces) {
            text += std::string(kPieces.at(random() % kPieces.size())) + " ";
        }
        try {
            Expression::parse(text).evaluate({{"n", 4}, {"c_x", -63}});
            ++evaluated;
        } catch (const ManifestError&) {
        }
    }
    CHECK(evaluated > 500);
}

TEST_CASE("random shapes are solved or fail as a ShapeError") {
    std::mt19937_64 random(11);
    const Manifest& pre = find_manifest("MHCPreFwdOp");
    const std::array<std::int64_t, 12> extents{0, 1, 3, 4, 8, 24, 96, 252, 256, 1 << 20, INT64_MAX, -1};
    const auto extent = [&] { return extents.at(random() % extents.size()); };
    int solved = 0;
    for (int i = 0; i < 20000; ++i) {
        const std::vector<GivenShape> shapes{
            {"phi", {extent(), extent()}}, {"x", {extent(), extent()}}, {"b", {extent()}}};
        try {
            const Values values = complete_dims(pre, solve_dims(pre, shapes));
            for (const GivenShape& shape : shapes) {
                REQUIRE(shape_of(*pre.find_tensor(shape.tensor), values) == shape.shape);
            }
            ++solved;
        } catch (const ShapeError&) {
        }
    }
    CHECK(solved > 10);
}

}  // namespace
}  // namespace tilejit::manifest
