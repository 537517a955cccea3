#include <nlohmann/json.hpp>

#include "tests/catch.h"
#include "tests/support/process.h"

using namespace tilejit;
using test::ProcessResult;
using test::run_cli;

namespace {

/// No device is visible, so that the answers are the same on machines with a GPU.
const test::ProcessOptions kNoGpu = {{{"CUDA_VISIBLE_DEVICES", ""}}, ""};

std::vector<std::string> bench(const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"bench", "MHCPostFwdOp"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
}

const std::vector<std::string> kShape = {"--batch", "1,16", "--n", "4", "--c-x", "64"};

std::vector<std::string> with_shape(const std::vector<std::string>& more) {
    std::vector<std::string> arguments = bench(kShape);
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
}

void refuses(const std::vector<std::string>& arguments, int code, const std::vector<std::string>& says) {
    const ProcessResult result = run_cli(arguments, kNoGpu);
    INFO(result.err);
    CHECK(result.code == code);
    CHECK(result.out.empty());
    CHECK(result.err.rfind("tilejit: error: ", 0) == 0);
    CHECK(result.err.find('\n') == result.err.size() - 1);
    for (const std::string& part : says) {
        INFO(part);
        CHECK(result.err.find(part) != std::string::npos);
    }
}

}  // namespace

TEST_CASE("cli bench: bad use is found before a device is looked for") {
    refuses({"bench"}, 2, {"no op given"});
    refuses({"bench", "--workloads", "NoSuchOp"}, 2, {"NoSuchOp", "MHCPreFwdOp"});
    refuses(bench({}), 2, {"MHCPostFwdOp needs --batch"});
    refuses(bench({"--batch", "1", "--n", "4"}), 2, {"needs --c-x"});
    refuses(with_shape({"--workloads"}), 2, {"--workloads", "dimensions"});
    refuses(with_shape({"--target", "host"}), 2, {"host", "GPU"});
    refuses(with_shape({"--target", "sm_42"}), 2, {"sm_42", "sm_90a"});
    refuses(with_shape({"--access", "sloppy"}), 2, {"sloppy", "element"});
    refuses(with_shape({"--param", "gain=1"}), 2, {"gain"});
    refuses(with_shape({"--compile"}), 2, {"--target BUILTIN depends on a device", "sm_90a"});
    refuses(bench({"--batch", "0,1", "--n", "4", "--c-x", "64"}), 2, {"--batch is 0"});
    refuses(bench({"--batch", "1", "--n", "4,33", "--c-x", "64"}), 2, {"33", "32"});
    refuses(bench({"--batch", "1,two", "--n", "4", "--c-x", "64"}), 2, {"--batch is \"two\""});
}

TEST_CASE("cli bench: without a GPU it is exit code 3 with a remedy on one line") {
    refuses(with_shape({}), 3, {"bench measures a GPU", "driver"});
    refuses(bench({"--workloads"}), 3, {"bench measures a GPU"});
    const ProcessResult json = run_cli(with_shape({"--json"}), kNoGpu);
    CHECK(json.code == 3);
    CHECK(json.out.empty());
    CHECK(nlohmann::json::parse(json.err).at("error").at("type") == "EnvironmentError");
}

TEST_CASE("cli bench: --compile times each specialisation once and needs no GPU") {
    const ProcessResult result = run_cli(with_shape({"--compile", "--target", "sm_90a", "--json"}), kNoGpu);
    if (result.code == 3) {
        WARN("skipped: there is no NVRTC");
        return;
    }
    INFO(result.err);
    REQUIRE(result.code == 0);
    const nlohmann::json all = nlohmann::json::parse(result.out);
    REQUIRE(all.at("rows").size() == 1);  // one kernel serves batches 1 and 16
    CHECK(all.at("rows").at(0).at("nvrtc_ms") > 0);
    CHECK(all.at("rows").at(0).at("specialization").at("arch") == "sm_90a");
    const ProcessResult text = run_cli(with_shape({"--compile", "--target", "sm_90a"}), kNoGpu);
    CHECK(text.code == 0);
    CHECK(text.out.find("n=4") != std::string::npos);
}

TEST_CASE("cli bench: help names every dimension") {
    const ProcessResult result = run_cli({"bench", "MHCPreFwdOp", "--help"});
    CHECK(result.code == 0);
    CHECK(result.err.empty());
    CHECK(result.out.find("--c-x") != std::string::npos);
    CHECK(result.out.find("--workloads") != std::string::npos);
}
