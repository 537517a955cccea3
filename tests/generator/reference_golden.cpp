#include "tests/generator/reference_golden.h"

#include <cmath>

#include "tests/catch.h"

using namespace tilejit;

namespace {

/// Sums of up to 28672 terms in another order, scaled by alphas of up to 200: 1e-12 of the terms.
constexpr double kRelative = 1e-12;

std::int64_t disagreements(const std::vector<double>& got, const std::vector<double>& want,
                           const std::vector<double>& scale, double relative) {
    std::int64_t count = 0;
    for (std::size_t i = 0; i < want.size(); ++i) {
        const bool inside = std::isfinite(want[i])
                                ? std::fabs(got[i] - want[i]) <= relative * std::max(std::fabs(want[i]), scale[i])
                                : !std::isfinite(got[i]);
        count += inside ? 0 : 1;
    }
    return count;
}

}  // namespace

TEST_CASE("reference: agrees with every golden case") {
    const std::vector<std::string> files = test::golden_files();
    REQUIRE(files.size() == test::kGoldenCases);
    std::size_t compared = 0;
    for (const std::string& path : files) {
        INFO(path);
        const safetensors::File file = safetensors::read(path);
        const kernels::ReferenceInputs tensors = test::golden_tensors(file);
        const kernels::ReferenceOutputs outputs =
            kernels::find_reference(file.metadata.at("op"))(tensors, test::golden_params(file));
        for (const auto& [name, output] : outputs) {
            INFO(name);
            const kernels::ReferenceTensor& want = tensors.at("ref." + name);
            REQUIRE(output.want.shape == want.shape);
            REQUIRE(output.want.values.size() == want.values.size());
            CHECK(disagreements(output.want.values, want.values, output.magnitude, kRelative) == 0);
            ++compared;
        }
    }
    CHECK(compared == 21 * 3 + 6);
}

TEST_CASE("reference: magnitudes are the sums of the absolute terms") {
    for (const std::string& path : test::golden_files()) {
        INFO(path);
        const safetensors::File file = safetensors::read(path);
        if (file.metadata.at("op") != "MHCPreFwdOp") {
            continue;
        }
        const kernels::ReferenceInputs tensors = test::golden_tensors(file);
        const kernels::ReferenceOutputs outputs =
            kernels::find_reference("MHCPreFwdOp")(tensors, test::golden_params(file));
        for (const auto& [name, want] : test::pre_magnitudes(tensors)) {
            INFO(name);
            CHECK(disagreements(outputs.at(name).magnitude, want, want, kRelative) == 0);
        }
    }
}

TEST_CASE("reference: notices a wrong formula") {
    const safetensors::File file =
        safetensors::read(std::string(TILEJIT_SOURCE_DIR) + "/tests/golden/pre_b3_n4_c64.safetensors");
    const kernels::ReferenceInputs tensors = test::golden_tensors(file);
    kernels::ReferenceParams params = test::golden_params(file);
    const kernels::ReferenceTensor& want = tensors.at("ref.x_res");
    for (const auto& [name, value] :
         std::map<std::string, double>{{"sinkhorn_repeat", 19}, {"sinkhorn_eps", 0.0201}, {"alpha_res", 1.0001}}) {
        INFO(name);
        kernels::ReferenceParams other = params;
        other[name] = value;
        const kernels::ReferenceOutput output = kernels::find_reference("MHCPreFwdOp")(tensors, other).at("x_res");
        CHECK(disagreements(output.want.values, want.values, output.magnitude, kRelative) > 0);
    }
}
