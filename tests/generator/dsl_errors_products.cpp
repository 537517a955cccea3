/// Misuse of tensor-core products, each with its whole message.
#include "tests/generator/dsl_products.h"

namespace tilejit::test {
namespace {

using namespace dsl;

TEST_CASE("mma: types and extents") {
    Products g;
    int line = 0;
    check_fault(g.fault([&](RoleBuilder& r) {
        const Tile acc = r.fill({g.stream, g.half, g.q, g.token}, 0);
        line = __LINE__ + 1;
        mma(r.load(g.tokens()), r.load(g.tokens()), g.chunk, g.q, g.token, acc);
    }),
                line,
                "mma expects weights split along the axis of parts, bf16 tokens, and axes of 4 chunks, 8 elements and "
                "2 parts; came bf16[token, stream, chunk, element], bf16[token, stream, chunk, element], 4, 16 and 24");
    Products types;
    check_fault(types.fault([&](RoleBuilder& r) {
        const Tile acc = r.fill({types.stream, types.half, types.q, types.token}, 0);
        line = __LINE__ + 1;
        mma(split(r.load(types.weights()), types.half), to_f32(r.load(types.tokens())), types.chunk, types.element,
            types.half, acc);
    }),
                line,
                "mma expects weights split along the axis of parts, bf16 tokens, and axes of 4 chunks, 8 elements and "
                "2 parts; came bf16[stream, chunk, element, q, half], f32[token, stream, chunk, element], 4, 8 and 2");
}

TEST_CASE("mma: the operands' axes") {
    int line = 0;
    const auto fault = [&](const std::function<std::array<View, 2>(const Products&, Axis)>& operands,
                           const std::function<Tile(const Products&, RoleBuilder&)>& start) {
        Products g;
        const Axis other = g.p.axis("other", 4);
        return g.fault([&](RoleBuilder& r) {
            const auto [w, t] = operands(g, other);
            const Tile acc = start(g, r);
            line = __LINE__ + 1;
            mma(split(r.load(w), g.half), r.load(t), g.chunk, g.element, g.half, acc);
        });
    };
    const auto right = [](const Products& g, RoleBuilder& r) { return r.fill({g.stream, g.half, g.q, g.token}, 0); };
    CHECK(fault([](const Products& g, Axis) { return std::array{g.weights(), g.tokens()}; }, right) == "");
    check_fault(fault(
                    [](const Products& g, Axis) {
                        return std::array{g.w(Index(g.element), g.q), g.tokens()};
                    },
                    right),
                line, "mma: both operands need the chunk and the element axis");
    check_fault(fault(
                    [](const Products& g, Axis) {
                        return std::array{g.w(8 * Index(g.chunk) + g.element, g.q), g.t(0, 0 + g.term)};
                    },
                    right),
                line, "mma: tokens need an axis of their own whose extent is a multiple of 8");
    check_fault(fault(
                    [](const Products& g, Axis) {
                        return std::array{g.w(g.term, 0), g.tokens()};
                    },
                    right),
                line, "mma: weights need an axis of their own whose extent is a multiple of 8");
    check_fault(fault(
                    [](const Products& g, Axis other) {
                        return std::array{g.w(g.term, other), g.tokens()};
                    },
                    right),
                line, "mma: weights need an axis of their own whose extent is a multiple of 8");
    check_fault(fault(
                    [](const Products& g, Axis other) {
                        return std::array{g.w(g.term, 4 * Index(g.q) + other), g.tokens()};
                    },
                    right),
                line,
                "mma: weights may have one axis of their own, came bf16[stream, chunk, element, q, other, half] and "
                "bf16[token, stream, chunk, element]");
    check_fault(fault(
                    [](const Products& g, Axis) {
                        return std::array{g.weights(), g.tokens()};
                    },
                    [](const Products& g, RoleBuilder& r) {
                        return r.fill({g.half, g.q, g.token}, 0);
                    }),
                line, "mma: the accumulator f32[half, q, token] does not have the axes of the product");
}

TEST_CASE("mma: a warp for each product side by side") {
    int line = 0;
    const auto fault = [&](int warps) {
        Products g;
        return g.fault(
            [&](RoleBuilder& r) {
                const Tile acc = r.fill({g.stream, g.half, g.q, g.token}, 0);
                line = __LINE__ + 1;
                mma(split(r.load(g.weights()), g.half), r.load(g.tokens()), g.chunk, g.element, g.half, acc);
            },
            warps);
    };
    check_fault(fault(1), line,
                "mma takes one warp for each of 2 products side by side, the role has 1 warps; "
                "give it more or loop over fewer at a time");
    CHECK(fault(2) == "");
    CHECK(fault(3) == "");
}

TEST_CASE("mma: operands are held as the instruction wants them") {
    Products g;
    int line = 0;
    check_fault(g.fault([&](RoleBuilder& r) {
        const Tile acc = r.fill({g.stream, g.half, g.q, g.token}, 0);
        const Tile weights = r.load(g.weights(), spread({g.stream, g.q}));
        line = __LINE__ + 1;
        mma(split(weights, g.half), r.load(g.tokens()), g.chunk, g.element, g.half, acc);
    }),
                line,
                "operand f32[stream, chunk, element, q] is held as\n"
                "  64 threads(q:16x1@1 stream:2x1@16) slots(element:8x1 chunk:4x1)\n"
                "and needed as\n"
                "  64 threads(stream:2x1@32 chunk:4x1@1 q:8x1@4) slots(element:8x1 q:2x8)\n"
                "Spread it so where it is loaded, or pass it through share() and read().");
}

}  // namespace
}  // namespace tilejit::test
