#include <nlohmann/json.hpp>

#include "tests/catch.h"
#include "tests/support/process.h"

using namespace tilejit;
using test::ProcessResult;
using test::run_cli;

namespace {

struct Row {
    std::vector<std::string> arguments;
    std::string type;
    std::vector<std::string> says;
};

std::string joined(const std::vector<std::string>& words) {
    std::string text = "tilejit";
    for (const std::string& word : words) {
        text += " " + word;
    }
    return text;
}

/// Bad use is exit code 2, one line on standard error and nothing on standard output; with --json the
/// same message with its type.
void check(const std::vector<Row>& rows) {
    for (const Row& row : rows) {
        INFO(joined(row.arguments));
        const ProcessResult result = run_cli(row.arguments);
        INFO(result.err);
        CHECK(result.code == 2);
        CHECK(result.out.empty());
        const std::string prefix = "tilejit: error: ";
        REQUIRE(result.err.rfind(prefix, 0) == 0);
        CHECK(result.err.find('\n') == result.err.size() - 1);
        for (const std::string& part : row.says) {
            INFO(part);
            CHECK(result.err.find(part) != std::string::npos);
        }
        std::vector<std::string> with_json = row.arguments;
        with_json.emplace_back("--json");
        const ProcessResult as_json = run_cli(with_json);
        CHECK(as_json.code == 2);
        CHECK(as_json.out.empty());
        const nlohmann::json error = nlohmann::json::parse(as_json.err);
        CHECK(error.at("error").at("type") == row.type);
        CHECK(prefix + error.at("error").at("message").get<std::string>() + "\n" == result.err);
    }
}

std::vector<std::string> gen(const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"gen", "MHCPostFwdOp"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
}

}  // namespace

TEST_CASE("cli: no or unknown commands and ops") {
    check({
        {{"frobnicate"}, "UsageError", {"no command frobnicate", "list, gen, run, aot, explain, bench"}},
        {{"gen"}, "UsageError", {"no op given", "tilejit list"}},
        {{"run"}, "UsageError", {"no op given"}},
        {{"explain", "--target", "sm_80"}, "UsageError", {"no op given"}},
        {{"aot", "-o", "x", "--target", "sm_80"}, "UsageError", {"no op given"}},
        {{"gen", "NoSuchOp"}, "OpNotAvailable", {"NoSuchOp", "MHCPostFwdOp", "MHCPreFwdOp"}},
        {{"run", "--target", "host", "NoSuchOp"}, "OpNotAvailable", {"NoSuchOp", "MHCPreFwdOp"}},
        {{"explain", "NoSuchOp"}, "OpNotAvailable", {"NoSuchOp", "MHCPreFwdOp"}},
        {{"aot", "MHCPostFwdOp", "NoSuchOp", "-o", "x"}, "OpNotAvailable", {"NoSuchOp", "MHCPreFwdOp"}},
        {{"gen", "MHCPostFwdOp", "MHCPreFwdOp"}, "UsageError", {"expected one op"}},
        {{"list", "--everything"}, "UsageError", {"tilejit list takes no --everything", "tilejit list --help"}},
        {{"run", "MHCPreFwdOp", "--foo", "3"}, "UsageError", {"tilejit run takes no --foo"}},
    });
    const ProcessResult nothing = run_cli({});
    CHECK(nothing.code == 2);
    CHECK(nothing.err == "tilejit: error: no command given; see `tilejit --help`\n");
}

TEST_CASE("cli: dimensions that are missing, no numbers, or illegal") {
    check({
        {gen({"--target", "sm_80"}), "UsageError", {"MHCPostFwdOp needs --batch, --n, --c-x"}},
        {gen({"--target", "sm_80", "--batch", "1", "--n", "4"}), "UsageError", {"needs --c-x"}},
        {gen({"--target", "sm_80", "--batch", "1", "--n", "4", "--c_x", "8"}), "UsageError", {"--c_x"}},
        {gen({"--target", "sm_80", "--batch", "1", "--n", "four", "--c-x", "8"}),
         "UsageError",
         {"--n is \"four\"", "integer"}},
        {gen({"--target", "sm_80", "--batch", "1", "--n", "4.5", "--c-x", "8"}), "UsageError", {"--n is \"4.5\""}},
        {gen({"--target", "sm_80", "--batch", "1", "--n", "99999999999999999999", "--c-x", "8"}),
         "UsageError",
         {"99999999999999999999"}},
        {gen({"--target", "sm_80", "--batch", "1", "--n", "33", "--c-x", "8"}), "ShapeError", {"n", "33", "32"}},
        {gen({"--target", "sm_80", "--batch", "1", "--n", "0", "--c-x", "8"}), "ShapeError", {"n", "0"}},
        {gen({"--target", "sm_80", "--batch=-1", "--n", "4", "--c-x", "8"}), "ShapeError", {"batch", "-1"}},
        {gen({"--target", "sm_80", "--batch", "1,2", "--n", "4", "--c-x", "8"}), "UsageError", {"--batch is \"1,2\""}},
    });
}

TEST_CASE("cli: targets, stages and specialisations that do not exist") {
    const std::vector<std::string> shape = {"--batch", "1", "--n", "4", "--c-x", "8"};
    const auto with = [&](const std::vector<std::string>& more) {
        std::vector<std::string> arguments = gen(shape);
        arguments.insert(arguments.end(), more.begin(), more.end());
        return arguments;
    };
    check({
        {with({}), "UsageError", {"no --target given", "sm_90a"}},
        {with({"--target", "sm_42"}), "UnknownTarget", {"sm_42", "sm_90a", "host"}},
        {with({"--target", "host:sm_42"}), "UnknownTarget", {"sm_42"}},
        {with({"--target", "BUILTIN"}), "UsageError", {"BUILTIN depends on a device", "sm_90a"}},
        {with({"--target", "sm_80", "--stage", "wasm"}), "UsageError", {"wasm", "lowered"}},
        {with({"--target", "sm_80", "--specialize", "n=range"}), "UsageError", {"n=range", "batch=exact"}},
        {with({"--target", "sm_80", "--access", "sloppy"}), "UsageError", {"sloppy", "element"}},
        {with({"--target", "sm_80", "--param", "gain"}), "UsageError", {"\"gain\"", "name=value"}},
        {with({"--target", "sm_80", "--param", "gain=1"}), "ShapeError", {"gain"}},
        {with({"--target", "sm_80", "--dtype", "T=bf16"}),
         "UsageError",
         {"--dtype gives T", "the op has no dtype variables"}},
        {with({"--target", "sm_80", "--dtype", "T=f16"}), "UsageError", {"--dtype T is \"f16\"", "f32 or bf16"}},
        {with({"--target", "sm_80", "--dtype", "T"}), "UsageError", {"--dtype is \"T\"", "name=value"}},
        {with({"--target", "sm_80", "-o", "/no/such/folder/file.cu"}), "FileError", {"/no/such/folder/file.cu"}},
        {with({"--target", "sm_80", "--target", "sm_90a"}), "UsageError", {"--target"}},
        {{"aot", "MHCPostFwdOp", "--n", "4", "--c-x", "8", "--target", "host", "-o", "x"}, "UsageError", {"no cubin"}},
        {{"aot", "MHCPostFwdOp", "--n", "4", "--c-x", "8", "-o", "x"}, "UsageError", {"no --target given"}},
        {{"aot", "MHCPostFwdOp", "--n", "4", "--c-x", "8", "--target", "sm_80"}, "UsageError", {"-o"}},
        {{"aot", "MHCPostFwdOp", "--n", "4", "--target", "sm_80", "-o", "x"}, "UsageError", {"needs --c-x"}},
        {{"aot", "-j0", "MHCPostFwdOp", "--n", "4", "--c-x", "8", "--target", "sm_80", "-o", "x"},
         "UsageError",
         {"-j is 0"}},
        {{"aot", "MHCPostFwdOp", "--n", "4,", "--c-x", "8", "--target", "sm_80", "-o", "x"},
         "UsageError",
         {"--n is \"\""}},
    });
}

TEST_CASE("cli: help is not an error") {
    for (const std::vector<std::string>& arguments :
         std::vector<std::vector<std::string>>{{"--help"},
                                               {"gen", "--help"},
                                               {"gen", "MHCPreFwdOp", "--help"},
                                               {"run", "-h"},
                                               {"list", "--help"},
                                               {"aot", "--help"},
                                               {"explain", "--help"},
                                               {"bench", "--help"}}) {
        INFO(joined(arguments));
        const ProcessResult result = run_cli(arguments);
        CHECK(result.code == 0);
        CHECK(result.err.empty());
        CHECK(result.out.find("tilejit") != std::string::npos);
    }
    CHECK(run_cli({"gen", "MHCPreFwdOp", "--help"}).out.find("--c-x") != std::string::npos);
}

TEST_CASE("cli: list names ops, targets and kernels") {
    const ProcessResult text = run_cli({"list"});
    CHECK(text.code == 0);
    CHECK(text.err.empty());
    for (const char* part : {"MHCPreFwdOp", "MHCPostFwdOp", "--c-x", "sm_120a", "two_pass", "BUILTIN", "host"}) {
        INFO(part);
        CHECK(text.out.find(part) != std::string::npos);
    }
    const nlohmann::json all = nlohmann::json::parse(run_cli({"list", "--json"}).out);
    CHECK(all.at("ops").size() >= 2);
    CHECK(all.at("ops").at(0).at("kernels").size() >= 1);
    CHECK(all.at("targets").size() >= 9);
}

TEST_CASE("cli: what the environment lacks is exit code 3 with a remedy") {
    const ProcessResult result = run_cli(
        {"gen", "MHCPostFwdOp", "--batch", "1", "--n", "4", "--c-x", "8", "--target", "sm_80", "--stage", "ptx"},
        {{{"TILEJIT_NVRTC", "/no/such/libnvrtc.so"}}, ""});
    INFO(result.err);
    CHECK(result.code == 3);
    CHECK(result.out.empty());
    CHECK(result.err.find("/no/such/libnvrtc.so") != std::string::npos);
    CHECK(result.err.find('\n') == result.err.size() - 1);
}

TEST_CASE("cli: output that cannot be written is an error") {
    const ProcessResult result = test::run_program("sh", {"-c", std::string(TILEJIT_CLI) + " list > /dev/full"});
    CHECK(result.code == 2);
    CHECK(result.err == "tilejit: error: cannot write to standard output\n");
}
