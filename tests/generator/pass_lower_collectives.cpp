/// What becomes of exchanges between the blocks of a cluster, and of kernels that begin early.
#include "tests/generator/dsl_pipeline.h"

namespace tilejit::test {
namespace {

using namespace dsl;

TEST_CASE("tiles are sent to the owner's or to every block's slot, whose bytes the receiver awaits") {
    const ir::Program program = pass::run_all(Exchanging(5).finish());
    const ir::Kernel& kernel = program.kernels.front();
    const auto sends = all<ir::SendTo>(program);
    REQUIRE(sends.size() == 2);
    CHECK_FALSE(sends[0].all);
    CHECK(sends[0].at.front().origin.terms == std::vector<std::pair<ir::VarId, std::int64_t>>{{kernel.rank, 1}});
    CHECK(sends[0].at.front().axes.empty());
    CHECK(sends[1].all);

    const ir::Buffer& partial = buffer_of(program, "partial");
    CHECK(partial.slots == 2);
    CHECK(partial.every == Exchanging::kBlocks);
    CHECK(partial.strides == std::vector<int>{8, 1});
    CHECK(partial.slot_bytes == Exchanging::kBlocks * 8 * 4);
    const ir::Buffer& total = buffer_of(program, "total");
    CHECK(total.slots == 5);
    CHECK(total.every == 1);
    CHECK(total.slot_bytes == 8 * 4);

    for (const char* name : {"partial", "total"}) {
        const ir::Sync& sync = sync_of(program, name + std::string(".full"));
        const ir::Buffer& buffer = buffer_of(program, name);
        CHECK(sync.arrivals == 1);
        CHECK(sync.slots == buffer.slots);
        CHECK(sync.every == buffer.every);
        int expected = 0;
        for (const ir::Expect& expect : all<ir::Expect>(program)) {
            if (kernel.syncs[static_cast<std::size_t>(expect.sync)].name == sync.name) {
                ++expected;
                CHECK(expect.bytes == buffer.slot_bytes);
            }
        }
        CHECK(expected == 1);
    }
    CHECK(all<ir::Acquire>(program).empty());
    CHECK(all<ir::Release>(program).empty());
    REQUIRE(kernel.prologue.size() == 2);
    CHECK(std::holds_alternative<ir::InitSyncs>(kernel.prologue[0].op));
    CHECK(std::holds_alternative<ir::ClusterBarrier>(kernel.prologue[1].op));
    REQUIRE(kernel.epilogue.size() == 1);
    CHECK(std::holds_alternative<ir::ClusterBarrier>(kernel.epilogue[0].op));
}

TEST_CASE("a tile of which only a part is sent is refused: its receiver would wait for ever") {
    Exchanging g(3);
    const Axis half = g.p.axis("half", 4);
    g.load();
    g.k.role("sum", {.warps = 1}, [&](RoleBuilder& r) {
        r.tiles(g.tiles, [&](const Index&) {
            const Tile v = to_f32(r.load(r.peek(g.ring)(half, g.column), spread({half, g.column}).lanes()));
            r.send(sum(v, g.column), g.partial(half));
        });
    });
    g.own();
    g.scale();
    const ir::Program program = g.p.finish();
    CHECK(generate_error([&] {
              pass::run_all(program);
          }).find("a tile of channel 'partial' has 8 elements, but 4 are sent; send each part of it once a tile") !=
          std::string::npos);
}

/// Barriers of a role before its first send.
int barriers_before_send(const ir::Program& program, const std::string& name) {
    int count = 0;
    for (const ir::Role& role : program.kernels.front().roles) {
        bool sent = role.name != name;
        for_all_statements(role.body, [&](const ir::Stmt& stmt) {
            sent = sent || std::holds_alternative<ir::SendTo>(stmt.op);
            count += !sent && std::holds_alternative<ir::Barrier>(stmt.op) ? 1 : 0;
        });
    }
    return count;
}

TEST_CASE("what is sent after receiving stands for all threads: those that send nothing are waited for") {
    for (const int warps : {1, 2}) {
        Exchanging g(3);
        g.load();
        g.sum_up();
        g.own(warps);  // 8 rows: other threads have none
        g.scale();
        const ir::Program program = pass::run_all(g.p.finish());
        CHECK(barriers_before_send(program, "own") == 1);
        CHECK(barriers_before_send(program, "sum") == 0);
    }
    // Each thread sends a number of its own.
    Exchanging g(3, 32);
    CHECK(barriers_before_send(pass::run_all(g.finish()), "own") == 0);
}

/// Where roles of the program wait for the kernels before: the index of the statement, -1 for nowhere.
std::vector<int> waits(const ir::Program& program) {
    std::vector<int> found;
    for (const ir::Role& role : program.kernels.front().roles) {
        found.push_back(-1);
        for (std::size_t i = 0; i < role.body.size(); ++i) {
            if (std::holds_alternative<ir::DependencyWait>(role.body[i].op)) {
                found.back() = static_cast<int>(i);
            }
        }
    }
    return found;
}

ir::Program early(bool weights) {
    Pipeline g;
    const Axis c = g.p.axis("c", 64);
    const Tensor w = weights ? g.p.weights("w", DType::f32, {64}) : g.p.input("w", DType::f32, {64});
    const Ring ring = g.ring("x", 2);
    g.load(ring);
    g.k.role("scale", {.warps = 2}, [&](RoleBuilder& r) {
        const Tile factor = r.load(w(g.column));
        r.tiles(g.tiles, [&](const Index& t) {
            const Tile v = to_f32(r.load(r.peek(ring)(g.row, g.column), g.spread()));
            r.store(to_bf16(factor * v), g.to(t));
        });
    });
    g.role("idle", 1, [&](RoleBuilder& r, const Index&) { r.load(r.peek(ring)(g.row, c), spread({c})); });
    return pass::run_all(g.p.finish());
}

TEST_CASE("a kernel with weights reads them first, and waits before it touches anything else") {
    const ir::Program program = early(true);
    CHECK(waits(program) == std::vector<int>{0, 1, -1});
    CHECK(std::holds_alternative<ir::LaunchDependents>(program.kernels.front().prologue.back().op));
    const ir::Program late = early(false);
    CHECK(waits(late) == std::vector<int>{-1, -1, -1});
    CHECK(late.kernels.front().prologue.size() == 2);
}

}  // namespace
}  // namespace tilejit::test
