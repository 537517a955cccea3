/// Tensor-core products on the CPU, against the sums written out.
#include <cmath>

#include "tests/generator/dsl_products.h"

namespace tilejit::test {
namespace {

using namespace dsl;

/// Of the terms of one stream in the order of the plan: chunks outside, elements inside.
struct Sums {
    float hi;
    float lo;
    double exact;
};

Sums product(const HostTensor& w, const HostTensor& t, std::int64_t stream, std::int64_t q, std::int64_t token,
             float start) {
    Sums sums{start, start, 2.0 * start};
    for (std::int64_t term = 32 * stream; term < 32 * stream + 32; ++term) {
        const float weight = w.get(term, q);
        const float hi = interpret::round_to_bf16(weight);
        const float lo = interpret::round_to_bf16(weight - hi);
        sums.hi += hi * t.get(token, term);
        sums.lo += lo * t.get(token, term);
        sums.exact += static_cast<double>(weight) * static_cast<double>(t.get(token, term));
    }
    return sums;
}

TEST_CASE("mma: hi and lo of the weights, each summed in the order of the plan, from the accumulator") {
    constexpr std::int64_t kBatch = 29;
    Products g;
    const ir::Program program = pass::run_all(g.finish(
        [&](RoleBuilder& r) {
            const Tile acc = r.fill({g.stream, g.half, g.q, g.token}, 0.25F);
            const Tile out =
                mma(split(r.load(g.weights()), g.half), r.load(g.tokens()), g.chunk, g.element, g.half, acc);
            r.store(out, g.y(g.at, g.stream, g.half, g.q));
        },
        2));
    HostTensors tensors;
    tensors.emplace("w", HostTensor(DType::f32, 64, 16));
    tensors.emplace("t", HostTensor(DType::bf16, kBatch, 64));
    tensors.emplace("y", HostTensor(DType::f32, kBatch, 64));
    for (std::int64_t i = 0; i < 64 * 16; ++i) {
        tensors.at("w").set(i / 16, i % 16, noise(1, static_cast<std::uint64_t>(i)));
    }
    for (std::int64_t i = 0; i < 64 * kBatch; ++i) {
        tensors.at("t").set(i / 64, i % 64, noise(2, static_cast<std::uint64_t>(i)));
    }
    run_on_host(program, tensors, kBatch);
    const HostTensor& y = tensors.at("y");
    double worst = 0;
    double worst_without_lo = 0;
    for (std::int64_t token = 0; token < kBatch; ++token) {
        for (std::int64_t stream = 0; stream < 2; ++stream) {
            for (std::int64_t q = 0; q < 16; ++q) {
                const Sums want = product(tensors.at("w"), tensors.at("t"), stream, q, token, 0.25F);
                const float hi = y.get(token, 32 * stream + q);
                const float lo = y.get(token, 32 * stream + 16 + q);
                REQUIRE(hi == want.hi);
                REQUIRE(lo == want.lo);
                worst = std::max(worst, std::fabs(static_cast<double>(hi) + lo - want.exact));
                worst_without_lo = std::max(worst_without_lo, std::fabs(static_cast<double>(hi) + 0.25 - want.exact));
            }
        }
    }
    // The two together are nearly exact; hi alone is not.
    CHECK(worst < 5e-5);
    CHECK(worst_without_lo > 1e-3);
    CHECK(y.guards_intact());
    CHECK(y.poisoned() == 0);
}

}  // namespace
}  // namespace tilejit::test
