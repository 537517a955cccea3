/// What becomes of rings: which barriers, who arrives, and who moves the tiles.
#include "tests/generator/dsl_pipeline.h"

namespace tilejit::test {
namespace {

using namespace dsl;

/// What a role does, one word an operation; loops in brackets.
std::string trace(const ir::Program& program, const std::vector<ir::Stmt>& body) {
    const ir::Kernel& kernel = program.kernels.front();
    std::string text;
    const auto sync = [&](ir::SyncId id) { return kernel.syncs[static_cast<std::size_t>(id)].name; };
    for (const ir::Stmt& stmt : body) {
        std::string word;
        if (const auto* wait = std::get_if<ir::Wait>(&stmt.op)) {
            word = (wait->before ? "before:" : "wait:") + sync(wait->sync);
        } else if (const auto* arrive = std::get_if<ir::Arrive>(&stmt.op)) {
            word = (arrive->by == ir::Arrive::By::first_warp ? "first:" : "arrive:") + sync(arrive->sync);
        } else if (const auto* expect = std::get_if<ir::Expect>(&stmt.op)) {
            word = fmt::format("expect:{}:{}", sync(expect->sync), expect->bytes);
        } else if (std::holds_alternative<ir::CopyIn>(stmt.op)) {
            word = "in";
        } else if (std::holds_alternative<ir::CopyOut>(stmt.op)) {
            word = "out";
        } else if (std::holds_alternative<ir::CopyDone>(stmt.op)) {
            word = "done";
        } else if (std::holds_alternative<ir::ProxyFence>(stmt.op)) {
            word = "fence";
        } else if (std::holds_alternative<ir::Barrier>(stmt.op)) {
            word = "barrier";
        } else if (std::holds_alternative<ir::Load>(stmt.op)) {
            word = "load";
        } else if (std::holds_alternative<ir::Store>(stmt.op)) {
            word = "store";
        } else if (std::holds_alternative<ir::SharedLoad>(stmt.op)) {
            word = "read";
        } else if (std::holds_alternative<ir::SharedStore>(stmt.op)) {
            word = "write";
        } else if (const std::vector<ir::Stmt>* inner = ir::body_of(stmt.op)) {
            word = '[' + trace(program, *inner) + ']';
        } else {
            continue;
        }
        text += (text.empty() ? "" : " ") + word;
    }
    return text;
}

std::string trace(const ir::Program& program, const std::string& role) {
    for (const ir::Role& candidate : program.kernels.front().roles) {
        if (candidate.name == role) {
            return trace(program, candidate.body);
        }
    }
    return "no role " + role;
}

ir::Program lowered(const ir::Program& program) { return pass::run_all(program, "lower-rings"); }

constexpr int kBytes = 4 * 64 * 2;

TEST_CASE("a ring that is read: filled by the engine or by threads") {
    for (const auto& [arch, access] : {std::pair{"sm_90a", Access::aligned}, std::pair{"sm_90a", Access::element},
                                       std::pair{"sm_80", Access::aligned}}) {
        Pipeline g(toy(arch, access));
        const Ring ring = g.ring("x", 3);
        g.load(ring, "load", 2);
        g.copy(ring, "one", 2);
        g.copy(ring, "two", 3);
        const ir::Program program = lowered(g.p.finish());
        INFO(arch);
        const bool engine = arch == std::string("sm_90a") && access == Access::aligned;
        CHECK(trace(program, "load") == (engine ? fmt::format("[before:x.free expect:x.full:{} in]", kBytes)
                                                : "[before:x.free load write arrive:x.full]"));
        CHECK(trace(program, "one") == "[wait:x.full read arrive:x.free store]");
        CHECK(sync_of(program, "x.full").arrivals == (engine ? 1 : 64));
        CHECK(sync_of(program, "x.free").arrivals == (engine ? 5 : 160));
        CHECK(sync_of(program, "x.full").slots == 3);
        CHECK(program.kernels.front().syncs.size() == 2);
        CHECK(program.kernels.front().prologue.size() == 2);
        CHECK(program.kernels.front().epilogue.empty());
        // The storage is the same however it is filled: rows of 128 bytes, swizzled.
        const ir::Buffer& buffer = buffer_of(program, "x");
        CHECK(buffer.swizzled);
        CHECK(buffer.strides == std::vector<int>{64, 1});
        CHECK(buffer.slot_bytes == 1024);
    }
}

TEST_CASE("a tile that is updated: readers first, then the update, then those that wait for it") {
    for (const bool engine : {true, false}) {
        Pipeline g(toy("sm_90a", engine ? Access::aligned : Access::element));
        const Ring ring = g.ring("x", 2);
        g.load(ring);
        g.role("peek", 2, [&](RoleBuilder& r, const Index&) { r.load(r.peek(ring)(g.row, g.column), g.spread()); });
        g.role("take", 3, [&](RoleBuilder& r, const Index&) { g.twice(r, r.take(ring)); });
        g.role("store", 1, [&](RoleBuilder& r, const Index& t) { r.store(r.updated(ring), g.to(t)); });
        const ir::Program program = lowered(g.p.finish());
        CHECK(trace(program, "peek") == "[wait:x.full read arrive:x.read]");
        CHECK(trace(program, "take") == (engine ? "[wait:x.read read write fence arrive:x.updated]"
                                                : "[wait:x.read read write arrive:x.updated]"));
        CHECK(trace(program, "store") ==
              (engine ? "[wait:x.updated out done arrive:x.free]" : "[wait:x.updated read store arrive:x.free]"));
        CHECK(sync_of(program, "x.read").arrivals == 64);
        CHECK(sync_of(program, "x.updated").arrivals == 96);
        CHECK(sync_of(program, "x.free").arrivals == 32);
    }
}

TEST_CASE("a role that updates and stores a tile releases it by its first warp when that is the last it does") {
    for (const bool last : {true, false}) {
        Pipeline g;
        const Ring ring = g.ring("x", 2);
        g.load(ring);
        g.role("take", 3, [&](RoleBuilder& r, const Index& t) {
            const Slot slot = r.take(ring);
            g.twice(r, slot);
            r.store(slot, g.to(t));
            if (!last) {
                r.store(r.load(slot(g.row, g.column), g.spread()), g.to(t));
            }
        });
        const ir::Program program = lowered(g.p.finish());
        CHECK(trace(program, "take") ==
              (last ? "[wait:x.full read write fence barrier out done first:x.free]"
                    : "[wait:x.full read write fence barrier out done read arrive:x.free store]"));
        CHECK(sync_of(program, "x.free").arrivals == (last ? 1 : 96));
    }
}

TEST_CASE("what is written in place and not stored by the engine is fenced before the engine overwrites it") {
    Pipeline g;
    const Ring ring = g.ring("x", 2);
    g.load(ring);
    g.role("take", 3, [&](RoleBuilder& r, const Index&) { g.twice(r, r.take(ring)); });
    const ir::Program program = lowered(g.p.finish());
    CHECK(trace(program, "take") == "[wait:x.full read write fence arrive:x.free]");
    CHECK(sync_of(program, "x.free").arrivals == 96);
}

TEST_CASE("copies of a role that would wait for a slot out of turn are refused") {
    for (const int stages : {4, 6, 8}) {
        Pipeline g;
        const Ring ring = g.ring("x", stages);
        int line = 0;
        g.role("load", 1, [&](RoleBuilder& r, const Index& t) {
            r.loop("part", 2, [&](const Index&) { r.fill(ring, g.from(t)); });
        });
        g.k.role("read", {.warps = 1, .copies = 3}, [&](RoleBuilder& r) {
            r.tiles(g.tiles, [&](const Index&) {
                r.loop("part", 2, [&](const Index&) {
                    line = __LINE__ + 1;
                    r.load(r.peek(ring)(g.row, g.column), g.spread());
                });
            });
        });
        const ir::Program program = g.p.finish();
        const std::string error = generate_error([&] { pass::run_all(program); });
        if (stages == 6) {
            CHECK(error.empty());
        } else {
            check_fault(error, line,
                        fmt::format("role 'read' has 3 copies, which use 6 tiles of ring 'x' in a round: its {} stages "
                                    "are no multiple of that; give it {}",
                                    stages, stages == 4 ? 6 : 12));
        }
    }
}

struct Boxes {
    int rows = 8;
    int columns = 128;
    std::int64_t width = 512;
    std::int64_t origin = 128;  ///< times the tile
    DType dtype = DType::bf16;
    int step = 1;
};

/// How a ring of such tiles is filled.
ir::Program boxes(const Boxes& b, int* copies) {
    ProgramBuilder p("toy", toy("sm_90a"));
    const Axis row = p.axis("row", b.rows);
    const Axis column = p.axis("column", b.columns);
    const Tensor x = p.input("x", b.dtype, {p.batch(), b.width});
    KernelBuilder k = p.kernel("k");
    const Index rows = k.blocks("rows", ceil_div(p.batch(), b.rows));
    const Index columns = k.blocks("columns", 4);
    const Ring ring = k.ring("x", b.dtype, {row, column}, 1);
    k.role("load", {.warps = 1},
           [&](RoleBuilder& r) { r.fill(ring, x(b.rows * rows + row, b.origin * columns + b.step * Index(column))); });
    k.role("read", {.warps = 1}, [&](RoleBuilder& r) { r.load(r.peek(ring)(row, column), spread({row, column})); });
    ir::Program program = lowered(p.finish());
    *copies = static_cast<int>(all<ir::CopyIn>(program).size());
    return program;
}

bool by_engine(const Boxes& b) {
    int copies = 0;
    boxes(b, &copies);
    return copies == 1;
}

TEST_CASE("the engine moves boxes that it can move") {
    CHECK(by_engine({}));
    CHECK(by_engine({.rows = 256}));
    CHECK_FALSE(by_engine({.rows = 257}));
    CHECK(by_engine({.columns = 40}));        // 80 bytes, not swizzled
    CHECK_FALSE(by_engine({.columns = 36}));  // 72 bytes
    CHECK(by_engine({.columns = 248}));       // not cut into blocks: at most 256
    CHECK_FALSE(by_engine({.columns = 264}));
    CHECK(by_engine({.columns = 1024, .width = 4096}));  // cut into blocks
    CHECK_FALSE(by_engine({.width = 516}));              // rows are multiples of 8 bytes only
    CHECK_FALSE(by_engine({.width = 520}));              // a block across the end of a row would not be zero
    CHECK(by_engine({.columns = 40, .width = 520, .origin = 40}));
    CHECK_FALSE(by_engine({.origin = 96}));  // between two blocks
    CHECK(by_engine({.columns = 64, .origin = 96}));
    CHECK_FALSE(by_engine({.columns = 40, .origin = 36}));
    CHECK_FALSE(by_engine({.columns = 64, .step = 2}));
    CHECK(by_engine({.columns = 32, .width = 256, .origin = 32, .dtype = DType::f32}));
}

TEST_CASE("wide rows are cut into blocks one below the other") {
    int copies = 0;
    const ir::Program program = boxes({.columns = 320, .width = 1280, .origin = 320}, &copies);
    const ir::Buffer& buffer = buffer_of(program, "x");
    CHECK(copies == 1);
    CHECK(buffer.swizzled);
    CHECK(buffer.block == 64);
    CHECK(buffer.block_stride == 8 * 64);
    CHECK(buffer.strides == std::vector<int>{64, 1});
    CHECK(buffer.slot_bytes == 8 * 320 * 2);
    // What lands is what a slot holds, also where slots are further apart.
    const ir::Program apart = boxes({.rows = 3}, &copies);
    CHECK(buffer_of(apart, "x").slot_bytes == 1024);
    CHECK(all<ir::Expect>(apart).front().bytes == 3 * 128 * 2);
}

TEST_CASE("threads copy a large tile in turns, so that few of its elements are in registers") {
    ProgramBuilder p("toy", toy("sm_80"));
    const Axis stream = p.axis("stream", 4);
    const Axis row = p.axis("row", 8);
    const Axis column = p.axis("column", 320);
    const Tensor x = p.input("x", DType::bf16, {p.batch(), 4 * 320}).split(1, {4, 320});
    const Tensor y = p.output("y", DType::bf16, {p.batch(), 4 * 320}).split(1, {4, 320});
    KernelBuilder k = p.kernel("k");
    const Index at = 8 * k.blocks("rows", ceil_div(p.batch(), 8)) + row;
    const Ring ring = k.ring("x", DType::bf16, {stream, row, column}, 1);
    k.role("load", {.warps = 1}, [&](RoleBuilder& r) { r.fill(ring, x(at, stream, column)); });
    k.role("copy", {.warps = 1}, [&](RoleBuilder& r) { r.store(r.take(ring), y(at, stream, column)); });
    const ir::Program program = pass::run_all(p.finish());
    CHECK(trace(program, "load") == "before:x.free [load write] arrive:x.full");
    CHECK(trace(program, "copy") == "wait:x.full [read store] arrive:x.free");
    const ir::Load load = all<ir::Load>(program).front();
    CHECK(value_of(program, load.out).axes == std::vector<ir::AxisId>{row.id, column.id});
    CHECK(value_of(program, load.out).layout->slots() <= 128);
    CHECK(load.access.vector == 8);
    CHECK(load.at[1].axes.empty());
    CHECK(load.at[1].origin.terms.size() == 1);
    const ir::SharedStore store = all<ir::SharedStore>(program).front();
    CHECK(store.access.vector == 8);
    CHECK(store.at[0].origin.terms == load.at[1].origin.terms);
}

}  // namespace
}  // namespace tilejit::test
