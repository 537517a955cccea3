#include <filesystem>
#include <nlohmann/json.hpp>

#include "runtime/cache/keys.h"
#include "tests/catch.h"
#include "tests/support/process.h"

using namespace tilejit;
using nlohmann::json;

namespace {

const std::vector<std::string> kShape = {"--n", "4", "--c-x", "1280", "--target", "sm_90a"};

std::vector<std::string> with_shape(std::vector<std::string> arguments, const std::vector<std::string>& more = {}) {
    arguments.insert(arguments.end(), kShape.begin(), kShape.end());
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
}

bool has_nvrtc() {
    return test::run_cli(with_shape({"gen", "MHCPostFwdOp", "--stage", "ptx", "--batch", "1"})).code != 3;
}

}  // namespace

TEST_CASE("explain: kernel, schedule, launches and roofline") {
    const test::ProcessResult text = test::run_cli(with_shape({"explain", "MHCPreFwdOp", "--batch", "16"}));
    INFO(text.err);
    REQUIRE(text.code == 0);
    for (const char* part : {"single_pass", "two_pass", "batch 1 to ", "numeric plan", "schedule", "launches",
                             "as many clusters of 4 blocks", "copy engine", "roofline", "H200"}) {
        INFO(part);
        CHECK(text.out.find(part) != std::string::npos);
    }
    const json all = json::parse(test::run_cli(with_shape({"explain", "MHCPreFwdOp", "--batch", "16", "--json"})).out);
    CHECK(all.at("candidates").at(0).at("chosen") == true);
    CHECK(all.at("launches").size() == 1);
    CHECK(all.at("roofline").at("bytes") == 16 * (4 * 5120 + 2 * 1280 + 4 * 4) + 4 * 5120 * 24 + 4 * 24);
}

TEST_CASE("explain: without NVRTC it says so and explains the rest") {
    const test::ProcessResult result = test::run_cli(with_shape({"explain", "MHCPreFwdOp", "--batch", "16"}),
                                                     {{{"TILEJIT_NVRTC", "/no/such/libnvrtc.so"}}, ""});
    CHECK(result.code == 0);
    CHECK(result.out.find("not known: ") != std::string::npos);
    CHECK(result.out.find("/no/such/libnvrtc.so") != std::string::npos);
}

TEST_CASE("aot: a bundle holds one cubin per range, with checksums that hold") {
    if (!has_nvrtc()) {
        WARN("skipped: there is no NVRTC");
        return;
    }
    const test::ScratchFolder folder;
    const std::string bundle = folder.file("bundle");
    const test::ProcessOptions fresh = {{{"TILEJIT_CACHE_DIR", folder.file("cache")}}, ""};
    const test::ProcessResult result =
        test::run_cli(with_shape({"aot", "MHCPostFwdOp", "MHCPreFwdOp", "--batch", "1,2,16", "-o", bundle}), fresh);
    INFO(result.err);
    REQUIRE(result.code == 0);
    const json all = json::parse(test::content_of(bundle + "/bundle.json"));
    CHECK(all.at("schema") == 1);
    REQUIRE(all.at("entries").size() == 2);
    for (const json& entry : all.at("entries")) {
        const std::string image = test::content_of(bundle + "/" + entry.at("file").get<std::string>());
        CHECK(digest(image) == entry.at("checksum"));
        CHECK(image.substr(1, 3) == "ELF");
        CHECK(entry.at("target") == "sm_90a");
        CHECK(entry.at("specialization").at("dims").at("c_x") == 1280);
        CHECK(entry.at("record").at("plan").at("launches").size() >= 1);
        CHECK(entry.at("record").at("resources").size() >= 1);
    }

    const std::string every = folder.file("every");
    REQUIRE(test::run_cli(with_shape({"aot", "MHCPostFwdOp", "-o", every}), fresh).code == 0);
    CHECK(json::parse(test::content_of(every + "/bundle.json")).at("entries").size() > 1);
}
