#include <thread>
#include <vector>

#include "generator/kernels/reference.h"
#include "tests/catch.h"
#include "tilejit/error.h"

using namespace tilejit;
using kernels::ReferenceTensor;

namespace {

template <typename ErrorType, typename Call>
std::string message_of(Call call) {
    try {
        call();
    } catch (const ErrorType& error) {
        return error.what();
    }
    return "";
}

ReferenceTensor ones(std::vector<std::int64_t> shape) {
    std::int64_t count = 1;
    for (const std::int64_t extent : shape) {
        count *= extent;
    }
    return {std::move(shape), std::vector<double>(static_cast<std::size_t>(count), 1.0)};
}

const kernels::ReferenceParams kParams = {
    {"alpha_pre", 1}, {"alpha_post", 1}, {"alpha_res", 1}, {"sinkhorn_repeat", 20}, {"sinkhorn_eps", 0.02}};

}  // namespace

TEST_CASE("reference: an unknown op names the known ones") {
    const std::string message = message_of<OpNotAvailable>([] { kernels::find_reference("NoSuchOp"); });
    CHECK(message == "NoSuchOp has no fp64 reference; these ops have one: MHCPostFwdOp, MHCPreFwdOp");
}

TEST_CASE("reference: registration is thread-safe and happens once") {
    constexpr int kThreads = 8;
    std::vector<std::thread> threads;
    std::vector<int> refused(kThreads, 0);
    for (int i = 0; i < kThreads; ++i) {
        threads.emplace_back([&refused, i] {
            kernels::register_reference("TestOp" + std::to_string(i),
                                        [](const auto&, const auto&) { return kernels::ReferenceOutputs{}; });
            try {
                kernels::register_reference("TestSharedOp",
                                            [](const auto&, const auto&) { return kernels::ReferenceOutputs{}; });
            } catch (const ShapeError&) {
                refused[static_cast<std::size_t>(i)] = 1;
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    int count = 0;
    for (const int one : refused) {
        count += one;
    }
    CHECK(count == kThreads - 1);
    CHECK(kernels::find_reference("TestOp7")({}, {}).empty());
}

TEST_CASE("reference: missing or contradicting inputs are named") {
    const auto pre = [](const kernels::ReferenceInputs& inputs, const kernels::ReferenceParams& params) {
        return message_of<ShapeError>([&] { kernels::find_reference("MHCPreFwdOp")(inputs, params); });
    };
    const kernels::ReferenceInputs good = {{"phi", ones({8, 8})}, {"x", ones({3, 8})}, {"b", ones({8})}};
    CHECK(pre(good, kParams).empty());
    CHECK(pre({{"phi", ones({8, 8})}, {"b", ones({8})}}, kParams) == "MHCPreFwdOp: the reference needs the input x");
    kernels::ReferenceParams lacking = kParams;
    lacking.erase("sinkhorn_eps");
    CHECK(pre(good, lacking) == "MHCPreFwdOp: the reference needs the parameter sinkhorn_eps");
    for (const auto& [name, tensor] :
         kernels::ReferenceInputs{{"phi", ones({8, 7})}, {"x", ones({3, 9})}, {"b", ones({7})}}) {
        kernels::ReferenceInputs bad = good;
        bad[name] = tensor;
        CHECK(pre(bad, kParams).find("phi [n*c_x, n*n + 2*n]") != std::string::npos);
    }
    const auto post = [](const kernels::ReferenceInputs& inputs) {
        return message_of<ShapeError>([&] { kernels::find_reference("MHCPostFwdOp")(inputs, {}); });
    };
    CHECK(post({{"x_layer_out", ones({3, 4})}, {"h_post", ones({3, 2})}, {"x_res", ones({3, 8})}}).empty());
    CHECK(post({{"x_layer_out", ones({3, 4})}, {"h_post", ones({2, 2})}, {"x_res", ones({3, 8})}}).find("[batch, n]") !=
          std::string::npos);
}

TEST_CASE("reference: no tokens give no elements") {
    const kernels::ReferenceOutputs outputs =
        kernels::find_reference("MHCPreFwdOp")({{"phi", ones({8, 8})}, {"x", ones({0, 8})}, {"b", ones({8})}}, kParams);
    CHECK(outputs.at("x_res").want.shape == std::vector<std::int64_t>{0, 8});
    CHECK(outputs.at("x_layer").want.shape == std::vector<std::int64_t>{0, 4});
    CHECK(outputs.at("h_post").want.values.empty());
}

TEST_CASE("reference: parameters are rounded to f32 first") {
    const kernels::ReferenceInputs inputs = {{"phi", ones({8, 8})}, {"x", ones({1, 8})}, {"b", ones({8})}};
    kernels::ReferenceParams wide = kParams;
    wide["sinkhorn_eps"] = 0.02;
    kernels::ReferenceParams narrow = kParams;
    narrow["sinkhorn_eps"] = static_cast<double>(0.02F);
    const auto& reference = kernels::find_reference("MHCPreFwdOp");
    CHECK(reference(inputs, wide).at("x_res").want.values == reference(inputs, narrow).at("x_res").want.values);
}
