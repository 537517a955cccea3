/// The small functions that plan layouts, each on cases worked out by hand.
#include "generator/layout/layout.h"
#include "tests/generator/program_support.h"

namespace tilejit::test {
namespace {

using layout::ascending;
using layout::from_spread;
using layout::merged;
using layout::restricted;
using layout::serves;
using layout::with_axis;

constexpr int kRow = 0;
constexpr int kColumn = 1;
constexpr int kPart = 2;

/// Axes row (4), column (24), part (2).
ir::Program axes_program() {
    ir::Program program;
    program.axes = {{"row", 4}, {"column", 24}, {"part", 2}};
    return program;
}

std::string text(const tj::Layout& layout) { return layout::describe(axes_program(), layout); }

tj::Layout spread_of(const std::vector<ir::AxisId>& axes, const ir::Spread& spread, int threads) {
    return from_spread(axes_program(), axes, spread, threads);
}

TEST_CASE("a spread deals the last axis fastest and keeps the rest in slots") {
    CHECK(text(spread_of({kRow, kColumn, kPart}, {{kRow, kColumn}, -1, 1, false}, 128)) ==
          "128 threads(column:24x1@1 row:4x1@24) slots(part:2x1)");
    CHECK(text(spread_of({kRow, kColumn}, {{kRow, kColumn}, kColumn, 8, false}, 32)) ==
          "32 threads(column:3x8@1 row:4x1@3) slots(column:8x1)");
}

TEST_CASE("an axis with more elements than threads are left goes on in slots") {
    CHECK(text(spread_of({kColumn, kRow}, {{kColumn, kRow}, -1, 1, false}, 32)) ==
          "32 threads(row:4x1@1 column:8x1@4) slots(column:3x8)");
    // 5 does not divide 24: the last slot is padding.
    const tj::Layout padded = spread_of({kColumn, kRow}, {{kColumn, kRow}, kColumn, 1, false}, 20);
    CHECK(text(padded) == "20 threads(row:4x1@1 column:5x1@4) slots(column:5x5)");
    CHECK(padded.covered(kColumn) == 25);
    CHECK(padded.covered(kPart) == 1);
}

TEST_CASE("lanes() covers the last axis with a power of two, of at most a warp") {
    CHECK(text(spread_of({kRow, kColumn}, {{kRow, kColumn}, -1, 1, true}, 128)) ==
          "128 threads(column:32x1@1 row:4x1@32) slots()");
    CHECK(text(spread_of({kRow, kColumn}, {{kColumn}, kColumn, 8, true}, 64)) ==
          "64 threads(column:4x8@1) slots(column:8x1 row:4x1)");
    ir::Program wide;
    wide.axes = {{"column", 100}};
    CHECK(layout::describe(wide, from_spread(wide, {0}, {{0}, -1, 1, true}, 64)) ==
          "64 threads(column:32x1@1) slots(column:4x32)");
}

TEST_CASE("everywhere: each thread holds all") {
    const tj::Layout all = layout::everywhere(axes_program(), {kRow, kPart}, 64);
    CHECK(text(all) == "64 threads() slots(part:2x1 row:4x1)");
    CHECK(all.owner(0));
    CHECK_FALSE(all.owner(1));
    CHECK_FALSE(all.owner(63));
    CHECK(all.replicated());
}

TEST_CASE("threads that no piece tells apart hold copies, the first owns") {
    const tj::Layout layout{64, 2, {{kRow, 4, 1, 1}, {kPart, 2, 1, 8}}, 0, {}};
    std::vector<int> owners;
    for (int thread = 0; thread < 64; ++thread) {
        if (layout.owner(thread)) {
            owners.push_back(thread);
        }
    }
    CHECK(owners == std::vector<int>{0, 1, 2, 3, 8, 9, 10, 11});
}

TEST_CASE("matching_slot finds the same coordinates whatever the order of the slots") {
    const tj::Layout outer{32, 0, {}, 3, {{kColumn, 2, 1, 1}, {kRow, 3, 1, 2}, {kColumn, 4, 2, 6}}};
    const tj::Layout inner{32, 0, {}, 2, {{kColumn, 4, 2, 1}, {kColumn, 2, 1, 4}}};
    for (int slot = 0; slot < outer.slots(); ++slot) {
        INFO(slot);
        CHECK(inner.slot_coord(kColumn, matching_slot(outer, inner, slot)) == outer.slot_coord(kColumn, slot));
    }
    CHECK(matching_slot(outer, inner, 0) == 0);
    CHECK(matching_slot(outer, inner, 1) == 4);
    CHECK(matching_slot(outer, inner, 2) == 0);
    CHECK(matching_slot(outer, inner, 23) == 7);
}

TEST_CASE("restricted keeps the pieces of the axes and closes up the slots") {
    const tj::Layout whole = spread_of({kRow, kColumn, kPart}, {{kRow, kColumn}, kColumn, 8, false}, 32);
    REQUIRE(text(whole) == "32 threads(column:3x8@1 row:4x1@3) slots(column:8x1 part:2x1)");
    CHECK(text(restricted(whole, {kRow, kPart})) == "32 threads(row:4x1@3) slots(part:2x1)");
    CHECK(restricted(whole, {kRow, kPart}).slot[0].stride == 1);
    CHECK(restricted(whole, {kPart, kColumn, kRow}) == whole);
    CHECK(text(restricted(whole, {})) == "32 threads() slots()");
}

TEST_CASE("with_axis adds an axis to the slots, slowest; an axis of 1 needs none") {
    const tj::Layout before = spread_of({kColumn}, {{kColumn}, kColumn, 8, false}, 32);
    const tj::Layout after = with_axis(before, kPart, 2);
    CHECK(text(after) == "32 threads(column:3x8@1) slots(column:8x1 part:2x1)");
    CHECK(after.slot[1].stride == 8);
    CHECK(with_axis(before, kPart, 1) == before);
}

TEST_CASE("merged takes the axes of the second that the first lacks") {
    const tj::Layout first = spread_of({kRow}, {{kRow}, -1, 1, false}, 32);
    const tj::Layout second{32, 2, {{kColumn, 8, 1, 4}, {kRow, 2, 1, 1}}, 2, {{kColumn, 3, 8, 1}, {kPart, 2, 1, 3}}};
    CHECK(text(merged(first, second)) == "32 threads(row:4x1@1 column:8x1@4) slots(column:3x8 part:2x1)");
    CHECK(text(merged(second, first)) == text(second));
}

TEST_CASE("serves: the same threads, the same pieces on the operand's axes, slots in any order") {
    const tj::Layout outer = spread_of({kRow, kColumn, kPart}, {{kRow, kColumn}, kColumn, 8, false}, 32);
    CHECK(serves(outer, outer, {kRow, kColumn, kPart}));
    CHECK(serves(outer, restricted(outer, {kRow, kPart}), {kRow, kPart}));
    const tj::Layout reordered{32, 2, {{kRow, 4, 1, 3}, {kColumn, 3, 8, 1}}, 2, {{kPart, 2, 1, 1}, {kColumn, 8, 1, 2}}};
    CHECK(serves(outer, reordered, {kRow, kColumn, kPart}));
    CHECK(serves(reordered, outer, {kRow, kColumn, kPart}));

    tj::Layout other = outer;
    other.threads = 64;
    CHECK_FALSE(serves(outer, other, {kRow, kColumn, kPart}));
    other = outer;
    other.thread[1].stride = 4;
    CHECK_FALSE(serves(outer, other, {kRow, kColumn, kPart}));
    CHECK(serves(outer, other, {kColumn, kPart}));
    other = outer;
    other.slot[0].extent = 4;
    CHECK_FALSE(serves(outer, other, {kRow, kColumn, kPart}));
    CHECK_FALSE(serves(outer, layout::everywhere(axes_program(), {kRow}, 32), {kRow}));
}

TEST_CASE("ascending: slots visit the axes in order, the first axis slowest") {
    const tj::Layout row_slowest{32, 0, {}, 2, {{kColumn, 24, 1, 1}, {kRow, 4, 1, 24}}};
    CHECK(ascending(row_slowest, {kRow, kColumn}));
    CHECK_FALSE(ascending(row_slowest, {kColumn, kRow}));
    CHECK(ascending(row_slowest, {kRow}));
    CHECK(ascending(row_slowest, {kColumn}));
    const tj::Layout split{32, 0, {}, 3, {{kColumn, 8, 1, 1}, {kRow, 4, 1, 8}, {kColumn, 3, 8, 32}}};
    CHECK(ascending(split, {kColumn}));
    CHECK_FALSE(ascending(split, {kRow, kColumn}));
    CHECK_FALSE(ascending(split, {kColumn, kRow}));
    const tj::Layout descending{32, 0, {}, 2, {{kColumn, 3, 8, 1}, {kColumn, 8, 1, 3}}};
    CHECK_FALSE(ascending(descending, {kColumn}));
    CHECK(ascending(descending, {kRow}));
}

}  // namespace
}  // namespace tilejit::test
