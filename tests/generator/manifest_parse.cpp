/// What a parsed manifest holds.
#include "generator/manifest/library.h"
#include "tests/catch.h"
#include "tests/generator/manifest_support.h"

namespace tilejit::manifest {
namespace {

std::vector<std::string> texts(const std::vector<Expression>& expressions) {
    std::vector<std::string> result;
    for (const Expression& expression : expressions) {
        result.push_back(expression.text());
    }
    return result;
}

TEST_CASE("every part of a manifest is kept in the order written") {
    const Manifest toy = test::toy_manifest();
    CHECK(toy.file == "toy.json");
    CHECK(toy.text == test::kToyManifest);
    CHECK(toy.op == "ToyOp");
    CHECK(toy.family == "toy");
    CHECK(toy.layout == "rows");
    CHECK(toy.open_dim() == "rows");
    REQUIRE(toy.dims.size() == 3);
    CHECK(toy.dims[0].name == "rows");
    CHECK(toy.dims[0].min == 0);
    CHECK(toy.dims[1].max == 8);
    CHECK(toy.dims[2].min == 1);
    CHECK(toy.dims[2].max == INT64_MAX);
    REQUIRE(toy.params.size() == 2);
    CHECK(toy.params[0].type == Param::Type::f32);
    CHECK(toy.params[0].default_value == 1.5);
    CHECK(toy.params[0].min == -4);
    CHECK(toy.params[0].bind == Bind::launch);
    CHECK(toy.params[1].type == Param::Type::i32);
    CHECK(toy.params[1].bind == Bind::compile);
    CHECK_FALSE(toy.params[1].max.has_value());
    REQUIRE(toy.let.size() == 2);
    CHECK(toy.let[0].first == "K");
    REQUIRE(toy.dtypes.size() == 1);
    CHECK(toy.dtypes[0].legal == std::vector{DType::bf16, DType::f32});
    REQUIRE(toy.inputs.size() == 3);
    CHECK(toy.inputs[0].dtype == DType::f32);
    CHECK(texts(toy.inputs[0].shape) == std::vector<std::string>{"P", "2"});
    CHECK(toy.inputs[0].alignment == 8);
    CHECK(toy.inputs[1].dtype == TensorDtype("T"));
    CHECK(toy.inputs[1].alignment == 0);
    CHECK(toy.inputs[2].optional);
    REQUIRE(toy.outputs.size() == 2);
    CHECK(toy.outputs[0].may_alias == "x");
    CHECK(toy.outputs[1].may_alias.empty());
    REQUIRE(toy.rules.size() == 1);
    CHECK(toy.rules[0].message == "a part holds pairs");
    CHECK(toy.specialize.at("rows").buckets == std::vector<std::int64_t>{16, 256});
    CHECK(toy.specialize.at("n").kind == Specialize::Kind::exact);
    CHECK(toy.tolerance.at("y").scale_param == "gain");
    CHECK(toy.tolerance.at("s").relative == 1e-5);
    REQUIRE(toy.workloads.size() == 2);
    CHECK(toy.workloads[1].dims == Values{{"rows", 4096}, {"n", 2}, {"w", 128}});
    CHECK(toy.workloads[1].dtypes == Dtypes{{"T", DType::f32}});
    CHECK(toy.find_dim("w") == &toy.dims[2]);
    CHECK(toy.find_dtype("T") == &toy.dtypes[0]);
    CHECK(toy.find_param("times") == &toy.params[1]);
    CHECK(toy.find_tensor("s") == &toy.outputs[1]);
    CHECK(toy.find_tensor("w") == nullptr);
}

TEST_CASE("kernels keep their plan, space and schedule") {
    const Manifest toy = test::toy_manifest();
    REQUIRE(toy.kernels.size() == 2);
    const Kernel& any = toy.kernels[1];
    CHECK(any.name == "toy_any");
    CHECK(any.targets == std::vector<std::string>{"sm_80", "sm_90a"});
    CHECK(any.when.evaluate({}) == 1);
    REQUIRE(any.plan.size() == 2);
    CHECK(any.plan[0].first == "chain");
    CHECK(any.plan[0].second.evaluate({{"w", 100}}) == 64);
    CHECK(any.plan[0].second.evaluate({{"w", 10}}) == 10);
    const Space& stages = toy.kernels[0].space.at("stages");
    CHECK(stages.describe() == "1 to 4");
    CHECK(stages.contains(4));
    CHECK_FALSE(stages.contains(5));
    const Space& tokens = toy.kernels[0].space.at("tokens");
    CHECK(tokens.describe() == "8 or 16");
    CHECK(tokens.contains(16));
    CHECK_FALSE(tokens.contains(9));
}

TEST_CASE("the mHC operators are described as documented") {
    const Manifest& pre = find_manifest("MHCPreFwdOp");
    CHECK(pre.file == "manifests/mhc_pre_fwd.json");
    std::vector<std::string> names;
    for (const auto* list : {&pre.inputs, &pre.outputs}) {
        for (const Tensor& tensor : *list) {
            names.push_back(tensor.name);
        }
    }
    CHECK(names == std::vector<std::string>{"phi", "x", "b", "x_res", "x_layer", "h_post"});
    names.clear();
    for (const Param& param : pre.params) {
        CHECK(param.bind == Bind::launch);
        names.push_back(param.name);
    }
    CHECK(names == std::vector<std::string>{"alpha_pre", "alpha_post", "alpha_res", "sinkhorn_repeat", "sinkhorn_eps"});
    CHECK(pre.find_param("sinkhorn_eps")->default_value == 0.02);
    CHECK(pre.tolerance.at("x_res").scale_param == "alpha_res");
    CHECK(pre.tolerance.at("x_layer").slack == 2e-5);

    const Manifest& post = find_manifest("MHCPostFwdOp");
    REQUIRE(post.outputs.size() == 1);
    CHECK(post.outputs[0].may_alias == "x_res");
    CHECK(post.params.empty());
}

TEST_CASE("the roofline counts each byte once") {
    const Manifest& pre = find_manifest("MHCPreFwdOp");
    // 18 bytes for each column of a token at n = 4, h_post, phi and b.
    CHECK(pre.roofline.bytes.evaluate(complete_dims(pre, {{"batch", 100}, {"n", 4}, {"c_x", 1280}})) ==
          100 * (18 * 1280 + 16) + 4 * 5120 * 24 + 4 * 24);
    const Manifest& post = find_manifest("MHCPostFwdOp");
    CHECK(post.roofline.bytes.evaluate(complete_dims(post, {{"batch", 100}, {"n", 4}, {"c_x", 1280}})) ==
          100 * (18 * 1280 + 16));
}

TEST_CASE("both operators have the workloads that are promised") {
    for (const std::string& op : builtin_manifests().ops()) {
        std::set<Values> dims;
        for (const Workload& workload : find_manifest(op).workloads) {
            dims.insert(workload.dims);
        }
        for (const std::int64_t c_x : {1280, 2560, 4096, 5120, 7168}) {
            for (const std::int64_t batch : {1, 16, 128, 4096, 16384}) {
                INFO(op << " " << batch << " " << c_x);
                CHECK(dims.count({{"batch", batch}, {"n", 4}, {"c_x", c_x}}) == 1);
            }
        }
        CHECK(dims.count({{"batch", 2}, {"n", 4}, {"c_x", 1920}}) == 1);
        CHECK(dims.count({{"batch", 4}, {"n", 4}, {"c_x", 2560}}) == 1);
    }
}

}  // namespace
}  // namespace tilejit::manifest
