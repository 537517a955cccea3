/// Dtype variables from the dtypes of tensors, and what they are legal for.
#include "generator/manifest/library.h"
#include "tests/catch.h"
#include "tests/generator/manifest_support.h"

namespace tilejit::manifest {
namespace {

using test::toy_with;

constexpr DType kF32 = DType::f32;
constexpr DType kBf16 = DType::bf16;

/// The toy manifest with a second required input of dtype T.
Manifest two_of_t() { return parse_manifest(toy_with("/signature/inputs/0/dtype", "\"T\""), "toy.json"); }

std::string solve_error(const Manifest& manifest, const std::vector<GivenDtype>& given) {
    try {
        solve_dtypes(manifest, given);
        return "";
    } catch (const ShapeError& error) {
        return error.what();
    }
}

TEST_CASE("a dtype variable is what the tensors that name it have") {
    const Manifest toy = test::toy_manifest();
    CHECK(solve_dtypes(toy, {{"m", kF32}, {"x", kBf16}}) == Dtypes{{"T", kBf16}});
    CHECK(solve_dtypes(toy, {{"m", kF32}, {"x", kF32}}) == Dtypes{{"T", kF32}});
    CHECK(solve_dtypes(toy, {{"y", kF32}, {"mask", kBf16}, {"m", kF32}, {"x", kF32}}) == Dtypes{{"T", kF32}});
    CHECK(solve_dtypes(find_manifest("MHCPostFwdOp"), {{"x_layer_out", kBf16}, {"h_post", kF32}, {"x_res", kBf16}})
              .empty());
}

TEST_CASE("tensors that contradict each other are both named, with what they said") {
    const Manifest toy = two_of_t();
    CHECK(solve_dtypes(toy, {{"m", kF32}, {"x", kF32}}) == Dtypes{{"T", kF32}});
    CHECK(solve_error(toy, {{"m", kF32}, {"x", kBf16}}) ==
          "ToyOp: x has dtype bf16, expected T = f32: T = f32 from m.dtype");
    CHECK(solve_error(test::toy_manifest(), {{"m", kF32}, {"x", kBf16}, {"y", kF32}}) ==
          "ToyOp: y has dtype f32, expected T = bf16: T = bf16 from x.dtype");
}

TEST_CASE("a tensor's dtype is one that its variable may be, or the one that the manifest says") {
    test::Json json = test::toy_json();
    json["signature"]["dtypes"]["T"] = test::Json::array({"bf16"});
    json["tolerance"]["y"] = test::Json{{"slack", 0}};
    json["workloads"].erase(1);
    const Manifest toy = parse_manifest(json.dump(), "toy.json");
    CHECK(solve_error(toy, {{"m", kF32}, {"x", kF32}}) == "ToyOp: x has dtype f32, expected T = bf16");
    CHECK(solve_error(toy, {{"m", kBf16}, {"x", kBf16}}) == "ToyOp: m has dtype bf16, expected f32");
    CHECK(solve_error(toy, {{"m", kF32}}) == "ToyOp: found no dtype of T, expected T = bf16");
}

TEST_CASE("dtypes that are given by name are checked") {
    const Manifest toy = test::toy_manifest();
    CHECK_NOTHROW(check_dtypes(toy, {{"T", kF32}}));
    CHECK_THROWS_WITH(check_dtypes(toy, {}), "ToyOp: found no dtype of T, expected T = bf16 or f32");
    CHECK_THROWS_WITH(check_dtypes(toy, {{"T", kF32}, {"S", kF32}}),
                      "ToyOp: found the dtype variable \"S\", expected T");
    CHECK_THROWS_WITH(check_dtypes(find_manifest("MHCPostFwdOp"), {{"S", kF32}}),
                      "MHCPostFwdOp: found the dtype variable \"S\", expected none");
}

TEST_CASE("the roofline sees the sizes of elements") {
    const Manifest toy = test::toy_manifest();
    const Values dims{{"rows", 3}, {"n", 4}, {"w", 64}};
    CHECK(cost_of(toy, dims, {{"T", kBf16}}).bytes == 2 * 2 * 3 * 256);
    CHECK(cost_of(toy, dims, {{"T", kF32}}).bytes == 2 * 4 * 3 * 256);
    CHECK_THROWS_AS(cost_of(toy, dims, {}), ShapeError);
}

}  // namespace
}  // namespace tilejit::manifest
