/// Dims from shapes.
#include "generator/manifest/library.h"
#include "tests/catch.h"
#include "tests/generator/manifest_support.h"

namespace tilejit::manifest {
namespace {

using test::toy_with;

Values pre_dims(std::int64_t batch, std::int64_t n, std::int64_t c_x) {
    return solve_dims(find_manifest("MHCPreFwdOp"),
                      {{"phi", {n * c_x, n * n + 2 * n}}, {"x", {batch, n * c_x}}, {"b", {n * n + 2 * n}}});
}

Values dims(std::int64_t batch, std::int64_t n, std::int64_t c_x) { return {{"batch", batch}, {"n", n}, {"c_x", c_x}}; }

TEST_CASE("n is solved from phi, c_x from n, over the whole range") {
    for (std::int64_t n = 1; n <= 32; ++n) {
        for (const std::int64_t c_x : {1, 2, 3, 33, 1280, 7919, 14336, 1 << 20}) {
            CHECK(pre_dims(3, n, c_x) == dims(3, n, c_x));
        }
    }
    CHECK(pre_dims(65536, 4, 14336) == dims(65536, 4, 14336));
    CHECK(pre_dims(1, 1, std::int64_t{1} << 60) == dims(1, 1, std::int64_t{1} << 60));
}

TEST_CASE("the order of the shapes does not matter and a batch of 0 is legal") {
    const Manifest& post = find_manifest("MHCPostFwdOp");
    CHECK(solve_dims(post, {{"x_res", {0, 252}}, {"h_post", {0, 4}}, {"x_layer_out", {0, 63}}}) == dims(0, 4, 63));
    CHECK(solve_dims(post, {{"x_layer_out", {2, 63}}, {"x_res", {2, 252}}, {"h_post", {2, 4}}}) == dims(2, 4, 63));
}

TEST_CASE("outputs may be among the shapes") {
    const Manifest& post = find_manifest("MHCPostFwdOp");
    CHECK(solve_dims(post, {{"x_out", {2, 252}}, {"x_layer_out", {2, 63}}, {"h_post", {2, 4}}, {"x_res", {2, 252}}}) ==
          dims(2, 4, 63));
}

TEST_CASE("optional inputs may be left out") {
    const Manifest toy = test::toy_manifest();
    const Values want{{"rows", 5}, {"n", 3}, {"w", 10}};
    CHECK(solve_dims(toy, {{"m", {12, 2}}, {"x", {5, 30}}}) == want);
    CHECK(solve_dims(toy, {{"mask", {5}}, {"m", {12, 2}}, {"x", {5, 30}}}) == want);
}

TEST_CASE("large ranges are solved by bisection, and several solutions leave a dim open") {
    // w // 3 does not determine w; x's second axis does.
    const Manifest both = parse_manifest(toy_with("/signature/inputs/0/shape", R"(["P", "w // 3 + 1"])"), "toy.json");
    CHECK(solve_dims(both, {{"m", {12, 4}}, {"x", {5, 30}}}) == Values{{"rows", 5}, {"n", 3}, {"w", 10}});
}

TEST_CASE("complete_dims adds the let values") {
    const Manifest& pre = find_manifest("MHCPreFwdOp");
    CHECK(complete_dims(pre, dims(2, 4, 1280)) ==
          Values{{"batch", 2}, {"n", 4}, {"c_x", 1280}, {"K", 5120}, {"Q", 24}});
}

TEST_CASE("shapes follow from completed dims") {
    const Manifest& pre = find_manifest("MHCPreFwdOp");
    const Values values = complete_dims(pre, dims(0, 4, 63));
    CHECK(shape_of(*pre.find_tensor("phi"), values) == std::vector<std::int64_t>{252, 24});
    CHECK(shape_of(*pre.find_tensor("x_layer"), values) == std::vector<std::int64_t>{0, 63});
    CHECK(shape_of(*pre.find_tensor("h_post"), values) == std::vector<std::int64_t>{0, 4});
}

TEST_CASE("parameters are checked and rounded to what the kernel gets") {
    const Manifest& pre = find_manifest("MHCPreFwdOp");
    const auto check = [&](const char* name, double value) { return check_param(pre, *pre.find_param(name), value); };
    CHECK(check("sinkhorn_eps", 0.02) == static_cast<double>(0.02F));
    CHECK(check("sinkhorn_repeat", 20) == 20);
    CHECK(check("sinkhorn_repeat", 0) == 0);
    CHECK(check("alpha_pre", -3.5) == -3.5);
}

}  // namespace
}  // namespace tilejit::manifest
