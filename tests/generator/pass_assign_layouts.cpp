/// Layouts move forward to results, backward to tiles without a spread, and are narrowed where a tile
/// lacks an axis.
#include "generator/layout/layout.h"
#include "tests/generator/dsl_pipeline.h"
#include "tests/generator/dsl_toy.h"

namespace tilejit::test {
namespace {

using namespace dsl;

/// The toy's program with its layouts.
ir::Program assigned(Toy& toy, const std::function<void(RoleBuilder&)>& body, int warps = 4) {
    toy.k.role("role", {.warps = warps}, body);
    return pass::run_all(toy.p.finish(), "assign-layouts");
}

std::string layout_of(const ir::Program& program, ir::ValueId id) {
    return layout::describe(program, *value_of(program, id).layout);
}

constexpr const char* kRows = "128 threads(column:64x1@1 row:2x1@64) slots(row:2x2)";

TEST_CASE("forward: results are held as the operands that have all the axes") {
    Toy toy;
    const ir::Program program = assigned(toy, [&](RoleBuilder& r) {
        const Tile a = r.load(toy.x(toy.at, toy.column), toy.rows());
        r.store(exp(-a) + 1.0F, toy.y(toy.at, toy.column));
    });
    for (const ir::Map& map : all<ir::Map>(program)) {
        CHECK(layout_of(program, map.out) == kRows);
    }
    // The number is in every thread.
    CHECK(layout_of(program, all<ir::Constant>(program).front().out) == "128 threads() slots()");
}

TEST_CASE("backward: a tile without a spread is loaded as its use needs") {
    Toy toy;
    const ir::Program program = assigned(toy, [&](RoleBuilder& r) {
        const Tile a = r.load(toy.x(toy.at, toy.column));
        const Tile b = r.load(toy.x(toy.at, 0));
        const Tile c = r.load(toy.x(0, toy.column));
        const Tile d = r.load(toy.x(toy.at, toy.column), toy.rows());
        r.store(fma(fma(a, b, c), d, 1.0F), toy.y(toy.at, toy.column));
    });
    const auto loads = all<ir::Load>(program);
    CHECK(layout_of(program, loads[0].out) == kRows);
    CHECK(layout_of(program, loads[1].out) == "128 threads(row:2x1@64) slots(row:2x2)");
    CHECK(layout_of(program, loads[2].out) == "128 threads(column:64x1@1) slots()");
    CHECK(layout_of(program, loads[3].out) == kRows);
}

TEST_CASE("broadcast: operands that lack each other's axes") {
    Toy toy;
    const ir::Program program = assigned(toy, [&](RoleBuilder& r) {
        const Tile a = r.load(toy.x(toy.at, 0), spread({toy.row}));
        const Tile b = r.load(toy.x(0, toy.column), spread({}));
        r.store(a * b, toy.y(toy.at, toy.column));
    });
    CHECK(layout_of(program, all<ir::Map>(program).front().out) == "128 threads(row:4x1@1) slots(column:64x1)");
}

TEST_CASE("a reduction leaves what is left of its operand's layout") {
    Toy toy;
    const ir::Program program = assigned(toy, [&](RoleBuilder& r) {
        const Tile a = r.load(toy.x(toy.at, toy.column), spread({toy.row, toy.column}).lanes());
        r.store(sum(a, toy.column), toy.y(toy.at, 0));
    });
    const auto reductions = all<ir::Reduce>(program);
    CHECK(layout_of(program, reductions[0].in) == "128 threads(column:32x1@1 row:4x1@32) slots(column:2x32)");
    CHECK(layout_of(program, reductions[0].out) == "128 threads(row:4x1@32) slots()");
}

TEST_CASE("a contraction: both operands follow the one that is spread") {
    Toy toy;
    const Axis k = toy.p.axis("k", 8);
    const ir::Program program = assigned(toy, [&](RoleBuilder& r) {
        const Tile m = r.load(toy.x(toy.at, k));
        const Tile v = r.load(toy.x(8 * Index(k), toy.column), spread({toy.column}));
        const Tile start = r.load(toy.x(toy.at, toy.column));
        r.store(contract(m, v, k, start), toy.y(toy.at, toy.column));
    });
    const ir::Contract op = all<ir::Contract>(program).front();
    CHECK(layout_of(program, op.b) == "128 threads(column:64x1@1) slots(k:8x1)");
    CHECK(layout_of(program, op.a) == "128 threads() slots(k:8x1 row:4x1)");
    CHECK(layout_of(program, op.out) == "128 threads(column:64x1@1) slots(row:4x1)");
    CHECK(layout_of(program, *op.init) == layout_of(program, op.out));
}

TEST_CASE("a loop's tiles are held alike before, inside and after it") {
    Toy toy;
    const ir::Program program = assigned(toy, [&](RoleBuilder& r) {
        const auto out = r.loop("turn", 3, std::array{r.fill({toy.row, toy.column}, 0), r.fill({toy.row}, 1)},
                                [&](const Index&, const std::array<Tile, 2>& in) {
                                    const Tile a = r.load(toy.x(toy.at, toy.column), spread({toy.row}));
                                    return std::array{in[0] + a, in[1] + sum(a, toy.column)};
                                });
        r.store(out[0], toy.y(toy.at, toy.column));
    });
    const ir::For loop = all<ir::For>(program).front();
    for (std::size_t i = 0; i < 2; ++i) {
        const ir::For::Carried& carried = loop.carried[i];
        const std::string held =
            i == 0 ? "128 threads(row:4x1@1) slots(column:64x1)" : "128 threads(row:4x1@1) slots()";
        for (const ir::ValueId id : {carried.init, carried.arg, carried.next, carried.out}) {
            CHECK(layout_of(program, id) == held);
        }
    }
}

TEST_CASE("backward through a loop") {
    Toy toy;
    const ir::Program program = assigned(toy, [&](RoleBuilder& r) {
        const Tile start = r.load(toy.x(toy.at, toy.column));
        const auto out = r.loop("turn", 3, std::array{start},
                                [&](const Index&, const std::array<Tile, 1>& in) { return std::array{in[0] * 2.0F}; });
        r.store(out[0] + r.load(toy.x(toy.at, toy.column), toy.rows()), toy.y(toy.at, toy.column));
    });
    CHECK(layout_of(program, all<ir::Load>(program).front().out) == kRows);
}

TEST_CASE("tiles without axes are everywhere, a shared tile is read as it is used") {
    Toy toy;
    const Param factor = toy.p.param_f32("factor");
    const ir::Program program = assigned(toy, [&](RoleBuilder& r) {
        const Tile a = r.load(toy.x(toy.at, toy.column), toy.rows());
        const Shared s = r.share("s", a);
        r.store(r.scalar(factor) * s.read(spread({toy.column, toy.row})), toy.y(toy.at, toy.column));
        r.store(a * s.read(), toy.y(toy.at, toy.column));
    });
    CHECK(layout_of(program, all<ir::Parameter>(program).front().out) == "128 threads() slots()");
    const auto reads = all<ir::SharedLoad>(program);
    CHECK(layout_of(program, reads[0].out) == "128 threads(row:4x1@1 column:32x1@4) slots(column:2x32)");
    CHECK(layout_of(program, reads[1].out) == kRows);
}

TEST_CASE("both parts of weights, for every step, are in the registers of the thread that multiplies them") {
    ProgramBuilder p("toy", toy());
    const Axis step = p.axis("step", 3);
    const Axis chunk = p.axis("chunk", 4);
    const Axis element = p.axis("element", 8);
    const Axis half = p.axis("half", 2);
    const Axis q = p.axis("q", 16);
    const Axis token = p.axis("token", 8);
    const Tensor x = p.input("x", DType::bf16, {p.batch(), 96});
    const Tensor w = p.input("w", DType::f32, {96, 16});
    KernelBuilder k = p.kernel("k");
    const Index at = 8 * k.blocks("tile", ceil_div(p.batch(), 8)) + token;
    k.role("role", {.warps = 1}, [&](RoleBuilder& r) {
        const Index term = 8 * Index(chunk) + element;
        const Tile weights = split(r.load(w(32 * Index(step) + term, q)), half);
        r.unrolled("step", 3, std::array{r.fill({half, q, token}, 0)},
                   [&](const Index& s, const std::array<Tile, 1>& sums) {
                       const Tile tokens = r.load(x(at, 32 * s + term));
                       return std::array{mma(select(weights, step, s), tokens, chunk, element, half, sums[0])};
                   });
    });
    const ir::Program program = pass::run_all(p.finish(), "assign-layouts");
    CHECK(layout_of(program, all<ir::Load>(program).front().out) ==
          "32 threads(chunk:4x1@1 q:8x1@4) slots(element:8x1 q:2x8 step:3x1)");
    CHECK(layout_of(program, all<ir::Split>(program).front().out) ==
          "32 threads(chunk:4x1@1 q:8x1@4) slots(element:8x1 half:2x1 q:2x8 step:3x1)");
    CHECK(layout_of(program, all<ir::Select>(program).front().out) ==
          "32 threads(chunk:4x1@1 q:8x1@4) slots(element:8x1 half:2x1 q:2x8)");
}

TEST_CASE("forward through split and select") {
    Toy toy;
    const Axis half = toy.p.axis("half", 2);
    const ir::Program program = assigned(toy, [&](RoleBuilder& r) {
        const Tile parts = split(r.load(toy.x(toy.at, toy.column), toy.rows()), half);
        select(parts, half, 1);
    });
    CHECK(layout_of(program, all<ir::Split>(program).front().out) ==
          "128 threads(column:64x1@1 row:2x1@64) slots(row:2x2 half:2x1)");
    CHECK(layout_of(program, all<ir::Select>(program).front().out) == kRows);
}

TEST_CASE("only what each thread holds whole can be selected from") {
    Toy toy;
    int line = 0;
    const std::string error = toy.fault([&](RoleBuilder& r) {
        const Tile v = r.load(toy.x(toy.at, toy.column), toy.rows());
        line = __LINE__ + 1;
        select(v, toy.column, 3);
    });
    check_fault(error, line,
                "axis 'column' of f32[row, column] must be whole in each thread, but is spread over threads: " +
                    std::string(kRows));
}

TEST_CASE("a sum whose operand nothing else spreads is added up by each thread") {
    Toy toy;
    const ir::Program program = assigned(toy, [&](RoleBuilder& r) {
        const Tile total = sum(r.load(toy.x(toy.at, toy.column)), toy.column);
        r.store(total * r.load(toy.x(toy.at, 0), spread({toy.row})), toy.y(toy.at, 0));
    });
    CHECK(layout_of(program, all<ir::Load>(program).front().out) == "128 threads(row:4x1@1) slots(column:64x1)");
}

TEST_CASE("the parts of a reduce_scatter's tile are in each thread's registers, the ranks slowest") {
    Exchanging g(3);
    const ir::Program program = pass::run_all(g.finish(), "assign-layouts");
    std::vector<std::string> loads;
    for (const ir::SharedLoad& load : all<ir::SharedLoad>(program)) {
        loads.push_back(layout_of(program, load.out));
    }
    REQUIRE(loads.size() == 4);
    CHECK(loads[1] == "32 threads(row:8x1@1) slots(partial_rank:4x1)");
}

TEST_CASE("layouts know where the role's threads are in the block") {
    const ir::Program program = pass::run_all(Exchanging(4).finish(2), "assign-layouts");
    const auto loads = all<ir::SharedLoad>(program);
    const tj::Layout sum = *value_of(program, loads[0].out).layout;
    CHECK(sum.first == 32);
    CHECK(sum.copies == 2);
    const tj::Layout own = *value_of(program, loads[1].out).layout;
    CHECK(own.first == 32 + 2 * 64);
    CHECK(own.copies == 1);
}

}  // namespace
}  // namespace tilejit::test
