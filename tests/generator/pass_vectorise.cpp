/// The width of each access to global memory, and what it checks, on cases worked out by hand. The sweep
/// in pass_vectorise_sweep.cpp proves the same of the kernels' programs.
#include "tests/generator/program_support.h"

namespace tilejit::test {
namespace {

using namespace dsl;

struct Wanted {
    int vector = 1;
    std::vector<bool> checked{true, false};
    std::vector<std::string> padded{};
};

/// A load of `tokens` by `columns` of a [batch, width] tensor, `elements` columns a thread.
struct Rows {
    DType dtype = DType::bf16;
    std::int64_t width = 1280;
    std::int64_t tokens = 4;
    std::int64_t columns = 256;
    int elements = 8;
    std::int64_t shift = 0;  ///< added to the column
    Access access = Access::aligned;
    BatchRange batch{};
    int warps = 4;
};

void check(const Rows& rows, const Wanted& wanted) {
    const Specialization spec = toy("sm_80", rows.access, rows.batch);
    ProgramBuilder p("toy", spec);
    const Axis token = p.axis("token", rows.tokens);
    const Axis column = p.axis("column", rows.columns);
    const Tensor x = p.input("x", rows.dtype, {p.batch(), rows.width});
    KernelBuilder k = p.kernel("k");
    const Index at = rows.tokens * k.blocks("tile", ceil_div(p.batch(), rows.tokens)) + token;
    const Index col = rows.columns * k.blocks("columns", ceil_div(Size(rows.width), rows.columns)) + column;
    k.role("role", {.warps = rows.warps}, [&](RoleBuilder& r) {
        r.load(x(at, rows.shift + col), spread({token, column}).vector(column, rows.elements));
    });
    const ir::Program program = pass::run_all(p.finish());
    const ir::Access access = all<ir::Load>(program).front().access;
    CHECK(access.vector == wanted.vector);
    CHECK(access.checked == wanted.checked);
    std::vector<std::string> padded;
    for (const ir::AxisId axis : access.padded) {
        padded.push_back(program.axes[static_cast<std::size_t>(axis)].name);
    }
    CHECK(padded == wanted.padded);
}

TEST_CASE("16 bytes an instruction where all is aligned") {
    check({}, {.vector = 8});
    check({.dtype = DType::f32}, {.vector = 4});
    check({.elements = 4}, {.vector = 4});
    check({.elements = 16}, {.vector = 8});
    check({.elements = 1}, {.vector = 1});
}

TEST_CASE("addresses aligned to the element only are accessed element by element") {
    check({.access = Access::element}, {.vector = 1});
    check({.dtype = DType::f32, .access = Access::element}, {.vector = 1});
}

TEST_CASE("edges: a vector lies inside the tensor as a whole or not at all") {
    // Columns that blocks do not fill are checked, by whole vectors where the width is a multiple.
    check({.width = 1288}, {.vector = 8, .checked = {true, true}});
    check({.width = 1284}, {.vector = 4, .checked = {true, true}});
    check({.width = 1282}, {.vector = 2, .checked = {true, true}});
    check({.width = 33}, {.vector = 1, .checked = {true, true}});
    check({.width = 1, .columns = 8, .warps = 1}, {.vector = 1, .checked = {true, true}});
}

TEST_CASE("a shifted origin narrows the vector") {
    check({.width = 2048, .shift = 8}, {.vector = 8, .checked = {true, true}});
    check({.width = 2048, .shift = 4}, {.vector = 4, .checked = {true, true}});
    check({.width = 2048, .shift = 1}, {.vector = 1, .checked = {true, true}});
}

TEST_CASE("a layout that covers more than its axis leaves the padding out") {
    // 20 columns are 3 vectors of 8: the last is half padding.
    check({.width = 40, .columns = 20}, {.vector = 4, .checked = {true, true}, .padded = {"column"}});
    // 96 threads deal 3 tokens of 32 columns at a time: of the second time's, one is padding.
    check({.width = 32, .tokens = 5, .columns = 32, .elements = 1, .warps = 3},
          {.vector = 1, .checked = {true, false}, .padded = {"token"}});
}

TEST_CASE("a batch that is baked in is checked only where blocks do not fill it") {
    check({.batch = {8, 8}}, {.vector = 8, .checked = {false, false}});
    check({.batch = {7, 7}}, {.vector = 8, .checked = {true, false}});
    check({.width = 1288, .batch = {8, 8}}, {.vector = 8, .checked = {false, true}});
}

TEST_CASE("an open dimension ends anywhere: its elements are accessed one by one") {
    ProgramBuilder p("toy", toy());
    const Axis token = p.axis("token", 128);
    const Tensor scale = p.input("scale", DType::f32, {p.batch()});
    KernelBuilder k = p.kernel("k");
    const Index at = 128 * k.blocks("tile", ceil_div(p.batch(), 128)) + token;
    k.role("role", {.warps = 1}, [&](RoleBuilder& r) { r.load(scale(at), spread({token}).vector(token, 4)); });
    const ir::Access access = all<ir::Load>(pass::run_all(p.finish())).front().access;
    CHECK(access.vector == 1);
    CHECK(access.checked == std::vector<bool>{true});
}

TEST_CASE("only neighbours in memory make a vector") {
    ProgramBuilder p("toy", toy());
    const Axis token = p.axis("token", 8);
    const Axis column = p.axis("column", 64);
    const Tensor x = p.input("x", DType::f32, {p.batch(), 128});
    const Tensor w = p.workspace("w", DType::f32, {p.batch(), 6, 64});
    KernelBuilder k = p.kernel("k");
    const Index at = 8 * k.blocks("tile", ceil_div(p.batch(), 8)) + token;
    k.role("role", {.warps = 4}, [&](RoleBuilder& r) {
        const Spread neighbours = spread({token, column}).vector(column, 4);
        r.load(x(at, 2 * Index(column)), neighbours);                     // every other
        r.load(x(at, column), spread({column, token}).vector(token, 4));  // rows are apart
        r.load(w(at, 3, column), neighbours);                             // workspaces are aligned
        r.load(w(at, 3, 1 + Index(column)), neighbours);                  // but not this far
    });
    std::vector<int> widths;
    for (const ir::Load& load : all<ir::Load>(pass::run_all(p.finish()))) {
        widths.push_back(load.access.vector);
    }
    CHECK(widths == std::vector<int>{1, 1, 4, 1});
}

TEST_CASE("workspaces are vectorised whatever the arguments' alignment") {
    ProgramBuilder p("toy", toy("sm_80", Access::element));
    const Axis token = p.axis("token", 8);
    const Axis column = p.axis("column", 64);
    const Tensor w = p.workspace("w", DType::f32, {p.batch(), 64});
    KernelBuilder k = p.kernel("k");
    const Index at = 8 * k.blocks("tile", ceil_div(p.batch(), 8)) + token;
    k.role("role", {.warps = 4}, [&](RoleBuilder& r) {
        r.store(r.load(w(at, column), spread({token, column}).vector(column, 4)), w(at, column));
    });
    const ir::Program program = pass::run_all(p.finish());
    CHECK(all<ir::Load>(program).front().access.vector == 4);
    CHECK(all<ir::Store>(program).front().access.vector == 4);
}

/// The width of a read of part of a ring's tile of 8 by `columns` elements.
struct Slots {
    DType dtype = DType::bf16;
    int columns = 128;
    int elements = 8;  ///< a thread
    int width = 64;    ///< of the part
    int shift = 0;     ///< of the part
    int turn = 64;     ///< of the part, times a loop's counter
};

int width_of(const Slots& s) {
    ProgramBuilder p("toy", toy());
    const Axis row = p.axis("row", 8);
    const Axis column = p.axis("column", s.columns);
    const Axis part = p.axis("part", s.width);
    const Tensor x = p.input("x", s.dtype, {p.batch(), s.columns});
    KernelBuilder k = p.kernel("k");
    const Index at = 8 * k.blocks("tile", ceil_div(p.batch(), 8)) + row;
    const Ring ring = k.ring("x", s.dtype, {row, column}, 1);
    k.role("load", {.warps = 1}, [&](RoleBuilder& r) { r.fill(ring, x(at, column)); });
    k.role("read", {.warps = 1}, [&](RoleBuilder& r) {
        const Slot slot = r.peek(ring);
        r.loop("turn", 2, [&](const Index& turn) {
            r.load(slot(row, s.shift + s.turn * turn + part), spread({row, part}).vector(part, s.elements));
        });
    });
    const ir::Program program = pass::run_all(p.finish(), "vectorise");
    return all<ir::SharedLoad>(program).front().access.vector;
}

TEST_CASE("shared memory is read as wide as the slot lets it") {
    CHECK(width_of({}) == 8);
    CHECK(width_of({.elements = 4}) == 4);
    CHECK(width_of({.elements = 16}) == 8);
    CHECK(width_of({.dtype = DType::f32}) == 4);
    CHECK(width_of({.width = 32, .shift = 4}) == 4);
    CHECK(width_of({.width = 32, .shift = 1}) == 1);
    CHECK(width_of({.width = 32, .turn = 34}) == 2);
    CHECK(width_of({.width = 60}) == 4);  // the last vector would be padding in part
    // Rows without gaps: the next begins at an odd multiple of 4 elements.
    CHECK(width_of({.columns = 100, .width = 32, .turn = 32}) == 4);
    CHECK(width_of({.columns = 104, .width = 32, .turn = 32}) == 8);
}

TEST_CASE("what is sent is as wide as its place in the exchanged tile lets it") {
    for (const int entries : {4, 5, 6}) {
        ProgramBuilder p("toy", toy("sm_90a"));
        const Axis row = p.axis("row", 8);
        const Axis entry = p.axis("entry", entries);
        const Tensor x = p.input("x", DType::f32, {p.batch(), entries});
        KernelBuilder k = p.kernel("k");
        const Tiles tiles = k.persistent("tile", ceil_div(p.batch(), 8));
        k.cluster("rank", 2);
        const Ring ring = k.ring("x", DType::f32, {row, entry}, 2);
        const Exchange partial = k.reduce_scatter("partial", {row, entry});
        const Exchange total = k.all_gather("total", {row, entry});
        const Spread own = spread({row}).vector(entry, 8);
        k.role("load", {.warps = 1},
               [&](RoleBuilder& r) { r.tiles(tiles, [&](const Index& t) { r.fill(ring, x(8 * t + row, entry)); }); });
        k.role("send", {.warps = 1}, [&](RoleBuilder& r) {
            r.tiles(tiles, [&](const Index&) { r.send(r.load(r.peek(ring)(row, entry), own), partial(row, entry)); });
        });
        k.role("own", {.warps = 1}, [&](RoleBuilder& r) {
            r.owned_tiles(
                tiles, [&](const Index&) { r.send(r.load(r.receive(partial)(row, entry), own), total(row, entry)); });
        });
        k.role("receive", {.warps = 1}, [&](RoleBuilder& r) {
            r.tiles(tiles, [&](const Index&) {
                const Slot sums = r.receive(total);
                r.load(r.peek(ring)(row, entry), own);
                r.load(sums(row, entry), own);
            });
        });
        const ir::Program program = pass::run_all(p.finish());
        for (const ir::SendTo& send : all<ir::SendTo>(program)) {
            CHECK(send.access.vector == (entries == 4 ? 4 : entries == 6 ? 2 : 1));
            CHECK(send.access.padded == std::vector<ir::AxisId>{entry.id});
        }
    }
}

}  // namespace
}  // namespace tilejit::test
