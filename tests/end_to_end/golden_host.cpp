#include <cstdlib>

#include "generator/kernels/check.h"
#include "generator/manifest/library.h"
#include "tests/catch.h"
#include "tests/generator/reference_golden.h"
#include "tests/support/process.h"

using namespace tilejit;

namespace {

/// What the case's own fp64 tensors ask for.
kernels::ReferenceOutput wanted(const kernels::ReferenceInputs& tensors, const std::string& op,
                                const std::string& output) {
    const kernels::ReferenceTensor& want = tensors.at("ref." + output);
    if (op == "MHCPostFwdOp") {
        return {want, kernels::find_reference(op)(tensors, {}).at(output).magnitude};
    }
    const auto magnitudes = test::pre_magnitudes(tensors);
    const auto found = magnitudes.find(output);
    return {want, found == magnitudes.end() ? std::vector<double>(want.values.size()) : found->second};
}

void check_case(const std::string& path, const std::string& out_path) {
    const safetensors::File file = safetensors::read(path);
    const safetensors::File out = safetensors::read(out_path);
    const kernels::ReferenceInputs tensors = test::golden_tensors(file);
    const manifest::Manifest& op = manifest::find_manifest(file.metadata.at("op"));
    CHECK(out.tensors.size() == op.outputs.size());
    for (const manifest::Tensor& output : op.outputs) {
        INFO(output.name);
        const safetensors::Tensor& got = out.tensors.at(output.name);
        const DType dtype = output.dtype.in({});
        REQUIRE(got.dtype == (dtype == DType::f32 ? safetensors::DType::f32 : safetensors::DType::bf16));
        const kernels::ReferenceOutput want = wanted(tensors, op.op, output.name);
        REQUIRE(got.shape == want.want.shape);
        const manifest::Tolerance& tolerance = op.tolerance.at(output.name);
        const double alpha = tolerance.scale_param.empty() ? 1.0 : test::golden_params(file).at(tolerance.scale_param);
        const kernels::CheckResult result =
            kernels::check_output(tolerance, dtype, safetensors::to_doubles(got), want, alpha);
        INFO("worst at " << result.worst.index << ": got " << result.worst.got << ", want " << result.worst.want);
        CHECK(result.out_of_tolerance == 0);
    }
}

}  // namespace

TEST_CASE("golden cases pass on host through the command line") {
    const bool has_checker = test::run_program("python3", {"-c", "import numpy"}).code == 0;
    const std::string checker = std::string(TILEJIT_SOURCE_DIR) + "/tests/reference/mhc_reference.py";
    const std::vector<std::string> files = test::golden_files();
    REQUIRE(files.size() == test::kGoldenCases);
    const test::ScratchFolder folder;
    for (const char* target : {"host", "host:sm_90a"}) {
        for (const std::string& path : files) {
            INFO(path << " on " << target);
            const std::string out = folder.file("out.safetensors");
            const std::string op = safetensors::read(path).metadata.at("op");
            const test::ProcessResult run =
                test::run_cli({"run", op, "--inputs", path, "--outputs", out, "--target", target});
            INFO(run.err);
            REQUIRE(run.code == 0);
            check_case(path, out);
            if (has_checker) {
                const test::ProcessResult second = test::run_program("python3", {checker, "check", path, out});
                INFO(second.out);
                CHECK(second.code == 0);
            }
        }
    }
}

TEST_CASE("manifests have the tolerances of the operators' contract") {
    const manifest::Manifest& pre = manifest::find_manifest("MHCPreFwdOp");
    CHECK(pre.tolerance.at("x_res").slack == 2e-5);
    CHECK(pre.tolerance.at("x_res").scale_param == "alpha_res");
    CHECK(pre.tolerance.at("x_layer").slack == 2e-5);
    CHECK(pre.tolerance.at("x_layer").scale_param == "alpha_pre");
    CHECK(pre.tolerance.at("h_post").relative == 1e-5);
    CHECK(pre.tolerance.at("h_post").absolute == 1e-6);
    CHECK(pre.tolerance.at("h_post").scale_param == "alpha_post");
    const manifest::Manifest& post = manifest::find_manifest("MHCPostFwdOp");
    CHECK(post.tolerance.at("x_out").slack == 2e-5);
    CHECK(post.tolerance.at("x_out").scale_param.empty());
}
