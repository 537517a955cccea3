/// What generated text may contain, how it writes numbers, and that nothing around it changes a byte.
#include <unistd.h>

#include <algorithm>
#include <clocale>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <locale>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

#include "generator/dsl/state.h"
#include "generator/embedded.h"
#include "generator/emit/emit.h"
#include "generator/ir/print.h"
#include "tests/generator/dsl_toy.h"

namespace tilejit::test {
namespace {

/// Everything the generator says about a specialisation.
std::string all_text(const Specialization& spec) {
    const Source source = generate(spec);
    return source.text + nlohmann::json(source.plan).dump() + ir::to_text(lower(spec)) + canonical_text(spec);
}

std::vector<Specialization> samples() {
    std::vector<Specialization> specs{specialized({"MHCPreFwdOp", 4096, 4, 7168}, "sm_90a"),
                                      specialized({"MHCPreFwdOp", 2, 9, 33}),
                                      specialized({"MHCPostFwdOp", 4096, 4, 7168}, "sm_90a")};
    specs.front().params["eps"] = 1234.5678;
    return specs;
}

TEST_CASE("generated text has no asm, thread index or condition of the preprocessor, and no path") {
    for_all_specializations(
        [](const Specialization& spec) {
            const std::string text = generate(spec).text;
            INFO(canonical_text(spec));
            for (const char* word :
                 {"asm", "threadIdx", "blockIdx", "#if", "#define", "__syncthreads", TILEJIT_SOURCE_DIR}) {
                INFO(word);
                REQUIRE(text.find(word) == std::string::npos);
            }
            REQUIRE(text.find("#include \"tile.h\"\n") != std::string::npos);
            REQUIRE(text.find("#include", text.find("#include") + 1) == std::string::npos);
        },
        odd_shapes({33, 1280}, {1, 70}));
}

TEST_CASE("each constant of the text is written once and used, each value is defined once") {
    for (const Specialization& spec : samples()) {
        const std::string text = generate(spec).text;
        const std::regex constant("struct (\\w+) \\{\n    ([^\n]*)\n\\};");
        std::map<std::string, std::string> names;
        for (std::sregex_iterator at(text.begin(), text.end(), constant), end; at != end; ++at) {
            INFO((*at)[0]);
            CHECK(names.emplace((*at)[2], (*at)[1]).second);
            const std::regex use("\\b" + (*at)[1].str() + "\\b");
            CHECK(std::distance(std::sregex_iterator(text.begin(), text.end(), use), std::sregex_iterator()) > 1);
        }
        CHECK(names.size() > 3);
    }
}

/// A program that adds `value`.
std::string text_of(float value) {
    Toy toy;
    toy.k.role("role", {.warps = 4}, [&](dsl::RoleBuilder& r) {
        const dsl::Tile filled = r.fill({toy.row}, value);
        r.store(filled + r.load(toy.x(toy.at, 0), dsl::spread({toy.row})), toy.y(toy.at, 0));
    });
    return emit::cuda_text(pass::run_all(toy.p.finish()));
}

TEST_CASE("floats are written exactly") {
    using Limits = std::numeric_limits<float>;
    const std::map<std::string, float> written{
        {"0x1p+0F", 1.0F},
        {"0x1.99999ap-4F", 0.1F},
        {"-0x1.8p+1F", -3.0F},
        {"0x0p+0F", 0.0F},
        {"-0x0p+0F", -0.0F},
        {"0x1.fffffep+127F", Limits::max()},
        {"0x1p-126F", Limits::min()},
        {"0x0.000002p-126F", Limits::denorm_min()},
        {"0x0.fffffep-126F", std::nextafter(Limits::min(), 0.0F)},
        {"__uint_as_float(0x7f800000U)", Limits::infinity()},
        {"__uint_as_float(0xff800000U)", -Limits::infinity()},
        {"__uint_as_float(0x7fc00000U)", Limits::quiet_NaN()},
    };
    for (const auto& [text, value] : written) {
        INFO(text);
        CHECK(text_of(value).find("tj::map<tj::fn::add, Layout1>(" + text + ", v") != std::string::npos);
    }
}

TEST_CASE("floats of the printed IR are read back as the same") {
    for (std::uint64_t i = 0; i < 2000; ++i) {
        const auto bits = static_cast<std::uint32_t>((i * 0x9E3779B97F4A7C15ULL) >> 32U);
        const auto value = std::bit_cast<float>(bits);
        if (std::isfinite(value)) {
            CHECK(std::bit_cast<std::uint32_t>(std::strtof(ir::hex_text(value).c_str(), nullptr)) == bits);
        }
    }
    CHECK(ir::hex_text(std::numeric_limits<float>::infinity()) == "inf");
    CHECK(ir::hex_text(-std::numeric_limits<float>::infinity()) == "-inf");
}

TEST_CASE("the same text twice") {
    for (const Specialization& spec : samples()) {
        CHECK(all_text(spec) == all_text(spec));
    }
}

/// Numbers as 1.234.567,8.
struct Commas : std::numpunct<char> {
    char do_decimal_point() const override { return ','; }
    char do_thousands_sep() const override { return '.'; }
    std::string do_grouping() const override { return "\3"; }
};

TEST_CASE("the same text under a C++ locale with decimal commas and grouped thousands") {
    std::vector<std::string> plain;
    for (const Specialization& spec : samples()) {
        plain.push_back(all_text(spec));
    }
    const std::string number = text_of(0.1F);
    const std::locale before = std::locale::global(std::locale(std::locale::classic(), new Commas));
    std::ostringstream proof;
    proof << 1234567.5;
    std::vector<std::string> local;
    for (const Specialization& spec : samples()) {
        local.push_back(all_text(spec));
    }
    const std::string local_number = text_of(0.1F);
    std::locale::global(before);
    REQUIRE(proof.str().find(',') != std::string::npos);
    CHECK(local == plain);
    CHECK(local_number == number);
}

/// A C locale with a decimal comma: one that is installed, or one made in `folder`. False when neither is
/// to be had.
bool set_comma_locale(const std::filesystem::path& folder) {
    for (const char* name : {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "es_ES.UTF-8"}) {
        if (std::setlocale(LC_ALL, name) != nullptr && std::localeconv()->decimal_point[0] == ',') {
            return true;
        }
    }
    std::filesystem::create_directories(folder);
    const std::string make = "localedef -i de_DE -f UTF-8 '" + (folder / "de_DE.UTF-8").string() + "' >/dev/null 2>&1";
    if (std::system(make.c_str()) != 0) {
        return false;
    }
    setenv("LOCPATH", folder.c_str(), 1);
    const bool set = std::setlocale(LC_ALL, "de_DE.UTF-8") != nullptr && std::localeconv()->decimal_point[0] == ',';
    unsetenv("LOCPATH");
    return set;
}

TEST_CASE("the same text after setlocale()") {
    std::vector<std::string> plain;
    for (const Specialization& spec : samples()) {
        plain.push_back(all_text(spec));
    }
    const std::string number = text_of(0.1F);
    const std::filesystem::path folder =
        std::filesystem::temp_directory_path() / fmt::format("tilejit_locale_{}", ::getpid());
    const bool set = set_comma_locale(folder);
    std::vector<std::string> local;
    for (const Specialization& spec : samples()) {
        local.push_back(all_text(spec));
    }
    const std::string local_number = text_of(0.1F);
    std::setlocale(LC_ALL, "C");
    std::filesystem::remove_all(folder);
    if (!set) {
        WARN("no locale with a decimal comma here, and localedef cannot make one");
    }
    CHECK(local == plain);
    CHECK(local_number == number);
}

TEST_CASE("the DSL's limits are those of the device tables") {
    std::string text;
    for (const EmbeddedFile& file : embedded_templates()) {
        text += file.text;
    }
    const auto limit = [&](const std::string& table, const std::string& name) {
        const std::regex pattern("struct " + table + " \\{[^}]*?" + name + " = (\\d+);");
        std::smatch match;
        REQUIRE(std::regex_search(text, match, pattern));
        return static_cast<std::size_t>(std::stoul(match[1]));
    };
    CHECK(limit("View", "kMaxDims") >= dsl::detail::kMaxDims);
    CHECK(limit("View", "kMaxDims") >= tj::Layout::kMaxPieces / 2 + 2);  // the sender's rank besides
    CHECK(limit("View", "kMaxAxes") == dsl::detail::kMaxIndexAxes);
    CHECK(limit("Over", "kMaxAxes") == dsl::detail::kMaxReducedAxes);
    CHECK(limit("View", "kMaxPadded") >= tj::Layout::kMaxPieces / 2 + 1);
}

}  // namespace
}  // namespace tilejit::test
