#include <array>
#include <nlohmann/json.hpp>

#include "tests/catch.h"
#include "tests/support/process.h"

using namespace tilejit;
using nlohmann::json;

namespace {

std::vector<std::string> run(const std::string& op, int batch, int n, int c_x,
                             const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments = {
        "run", op, "--batch", std::to_string(batch), "--n", std::to_string(n), "--c-x", std::to_string(c_x)};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
}

}  // namespace

TEST_CASE("random inputs pass on host through the command line") {
    for (const char* op : {"MHCPreFwdOp", "MHCPostFwdOp"}) {
        for (const auto& [batch, n, c_x] :
             std::vector<std::array<int, 3>>{{3, 4, 64}, {0, 4, 16}, {1, 1, 1}, {2, 3, 37}, {66, 2, 8}}) {
            INFO(op << " batch " << batch << " n " << n << " c_x " << c_x);
            const test::ProcessResult result = test::run_cli(run(op, batch, n, c_x, {"--seed", "7"}));
            INFO(result.err);
            CHECK(result.code == 0);
            CHECK(result.out.find(" 0 of ") != std::string::npos);
        }
    }
}

TEST_CASE("random inputs: the report says how far off each output is, and the seed decides") {
    const auto report = [](const std::string& seed) {
        return json::parse(test::run_cli(run("MHCPreFwdOp", 2, 4, 16, {"--seed", seed, "--json"})).out);
    };
    const json first = report("1");
    CHECK(first.at("passed") == true);
    CHECK(first.at("seed") == 1);
    for (const char* output : {"x_res", "x_layer", "h_post"}) {
        CHECK(first.at("outputs").at(output).at("out_of_tolerance") == 0);
        CHECK(first.at("outputs").at(output).at("worst").at("allowed") > 0);
    }
    CHECK(first == report("1"));
    CHECK(first != report("2"));
}
