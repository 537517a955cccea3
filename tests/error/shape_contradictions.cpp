/// Shapes, dims and parameters that an op's manifest does not allow, each with its whole message.
#include <cmath>
#include <limits>

#include "generator/manifest/library.h"
#include "tests/catch.h"
#include "tests/generator/manifest_support.h"

namespace tilejit::manifest {
namespace {

template <typename Call>
std::string shape_error(const Call& call) {
    try {
        call();
        return "";
    } catch (const ShapeError& error) {
        return error.what();
    }
}

std::string pre_error(const std::vector<GivenShape>& shapes) {
    return shape_error([&] { solve_dims(find_manifest("MHCPreFwdOp"), shapes); });
}

std::string post_error(const std::vector<GivenShape>& shapes) {
    return shape_error([&] { solve_dims(find_manifest("MHCPostFwdOp"), shapes); });
}

TEST_CASE("a contradiction names both tensors, what was given and what was expected") {
    CHECK(
        pre_error({{"phi", {252, 24}}, {"x", {3, 256}}, {"b", {24}}}) ==
        "MHCPreFwdOp: phi has shape [252, 24], expected [n * c_x = 256, n * n + 2 * n = 24]: c_x = 64 from x.shape[1] "
        "= 256, n = 4 from phi.shape[1] = 24");
    CHECK(pre_error({{"phi", {252, 24}}, {"x", {3, 252}}, {"b", {15}}}) ==
          "MHCPreFwdOp: b has shape [15], expected [n * n + 2 * n = 24]: n = 4 from phi.shape[1] = 24");
    CHECK(
        post_error({{"x_layer_out", {3, 60}}, {"h_post", {4, 4}}, {"x_res", {3, 240}}}) ==
        "MHCPostFwdOp: h_post has shape [4, 4], expected [batch = 3, n = 4]: batch = 3 from x_layer_out.shape[0], n = "
        "4 from h_post.shape[1]");
    CHECK(post_error({{"x_layer_out", {3, 60}}, {"h_post", {3, 4}}, {"x_res", {3, 241}}}) ==
          "MHCPostFwdOp: x_res has shape [3, 241], expected [batch = 3, n * c_x = 240]: batch = 3 from "
          "x_layer_out.shape[0], c_x = 60 from x_layer_out.shape[1], n = 4 from h_post.shape[1]");
    CHECK(post_error({{"x_layer_out", {3, 60}}, {"h_post", {3, 4}}, {"x_res", {3, 240}}, {"x_out", {2, 240}}}) ==
          "MHCPostFwdOp: x_out has shape [2, 240], expected [batch = 3, n * c_x = 240]: batch = 3 from "
          "x_layer_out.shape[0], c_x = 60 from x_layer_out.shape[1], n = 4 from h_post.shape[1]");
}

TEST_CASE("an extent that no dim can explain names the nearest ones") {
    CHECK(pre_error({{"phi", {252, 25}}, {"x", {3, 252}}, {"b", {25}}}) ==
          "MHCPreFwdOp: phi has shape [252, 25], expected [n * c_x, n * n + 2 * n]: no n from 1 to 32 makes axis 1, n "
          "* n "
          "+ 2 * n, equal to 25; n = 4 gives 24 and n = 5 gives 35");
    CHECK(pre_error({{"phi", {253, 24}}, {"x", {3, 253}}, {"b", {24}}}) ==
          "MHCPreFwdOp: x has shape [3, 253], expected [batch, n * c_x]: no c_x of at least 1 makes axis 1, n * c_x, "
          "equal to 253 (n = 4 from phi.shape[1] = 24); c_x = 63 gives 252 and c_x = 64 gives 256");
    CHECK(pre_error({{"phi", {33 * 8, 33 * 33 + 66}}, {"x", {3, 33 * 8}}, {"b", {33 * 33 + 66}}}) ==
          "MHCPreFwdOp: phi has shape [264, 1155], expected [n * c_x, n * n + 2 * n]: no n from 1 to 32 makes axis 1, "
          "n * "
          "n + 2 * n, equal to 1155; n = 32 gives 1088");
}

TEST_CASE("a dim out of its range") {
    CHECK(post_error({{"x_layer_out", {3, 60}}, {"h_post", {3, 40}}, {"x_res", {3, 2400}}}) ==
          "MHCPostFwdOp: h_post has shape [3, 40], expected [batch, n] with n from 1 to 32: found n = 40 from "
          "h_post.shape[1]");
    CHECK(
        post_error({{"x_layer_out", {3, 0}}, {"h_post", {3, 4}}, {"x_res", {3, 0}}}) ==
        "MHCPostFwdOp: x_layer_out has shape [3, 0], expected [batch, c_x] with c_x of at least 1: found c_x = 0 from "
        "x_layer_out.shape[1]");
    CHECK(post_error({{"x_layer_out", {3, -1}}, {"h_post", {3, 4}}, {"x_res", {3, 0}}}) ==
          "MHCPostFwdOp: x_layer_out has shape [3, -1], expected extents of at least 0");
}

TEST_CASE("wrong ranks, tensors that are missing, unknown or given twice") {
    CHECK(pre_error({{"phi", {252, 24}}, {"x", {252}}, {"b", {24}}}) ==
          "MHCPreFwdOp: x has shape [252] with 1 axis, expected [batch, n * c_x] with 2");
    CHECK(pre_error({{"phi", {252, 24}}, {"x", {3, 252}}, {"b", {24, 1}}}) ==
          "MHCPreFwdOp: b has shape [24, 1] with 2 axes, expected [n * n + 2 * n] with 1");
    CHECK(pre_error({{"phi", {}}, {"x", {3, 252}}, {"b", {24}}}) ==
          "MHCPreFwdOp: phi has shape [] with 0 axes, expected [n * c_x, n * n + 2 * n] with 2");
    CHECK(pre_error({{"phi", {252, 24}}, {"b", {24}}}) ==
          "MHCPreFwdOp: found no shape of the input x, expected [batch, n * c_x]");
    CHECK(pre_error({{"y", {252, 24}}}) ==
          "MHCPreFwdOp: found a shape of \"y\", expected one of phi, x, b, x_res, x_layer, h_post");
    CHECK(pre_error({{"b", {24}}, {"b", {24}}}) == "MHCPreFwdOp: found two shapes of b, expected one");
}

TEST_CASE("extents near 2^63 are errors, not overflows") {
    CHECK(pre_error({{"phi", {INT64_MAX, INT64_MAX}}, {"x", {INT64_MAX, INT64_MAX}}, {"b", {INT64_MAX}}}) != "");
    CHECK(post_error({{"x_layer_out", {1, INT64_MAX}}, {"h_post", {1, 4}}, {"x_res", {1, 4}}}) ==
          "MHCPostFwdOp: x_res has shape [1, 4], expected [batch = 1, n * c_x = beyond 64 bits]: batch = 1 from "
          "x_layer_out.shape[0], c_x = 9223372036854775807 from x_layer_out.shape[1], n = 4 from h_post.shape[1]");
}

TEST_CASE("dims that are missing, unknown, out of range or break a rule") {
    const Manifest& pre = find_manifest("MHCPreFwdOp");
    const auto error = [](const Manifest& manifest, const Values& dims) {
        return shape_error([&] { complete_dims(manifest, dims); });
    };
    CHECK(error(pre, {{"batch", 1}, {"n", 4}}) ==
          "MHCPreFwdOp: found no value of c_x, expected an integer of at least 1");
    CHECK(error(pre, {{"batch", 1}, {"n", 0}, {"c_x", 8}}) ==
          "MHCPreFwdOp: found n = 0, expected an integer from 1 to 32");
    CHECK(error(pre, {{"batch", -1}, {"n", 4}, {"c_x", 8}}) ==
          "MHCPreFwdOp: found batch = -1, expected an integer of at least 0");
    CHECK(error(pre, {{"batch", 1}, {"n", 4}, {"c_x", 8}, {"m", 1}}) ==
          "MHCPreFwdOp: found the dim \"m\", expected one of batch, n, c_x");
    CHECK(error(test::toy_manifest(), {{"rows", 1}, {"n", 4}, {"w", 7}}) ==
          "ToyOp: found rows = 1, n = 4, w = 7, expected w % 2 == 0: a part holds pairs");
    CHECK_THAT(
        error(pre, {{"batch", 1}, {"n", 4}, {"c_x", INT64_MAX}}),
        test::contains("MHCPreFwdOp: found batch = 1, n = 4, c_x = 9223372036854775807, expected dims that every "
                       "expression can be evaluated for"));
}

TEST_CASE("parameters that an op cannot take") {
    const Manifest& pre = find_manifest("MHCPreFwdOp");
    const auto error = [&](const char* name, double value) {
        return shape_error([&] { check_param(pre, *pre.find_param(name), value); });
    };
    CHECK(error("sinkhorn_repeat", -1) == "MHCPreFwdOp: found sinkhorn_repeat = -1, expected an integer of at least 0");
    CHECK(error("sinkhorn_repeat", 1.5) ==
          "MHCPreFwdOp: found sinkhorn_repeat = 1.5, expected an integer of at least 0");
    CHECK(error("sinkhorn_repeat", 4e9) ==
          "MHCPreFwdOp: found sinkhorn_repeat = 4000000000, expected an integer of at least 0");
    CHECK(error("alpha_pre", std::nan("")) == "MHCPreFwdOp: found alpha_pre = nan, expected a finite fp32 number");
    CHECK(error("alpha_res", std::numeric_limits<double>::infinity()) ==
          "MHCPreFwdOp: found alpha_res = inf, expected a finite fp32 number");
    CHECK(error("alpha_post", 1e39) == "MHCPreFwdOp: found alpha_post = 1e+39, expected a finite fp32 number");
    CHECK(error("sinkhorn_eps", -0.5) ==
          "MHCPreFwdOp: found sinkhorn_eps = -0.5, expected a finite fp32 number of at least 0");
}

}  // namespace
}  // namespace tilejit::manifest
