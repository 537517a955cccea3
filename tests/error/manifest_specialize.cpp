/// Requests that no kernel can serve, each with its whole message.
#include "generator/generate.h"
#include "generator/manifest/library.h"
#include "tests/catch.h"
#include "tests/generator/manifest_support.h"

namespace tilejit {
namespace {

template <typename Error>
std::string error_of(const manifest::Manifest& manifest, const SpecializeRequest& request) {
    try {
        specialize(manifest, request);
        return "";
    } catch (const Error& error) {
        return error.what();
    }
}

SpecializeRequest request_for(const std::string& arch) {
    SpecializeRequest request;
    request.dims = {{"rows", 1000}, {"n", 4}, {"w", 64}};
    request.dtypes = {{"T", DType::bf16}};
    request.arch = arch;
    return request;
}

TEST_CASE("an architecture that does not exist, or that no candidate serves") {
    const manifest::Manifest toy = test::toy_manifest();
    CHECK(error_of<UnknownTarget>(toy, request_for("sm_75")) ==
          "found the architecture \"sm_75\", expected one of sm_80, sm_86, sm_89, sm_90a, sm_100a, sm_103a, sm_120a");
    CHECK(error_of<UnknownTarget>(toy, request_for("host")) != "");
    CHECK(error_of<OpNotAvailable>(toy, request_for("sm_120a")) ==
          "ToyOp: found no kernel for n = 4, rows = 1000, w = 64, T = bf16, sm_120a; toy_fast serves sm_90a, sm_100a; "
          "toy_any "
          "serves sm_80, sm_90a");
}

TEST_CASE("a candidate whose condition does not hold, or that does not exist") {
    const manifest::Manifest toy = test::toy_manifest();
    SpecializeRequest request = request_for("sm_100a");
    request.dims["w"] = 512;
    CHECK(error_of<OpNotAvailable>(toy, request) ==
          "ToyOp: found no kernel for n = 4, rows = 1000, w = 512, T = bf16, sm_100a; toy_fast serves where K <= 1024 "
          "and clusters "
          ">= 8 and rows_high > 16; toy_any serves sm_80, sm_90a");
    request = request_for("sm_90a");
    request.kernel = "toy_best";
    CHECK(error_of<OpNotAvailable>(toy, request) ==
          "ToyOp: found no kernel for n = 4, rows = 1000, w = 64, T = bf16, sm_90a; toy_fast is not toy_best, which "
          "was asked for; "
          "toy_any is not toy_best, which was asked for");
}

TEST_CASE("schedule overrides that the space does not have") {
    const manifest::Manifest toy = test::toy_manifest();
    SpecializeRequest request = request_for("sm_90a");
    request.schedule = {{"tokens", 9}};
    CHECK(error_of<ShapeError>(toy, request) == "ToyOp: found the schedule entry tokens = 9, expected 8 or 16");
    request.schedule = {{"stages", 5}};
    CHECK(error_of<ShapeError>(toy, request) == "ToyOp: found the schedule entry stages = 5, expected 1 to 4");
    request.schedule = {{"chain", 32}};
    CHECK(error_of<ShapeError>(toy, request) ==
          "ToyOp: found the schedule entry \"chain\", expected one of stages, tokens of toy_fast");
}

TEST_CASE("parameters that are not compiled in, or out of range") {
    const manifest::Manifest toy = test::toy_manifest();
    SpecializeRequest request = request_for("sm_90a");
    request.params = {{"gain", 1}};
    CHECK(error_of<ShapeError>(toy, request) ==
          "ToyOp: found a value of gain, expected none: it is no parameter that is compiled in");
    request.params = {{"times", -1}};
    CHECK(error_of<ShapeError>(toy, request) == "ToyOp: found times = -1, expected an integer of at least 0");
    const auto required = manifest::parse_manifest(test::toy_without("/signature/params/times/default"), "toy.json");
    CHECK(error_of<ShapeError>(required, request_for("sm_90a")) ==
          "ToyOp: found no value of times, expected one: it is compiled in");
}

TEST_CASE("rules of a manifest that fail for a shape name file and pointer") {
    const auto outside = manifest::parse_manifest(test::toy_with("/kernels/1/schedule/tokens", "\"w\""), "toy.json");
    CHECK(error_of<ManifestError>(outside, request_for("sm_80")) ==
          "toy.json: /kernels/1/schedule/tokens: found the value 64 (n = 4, rows = 1000, w = 64, T = bf16, sm_80), "
          "expected one in "
          "/kernels/1/space/tokens: 4 or 8");
    const auto divides =
        manifest::parse_manifest(test::toy_with("/kernels/1/plan/chains", "\"1 // (w - 64)\""), "toy.json");
    CHECK(error_of<ManifestError>(divides, request_for("sm_80")) ==
          "toy.json: /kernels/1/plan/chains: expression \"1 // (w - 64)\": division of 1 by zero (n = 4, rows = 1000, "
          "w = 64, T = bf16, sm_80)");
}

TEST_CASE("dims are checked first") {
    SpecializeRequest request = request_for("sm_90a");
    request.dims["n"] = 9;
    CHECK(error_of<ShapeError>(test::toy_manifest(), request) == "ToyOp: found n = 9, expected an integer from 1 to 8");
    request.dims.erase("n");
    CHECK(error_of<ShapeError>(test::toy_manifest(), request) ==
          "ToyOp: found no value of n, expected an integer from 1 to 8");
}

}  // namespace
}  // namespace tilejit
