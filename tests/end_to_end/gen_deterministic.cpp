#include <clocale>
#include <filesystem>
#include <locale>
#include <nlohmann/json.hpp>

#include "generator/generate.h"
#include "generator/ir/print.h"
#include "generator/manifest/library.h"
#include "tests/catch.h"
#include "tests/support/process.h"

using namespace tilejit;

namespace {

const std::vector<std::string> kOps = {"MHCPreFwdOp", "MHCPostFwdOp"};

std::vector<std::string> gen(const std::string& op, const std::string& stage,
                             const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments = {"gen",   op,     "--batch",  "5",      "--n",     "4",
                                          "--c-x", "1280", "--target", "sm_90a", "--stage", stage};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
}

/// Writes 1234.5 as 1.234,5.
struct CommaPoint : std::numpunct<char> {
    char do_decimal_point() const override { return ','; }
    char do_thousands_sep() const override { return '.'; }
    std::string do_grouping() const override { return "\3"; }
};

std::string all_texts(const std::string& op) {
    const manifest::Manifest& manifest = manifest::find_manifest(op);
    SpecializeRequest request;
    request.dims = {{"batch", 5}, {"n", 4}, {"c_x", 1280}};
    request.arch = "sm_90a";
    const Specialization specialization = specialize(manifest, request);
    return canonical_text(specialization) + ir::to_text(build_program(specialization)) +
           ir::to_text(lower(specialization)) + generate(specialization).text;
}

}  // namespace

TEST_CASE("gen: the same bytes twice, in another folder, and in another locale") {
    const test::ScratchFolder elsewhere;
    for (const std::string& op : kOps) {
        for (const std::string stage : {"manifest", "ir", "lowered", "cuda"}) {
            INFO(op << " " << stage);
            const test::ProcessResult first = test::run_cli(gen(op, stage));
            INFO(first.err);
            REQUIRE(first.code == 0);
            REQUIRE(first.out.size() > 100);
            CHECK(test::run_cli(gen(op, stage)).out == first.out);
            CHECK(test::run_cli(gen(op, stage), {{{"HOME", "/nonexistent"}}, elsewhere.path()}).out == first.out);
            CHECK(test::run_cli(gen(op, stage), {{{"LC_ALL", "de_DE.UTF-8"}, {"LANG", "de_DE.UTF-8"}}, ""}).out ==
                  first.out);
            const std::string file = elsewhere.file("text");
            CHECK(test::run_cli(gen(op, stage, {"-o", file})).code == 0);
            CHECK(test::content_of(file) == first.out);
            CHECK(nlohmann::json::parse(test::run_cli(gen(op, stage, {"--json"})).out).at("text") == first.out);
        }
    }
}

TEST_CASE("gen: this program's locale changes no byte") {
    std::vector<std::string> before;
    for (const std::string& op : kOps) {
        before.push_back(all_texts(op));
    }
    const std::locale old = std::locale::global(std::locale(std::locale::classic(), new CommaPoint));
    for (const char* name : {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8"}) {
        if (std::setlocale(LC_ALL, name) != nullptr) {
            break;
        }
    }
    std::vector<std::string> after;
    for (const std::string& op : kOps) {
        after.push_back(all_texts(op));
    }
    std::locale::global(old);
    std::setlocale(LC_ALL, "C");
    CHECK(after == before);
}

TEST_CASE("gen: another shape, target or specialisation gives another text") {
    const std::string text = test::run_cli(gen("MHCPreFwdOp", "cuda")).out;
    CHECK(test::run_cli(gen("MHCPreFwdOp", "cuda", {"--specialize", "batch=exact"})).out != text);
    CHECK(test::run_cli(gen("MHCPreFwdOp", "cuda", {"--access", "element"})).out != text);
    CHECK(test::run_cli(gen("MHCPostFwdOp", "cuda")).out != text);
}
