/// What the passes have against a program, each with its whole message: layouts that do not meet,
/// shared memory that is not there.
#include "tests/generator/dsl_toy.h"

namespace tilejit::test {
namespace {

using namespace dsl;

// The 128 threads of a toy role over 4 rows and 64 columns.
constexpr const char* kRowsColumns = "128 threads(column:64x1@1 row:2x1@64) slots(row:2x2)";
constexpr const char* kColumnsRows = "128 threads(row:4x1@1 column:32x1@4) slots(column:2x32)";

TEST_CASE("a tile that nothing spreads") {
    Toy toy;
    int line = 0;
    check_fault(toy.fault([&](RoleBuilder& r) {
        line = __LINE__ + 1;
        const Tile tile = r.load(toy.x(toy.at, toy.column));
        r.store(tile, toy.y(toy.at, toy.column));
    }),
                line,
                "nothing says how the tile f32[row, column] is spread over threads; give a spread where it is "
                "loaded or read");
}

TEST_CASE("operands that are held differently: both layouts are shown") {
    Toy toy;
    int line = 0;
    check_fault(toy.fault([&](RoleBuilder& r) {
        const Tile a = r.load(toy.x(toy.at, toy.column), spread({toy.row, toy.column}));
        const Tile b = r.load(toy.x(toy.at, toy.column), spread({toy.column, toy.row}));
        line = __LINE__ + 1;
        r.store(a + b, toy.y(toy.at, toy.column));
    }),
                line,
                fmt::format("operand f32[row, column] is held as\n  {}\nand needed as\n  {}\nSpread it so where "
                            "it is loaded, or pass it through share() and read().",
                            kColumnsRows, kRowsColumns));
}

TEST_CASE("shared memory brings a tile into another layout") {
    Toy toy;
    CHECK(toy.fault([&](RoleBuilder& r) {
        const Tile a = r.load(toy.x(toy.at, toy.column), spread({toy.row, toy.column}));
        const Shared b = r.share("b", r.load(toy.x(toy.at, toy.column), spread({toy.column, toy.row})));
        r.store(a + b.read(), toy.y(toy.at, toy.column));
    }) == "");
}

TEST_CASE("a reduction across more threads than a warp has lanes") {
    Toy toy;
    int line = 0;
    check_fault(toy.fault([&](RoleBuilder& r) {
        const Tile a = r.load(toy.x(toy.at, toy.column), spread({toy.row, toy.column}));
        line = __LINE__ + 1;
        r.store(sum(a, toy.column), toy.y(toy.at, 0));
    }),
                line,
                fmt::format("cannot reduce axis 'column' of f32[row, column] across these threads: {}\nUse a "
                            "power of two of lanes of one warp (spread(..).lanes()), or pass it through "
                            "share() and read().",
                            kRowsColumns));
    Toy lanes;
    CHECK(lanes.fault([&](RoleBuilder& r) {
        const Tile a = r.load(lanes.x(lanes.at, lanes.column), spread({lanes.row, lanes.column}).lanes());
        r.store(sum(a, lanes.column), lanes.y(lanes.at, 0));
    }) == "");
}

TEST_CASE("a reduction in an order that registers do not have") {
    Toy toy;
    int line = 0;
    check_fault(toy.fault([&](RoleBuilder& r) {
        const Tile a = r.load(toy.x(toy.at, toy.column), spread({}));
        line = __LINE__ + 1;
        sum(a, {toy.column, toy.row});
    }),
                line,
                "cannot reduce f32[row, column] in the order given: the registers hold it as 128 threads() "
                "slots(column:64x1 row:4x1)");
    Toy other;
    CHECK(other.fault([&](RoleBuilder& r) {
        const Tile a = r.load(other.x(other.at, other.column), spread({}));
        sum(a, {other.row, other.column});
    }) == "");
}

TEST_CASE("a reduction whose result is wanted elsewhere") {
    Toy toy;
    const Param turns = toy.p.param_i32("turns");
    int line = 0;
    check_fault(toy.fault([&](RoleBuilder& r) {
        const Tile start = r.load(toy.x(toy.at, 0), spread({toy.row}));
        r.loop("turn", turns, start, [&](const Tile&) {
            const Tile a = r.load(toy.x(toy.at, toy.column), spread({toy.row, toy.column}).lanes());
            line = __LINE__ + 1;
            return sum(a, toy.column);
        });
    }),
                line,
                "the result of the reduction f32[row] is held as\n  128 threads(row:4x1@32) slots()\nand needed "
                "as\n  128 threads(row:4x1@1) slots()");
}

TEST_CASE("a contraction over an axis that threads share, and one that starts elsewhere") {
    Toy toy;
    int line = 0;
    check_fault(toy.fault([&](RoleBuilder& r) {
        const Tile a = r.load(toy.x(toy.at, toy.column), spread({toy.row, toy.column}));
        line = __LINE__ + 1;
        r.store(contract(a, a, toy.column), toy.y(toy.at, 0));
    }),
                line,
                fmt::format("operand f32[row, column] is held as\n  {}\nand needed as\n  128 "
                            "threads(row:2x1@64) slots(row:2x2 column:64x1)\nSpread it so where it is loaded, "
                            "or pass it through share() and read().",
                            kRowsColumns));
    Toy start;
    check_fault(start.fault([&](RoleBuilder& r) {
        const Tile a = r.load(start.x(start.at, start.column), spread({start.row}));
        const Tile from = r.load(start.x(start.at, 0), spread({}));
        line = __LINE__ + 1;
        r.store(contract(a, a, start.column, from), start.y(start.at, 0));
    }),
                line,
                "start value f32[row] is held as\n  128 threads() slots(row:4x1)\nand needed as\n  128 "
                "threads(row:4x1@1) slots()\nSpread it so where it is loaded, or pass it through share() and "
                "read().");
}

TEST_CASE("operands that deal different axes to the same threads") {
    Toy toy;
    int line = 0;
    check_fault(toy.fault([&](RoleBuilder& r) {
        const Tile a = r.load(toy.x(toy.at, 0), spread({toy.row}));
        const Tile b = r.load(toy.x(0, toy.column), spread({toy.column}));
        line = __LINE__ + 1;
        r.store(a * b, toy.y(toy.at, toy.column));
    }),
                line,
                "the operands of the tile f32[row, column] deal different axes to the same threads: 128 "
                "threads(row:4x1@1 column:64x1@1) slots()\nSpread one of them over both axes' threads, or "
                "leave its spread out.");
}

TEST_CASE("a loop that carries a tile in two layouts") {
    Toy toy;
    const Param turns = toy.p.param_i32("turns");
    int line = 0;
    check_fault(toy.fault([&](RoleBuilder& r) {
        const Tile start = r.load(toy.x(toy.at, toy.column), spread({toy.row, toy.column}));
        const auto body = [&](const Tile&) { return r.load(toy.x(toy.at, toy.column), spread({toy.column, toy.row})); };
        line = __LINE__ + 1;
        r.loop("turn", turns, start, body);
    }),
                line,
                fmt::format("the carried tile f32[row, column] is held as\n  {}\nand as\n  {}", kRowsColumns,
                            kColumnsRows));
}

TEST_CASE("shared memory: the bill when it does not fit") {
    int line = 0;
    const auto fault = [&](const std::string& arch, std::int64_t columns) {
        ProgramBuilder p("toy", toy(arch));
        const Axis row = p.axis("row", 4);
        const Axis wide = p.axis("wide", columns);
        line = __LINE__ + 1;
        KernelBuilder k = p.kernel("k");
        k.blocks("tile", 1);
        k.role("role", {.warps = 4}, [&](RoleBuilder& r) {
            const Tile a = r.load(p.input("x", DType::f32, {4, columns})(row, wide), spread({wide}));
            r.share("numbers", a).read(spread({wide}));
            r.share("halves", to_bf16(a)).read(spread({wide}));
        });
        return generate_error([&] { pass::run_all(p.finish()); });
    };
    // 4 rows of 4-byte and of 2-byte numbers; sm_80 has 163 KiB, sm_86 99 KiB.
    CHECK(fault("sm_80", 6900) == "");
    check_fault(fault("sm_80", 7000), line,
                "kernel 'toy_k' needs 168000 bytes of shared memory (numbers 112000, halves 56000), sm_80 has "
                "166912 a block; make its tiles smaller");
    check_fault(fault("sm_86", 6900), line,
                "kernel 'toy_k' needs 165600 bytes of shared memory (numbers 110400, halves 55200), sm_86 has "
                "101376 a block; make its tiles smaller");
}

TEST_CASE("a pass that there is not") {
    Toy toy;
    toy.k.role("role", {.warps = 1}, [](RoleBuilder&) {});
    const ir::Program program = toy.p.finish();
    CHECK(
        generate_error([&] { pass::run_all(program, "inline"); }) ==
        "unknown pass 'inline'; the passes are lower-collectives, lower-rings, insert-dependency-waits, choose-atoms, "
        "assign-layouts, vectorise, insert-barriers, plan-shared");
    for (const std::string& name : pass::names()) {
        CHECK(generate_error([&] { pass::run_all(program, name); }) == "");
    }
}

}  // namespace
}  // namespace tilejit::test
