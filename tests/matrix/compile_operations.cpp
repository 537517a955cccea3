/// NVRTC compiles each operation of the DSL in the forms that the mHC kernels do not use.
#include <limits>

#include "generator/emit/emit.h"
#include "runtime/compile/compile.h"
#include "tests/generator/dsl_products.h"
#include "tests/generator/dsl_toy.h"

namespace tilejit::test {
namespace {

using namespace dsl;

void check_compiles(const ir::Program& lowered) {
    static const NvrtcApi api = load_nvrtc();
    const std::string text = emit::cuda_text(lowered);
    INFO(text);
    const Cubin cubin = compile(api, text, lowered.arch);
    REQUIRE(cubin.kernels.size() == lowered.kernels.size());
    for (const KernelResources& kernel : cubin.kernels) {
        CHECK(kernel.spill_store_bytes == 0);
        CHECK(kernel.stack_bytes == 0);
    }
}

void check_role(Toy& toy, const std::function<void(RoleBuilder&)>& body) {
    toy.k.role("role", {.warps = 4}, body);
    check_compiles(pass::run_all(toy.p.finish()));
}

TEST_CASE("element-wise functions of tiles, of numbers and of both") {
    Toy toy;
    const Param a = toy.p.param_f32("a");
    check_role(toy, [&](RoleBuilder& r) {
        const Tile v = r.load(toy.x(toy.at, toy.column), toy.rows());
        const Tile n = r.scalar(a);
        Tile sum = v + n;
        for (const Tile& next : {-v, exp(v), sqrt(v), sigmoid(v), min(v, n), max(0.5F, v), fma(v, n, v), v / 3.0F,
                                 v - n, -n, exp(n), sqrt(n), sigmoid(n), min(n, n), fma(n, 2.0F, n), to_f32(to_bf16(v)),
                                 to_f32(to_bf16(n)), v * std::numeric_limits<float>::infinity()}) {
            sum = sum + next;
        }
        r.store(sum, toy.y(toy.at, toy.column));
    });
}

TEST_CASE("numbers where tiles are wanted: stored, shared, reduced, contracted, carried") {
    Toy toy;
    const Param a = toy.p.param_f32("a");
    const Param turns = toy.p.param_i32("turns");
    check_role(toy, [&](RoleBuilder& r) {
        const Tile v = r.load(toy.x(toy.at, toy.column), spread({toy.row}));
        r.store(r.scalar(a), toy.y(0, 0));
        const Tile ones = r.fill({toy.row, toy.column}, 1);
        r.store(contract(v, ones, toy.column, r.fill({toy.row}, 2)), toy.y(toy.at, 1));
        r.store(sum(ones, toy.column), toy.y(toy.at, 2));
        const Tile shared = r.share("ones", ones).read(spread({toy.row}));
        const Tile looped =
            r.loop("turn", turns, r.fill({toy.row}, 0), [&](const Tile& in) { return in + sum(shared, toy.column); });
        r.store(looped, toy.y(toy.at, 3));
        const Tile always = r.loop("again", turns, looped, [&](const Tile&) { return r.fill({toy.row}, 7); });
        r.store(always, toy.y(toy.at, 4));
    });
}

TEST_CASE("a row softmax across lanes, through shared memory of both types") {
    Toy toy;
    check_role(toy, [&](RoleBuilder& r) {
        const Spread lanes = spread({toy.row, toy.column}).lanes();
        const Shared numbers = r.share("numbers", r.load(toy.x(toy.at, toy.column), spread({toy.column, toy.row})));
        const Shared halves = r.share("halves", r.load(toy.h(toy.at, toy.column), spread({toy.column, toy.row})));
        const Tile v = numbers.read(lanes) + to_f32(halves.read(lanes));
        const Tile e = exp(v - largest(v, toy.column));
        r.store(e / sum(e, toy.column), toy.y(toy.at, toy.column));
    });
}

TEST_CASE("the most dimensions, axes and reduced axes that the device tables hold") {
    ProgramBuilder p("most", toy());
    const Axis token = p.axis("token", 3);
    const Axis i = p.axis("i", 2);
    const Axis j = p.axis("j", 3);
    const Axis k = p.axis("k", 5);
    const Axis l = p.axis("l", 7);
    const Tensor x = p.input("x", DType::f32, {p.batch(), 2 * 3 * 5 * 7});
    const Tensor split = x.split(1, {2, 3, 5, 7});
    const Tensor y = p.output("y", DType::f32, {p.batch(), 2});
    KernelBuilder kernel = p.kernel("k");
    const Index at = 3 * kernel.blocks("tile", ceil_div(p.batch(), 3)) + token;
    kernel.role("role", {.warps = 1}, [&](RoleBuilder& r) {
        const Tile five = r.load(split(at, i, j, k, l), spread({token}));
        r.store(sum(five, {i, j, k, l}), y(at, 0));
        const Index flat = 105 * Index(i) + 35 * Index(j) + 7 * Index(k) + l;
        r.store(sum(r.load(x(at, flat), spread({token})), {i, j, k, l}), y(at, 1));
    });
    check_compiles(pass::run_all(p.finish()));
}

TEST_CASE("products with several tiles of both sides") {
    for (const char* arch : {"sm_80", "sm_90a", "sm_120a"}) {
        Products g(toy(arch));
        check_compiles(pass::run_all(g.finish(
            [&](RoleBuilder& r) {
                const Tile weights = split(r.load(g.weights()), g.half);
                const Tile tokens = r.load(g.tokens());
                const Tile acc = r.fill({g.stream, g.half, g.q, g.token}, 0);
                r.store(mma(weights, tokens, g.chunk, g.element, g.half, acc), g.y(g.at, g.stream, g.half, g.q));
            },
            3)));
    }
}

}  // namespace
}  // namespace tilejit::test
