#include <cstring>
#include <nlohmann/json.hpp>

#include "tests/catch.h"
#include "tests/support/process.h"
#include "tools/safetensors/safetensors.h"

using namespace tilejit;
using safetensors::File;
using test::ProcessResult;
using test::run_cli;

namespace {

safetensors::Tensor ones(safetensors::DType dtype, std::vector<std::int64_t> shape) {
    std::size_t count = 1;
    for (const std::int64_t extent : shape) {
        count *= static_cast<std::size_t>(extent);
    }
    safetensors::Tensor tensor{dtype, std::move(shape), std::vector<std::byte>(count * size_of(dtype))};
    for (std::size_t i = 0; i < count; ++i) {
        const float one = 1.0F;
        const std::uint16_t bf16_one = 0x3f80;
        if (dtype == safetensors::DType::f32) {
            std::memcpy(tensor.bytes.data() + 4 * i, &one, 4);
        } else if (dtype == safetensors::DType::bf16) {
            std::memcpy(tensor.bytes.data() + 2 * i, &bf16_one, 2);
        }
    }
    return tensor;
}

File pre_case() {
    File file;
    file.metadata = {{"op", "MHCPreFwdOp"}, {"batch", "3"}, {"note", "ignored"}, {"alpha_pre", "0.5"}};
    file.tensors["phi"] = ones(safetensors::DType::f32, {16, 8});
    file.tensors["x"] = ones(safetensors::DType::bf16, {3, 16});
    file.tensors["b"] = ones(safetensors::DType::f32, {8});
    file.tensors["extra"] = ones(safetensors::DType::f64, {2, 2});
    file.tensors["flags"] = ones(safetensors::DType::boolean, {5});
    return file;
}

struct Fixture {
    test::ScratchFolder folder;
    std::string in = folder.file("in.safetensors");
    std::string out = folder.file("out.safetensors");

    ProcessResult run(const File& file, const std::vector<std::string>& more = {}) const {
        safetensors::write(in, file);
        std::vector<std::string> arguments = {"run", "MHCPreFwdOp", "--inputs", in, "--outputs", out};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return run_cli(arguments);
    }

    void refuses(const File& file, const std::vector<std::string>& says,
                 const std::vector<std::string>& more = {}) const {
        const ProcessResult result = run(file, more);
        INFO(result.err);
        CHECK(result.code == 2);
        CHECK(result.out.empty());
        CHECK(result.err.rfind("tilejit: error: ", 0) == 0);
        CHECK(result.err.find('\n') == result.err.size() - 1);
        for (const std::string& part : says) {
            INFO(part);
            CHECK(result.err.find(part) != std::string::npos);
        }
        CHECK_THROWS_AS(safetensors::read(out), FileError);
    }
};

}  // namespace

TEST_CASE("cli run: extra tensors and metadata are ignored, parameters come from three places") {
    const Fixture fixture;
    const ProcessResult result = fixture.run(pre_case(), {"--param", "alpha_post=0.25", "--json"});
    INFO(result.err);
    REQUIRE(result.code == 0);
    const File out = safetensors::read(fixture.out);
    CHECK(out.tensors.size() == 3);
    CHECK(out.tensors.at("x_res").dtype == safetensors::DType::bf16);
    CHECK(out.tensors.at("x_layer").shape == std::vector<std::int64_t>{3, 8});
    CHECK(out.tensors.at("h_post").dtype == safetensors::DType::f32);
    const nlohmann::json said = nlohmann::json::parse(result.out);
    CHECK(said.at("params").at("alpha_pre") == 0.5);
    CHECK(said.at("params").at("alpha_post") == 0.25);
    CHECK(said.at("params").at("sinkhorn_repeat") == 20);
}

TEST_CASE("cli run: files that do not fit the op") {
    const Fixture fixture;
    File file = pre_case();
    file.metadata["op"] = "MHCPostFwdOp";
    fixture.refuses(file, {fixture.in, "MHCPostFwdOp", "expected MHCPreFwdOp"});
    file = pre_case();
    file.tensors.erase("x");
    fixture.refuses(file, {fixture.in, "needs the tensor x", "phi"});
    file = pre_case();
    file.tensors["x"] = ones(safetensors::DType::f64, {3, 16});
    fixture.refuses(file, {"x is F64", "takes BF16"});
    file = pre_case();
    file.tensors["phi"] = ones(safetensors::DType::bf16, {16, 8});
    fixture.refuses(file, {"phi is BF16", "takes F32"});
    file = pre_case();
    file.tensors["b"] = ones(safetensors::DType::f32, {9});
    fixture.refuses(file, {"b", "9", "8"});
    file = pre_case();
    file.tensors["phi"] = ones(safetensors::DType::f32, {16, 9});
    fixture.refuses(file, {"phi", "9"});
    file = pre_case();
    file.tensors["x"] = ones(safetensors::DType::bf16, {16});
    fixture.refuses(file, {"x"});
}

TEST_CASE("cli run: parameters that are none") {
    const Fixture fixture;
    const File file = pre_case();
    fixture.refuses(file, {"beta", "alpha_pre"}, {"--param", "beta=1"});
    fixture.refuses(file, {"alpha_pre", "\"big\"", "number"}, {"--param", "alpha_pre=big"});
    fixture.refuses(file, {"alpha_pre", "nan"}, {"--param", "alpha_pre=nan"});
    fixture.refuses(file, {"alpha_res", "inf"}, {"--param", "alpha_res=inf"});
    fixture.refuses(file, {"sinkhorn_repeat", "-1"}, {"--param", "sinkhorn_repeat=-1"});
    fixture.refuses(file, {"sinkhorn_repeat", "1.5"}, {"--param", "sinkhorn_repeat=1.5"});
    fixture.refuses(file, {"sinkhorn_eps", "-0.5"}, {"--param", "sinkhorn_eps=-0.5"});
    fixture.refuses(file, {"alpha_pre", "twice"}, {"--param", "alpha_pre=1", "--param", "alpha_pre=2"});
    fixture.refuses(file, {"name=value"}, {"--param", "alpha_pre"});
    File bad = file;
    bad.metadata["alpha_res"] = "much";
    fixture.refuses(bad, {fixture.in, "metadata's alpha_res", "\"much\""});
    bad.metadata["alpha_res"] = "1,5";
    fixture.refuses(bad, {"\"1,5\""});
}

TEST_CASE("cli run: files that are missing, malformed or not writable") {
    const Fixture fixture;
    const auto refuses = [](const std::vector<std::string>& arguments, const std::string& says) {
        const ProcessResult result = run_cli(arguments);
        INFO(result.err);
        CHECK(result.code == 2);
        CHECK(result.err.find(says) != std::string::npos);
    };
    refuses({"run", "MHCPreFwdOp", "--inputs", "/no/such.safetensors", "--outputs", fixture.out},
            "/no/such.safetensors: cannot open: No such file or directory");
    refuses({"run", "MHCPreFwdOp", "--inputs", fixture.folder.path(), "--outputs", fixture.out}, "regular file");
    refuses({"run", "MHCPreFwdOp", "--inputs", std::string(TILEJIT_SOURCE_DIR) + "/CMakeLists.txt", "--outputs",
             fixture.out},
            "Is this a safetensors file?");
    refuses({"run", "MHCPreFwdOp", "--inputs", fixture.in}, "--inputs and --outputs come together");
    refuses({"run", "MHCPreFwdOp", "--outputs", fixture.out}, "--inputs and --outputs come together");
    refuses({"run", "MHCPreFwdOp", "--inputs", fixture.in, "--outputs", fixture.out, "--n", "4"},
            "dimensions and dtypes follow from --inputs");
    refuses({"run", "MHCPreFwdOp", "--inputs", fixture.in, "--outputs", fixture.out, "--dtype", "T=f32"},
            "dimensions and dtypes follow from --inputs");
    refuses({"run", "MHCPreFwdOp", "--n", "4"}, "needs --batch, --c-x");
    refuses({"run", "MHCPreFwdOp", "--batch", "1", "--n", "4", "--c-x", "8", "--target", "sm_42"}, "sm_42");
    refuses({"run", "MHCPreFwdOp", "--batch", "1", "--n", "4", "--c-x", "8", "--seed", "x"}, "--seed is \"x\"");
    safetensors::write(fixture.in, pre_case());
    refuses({"run", "MHCPreFwdOp", "--inputs", fixture.in, "--outputs", "/no/such/folder/out.safetensors"},
            "/no/such/folder/out.safetensors: cannot create");
}
