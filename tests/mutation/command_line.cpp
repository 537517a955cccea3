/// `tilejit run --drop-sync` and `mutants`: what is left out is said and missed.
#include <nlohmann/json.hpp>

#include "tests/catch.h"
#include "tests/support/process.h"

using namespace tilejit;

namespace {

test::ProcessResult run_without(const std::string& number, const std::string& target = "host:sm_90a") {
    return test::run_cli(
        {"run", "MHCPreFwdOp", "--batch", "4", "--n", "1", "--c-x", "640", "--target", target, "--drop-sync", number});
}

}  // namespace

TEST_CASE("each synchronisation of the single-pass kernel is missed when it is left out, though there is one tile") {
    const test::ProcessResult beyond = run_without("1000");
    CHECK(beyond.code == 2);
    const std::string counted = "tilejit: error: --drop-sync 1000: the program has ";
    REQUIRE(beyond.err.find(counted) == 0);
    const int count = std::stoi(beyond.err.substr(counted.size()));
    CHECK(beyond.err ==
          counted + std::to_string(count) + " synchronisations, 0 to " + std::to_string(count - 1) + "\n");
    CHECK(count >= 15);
    for (int number = 0; number < count; ++number) {
        const test::ProcessResult run = run_without(std::to_string(number));
        INFO(number << ": " << run.out << run.err);
        CHECK(run.code == 1);
        CHECK(run.err.find("mhc_pre_fwd_single_pass.cpp:") == 0);
        CHECK(run.err.find(": kernel `mhc_pre_fwd_single_pass`, ") < run.err.find(": without the "));
        CHECK(run.err.find("\ntilejit: error: ") != std::string::npos);
    }
}

TEST_CASE("what cannot be left out is refused") {
    CHECK(run_without("-1").err == "tilejit: error: --drop-sync -1: expected 0 or more\n");
    CHECK(run_without("0", "sm_90a").err ==
          "tilejit: error: --drop-sync: `sm_90a` does not run in the interpreter; give --target host or "
          "host:ARCHITECTURE\n");
    const test::ProcessResult none =
        test::run_cli({"run", "MHCPostFwdOp", "--batch", "4", "--n", "1", "--c-x", "8", "--drop-sync", "0"});
    CHECK(none.code == 2);
    CHECK(none.err == "tilejit: error: --drop-sync 0: the program has no synchronisation\n");
}

TEST_CASE("the order in which roles run does not change results") {
    for (const char* seed : {"1", "2", "3"}) {
        const test::ProcessResult run = test::run_cli({"run", "MHCPreFwdOp", "--batch", "20", "--n", "2", "--c-x",
                                                       "640", "--target", "host:sm_90a", "--seed", seed});
        INFO(run.out << run.err);
        CHECK(run.code == 0);
    }
}

TEST_CASE("mutants: counts, survivors, and exit code as JSON") {
    const test::ProcessResult run = test::run_program(TILEJIT_MUTANTS, {"--filter", "two_pass sm_80", "--json"});
    CHECK(run.code == 0);
    const nlohmann::json report = nlohmann::json::parse(run.out);
    CHECK(report.at("mutants") == report.at("caught"));
    CHECK(report.at("mutants") > 0);
    CHECK(report.at("cases").at(0).at("survivors").empty());
    CHECK(test::run_program(TILEJIT_MUTANTS, {"--jobs", "0"}).code == 2);
    const test::ProcessResult text = test::run_program(TILEJIT_MUTANTS, {"--filter", "two_pass sm_80"});
    CHECK(text.out.find(" mutants, ") != std::string::npos);
    CHECK(text.out.find("\n18 mutants, 18 caught\n") != std::string::npos);
}
