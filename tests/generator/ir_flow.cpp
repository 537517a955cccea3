/// Which slots an exchange needs follows from what its senders wait for; roles that wait for each other are
/// refused.
#include "generator/ir/flow.h"
#include "tests/generator/dsl_pipeline.h"

namespace tilejit::test {
namespace {

using namespace dsl;

std::pair<int, int> slots(const ir::Program& program) {
    return {ir::least_slots(program.kernels.front(), 1), ir::least_slots(program.kernels.front(), 2)};
}

TEST_CASE("as many exchanged tiles can be under way as the ring that is held has stages") {
    for (const int stages : {1, 2, 3, 4, 5, 8, 9}) {
        INFO(stages);
        const auto [scatter, gather] = slots(Exchanging(stages).finish());
        CHECK(gather == stages);
        // A block owns each fourth tile.
        CHECK(scatter == (stages + 3) / 4);
    }
}

TEST_CASE("a ring's tile that is given back before the exchanged one is read is one turn ahead") {
    Exchanging g(3);
    g.load();
    g.sum_up();
    g.own();
    g.k.role("scale", {.warps = 2}, [&](RoleBuilder& r) {
        r.tiles(g.tiles, [&](const Index&) {
            const Slot sums = r.receive(g.total);
            r.load(r.peek(g.ring)(g.row, g.column), g.lanes());
            r.load(sums(g.row), spread({g.row}));
        });
    });
    CHECK(slots(g.p.finish()) == std::pair{1, 4});
}

TEST_CASE("copies of a role that sends do not order each other") {
    // Tile t + 3 is of the other copy, but needs the slot of tile t all the same.
    CHECK(slots(Exchanging(3).finish(2)) == std::pair{1, 3});
    CHECK(slots(Exchanging(4).finish(2)) == std::pair{1, 4});
    // Of the role that receives, one copy has all tiles of a slot.
    Exchanging g(3);
    g.load();
    g.sum_up();
    g.own(1, 2);
    g.scale();
    CHECK(slots(g.p.finish()) == std::pair{2, 3});
}

TEST_CASE("an exchange whose senders wait for nothing is refused") {
    Exchanging g(3);
    g.load();
    g.sum_up();
    g.own();
    g.scale(false);
    const ir::Program program = g.p.finish();
    const std::string error = generate_error([&] { ir::least_slots(program.kernels.front(), 1); });
    INFO(error);
    CHECK(error.find("role 'sum' may send through 'partial' before role 'own' of another block has received what came "
                     "before it") != std::string::npos);
    CHECK(generate_error([&] { ir::least_slots(program.kernels.front(), 2); })
              .find("role 'own' may send through "
                    "'total' before role 'scale'") != std::string::npos);
}

TEST_CASE("reading two rings in the order in which they are filled is safe, in the other it needs a stage more") {
    for (const int stages : {1, 2}) {
        for (const bool same : {true, false}) {
            Pipeline g;
            const Ring a = g.ring("a", stages);
            const Ring b = g.ring("b", stages);
            g.role("load", 1, [&](RoleBuilder& r, const Index& t) {
                r.loop("part", 2, [&](const Index&) {
                    r.fill(a, g.from(t));
                    r.fill(b, g.from(t));
                });
            });
            g.role("copy", 1, [&](RoleBuilder& r, const Index& t) {
                const auto read = [&](const Ring& ring) {
                    r.loop("part", 2,
                           [&](const Index&) { r.store(r.load(r.peek(ring)(g.row, g.column), g.spread()), g.to(t)); });
                };
                if (same) {
                    r.loop("part", 2, [&](const Index&) {
                        r.store(r.load(r.peek(a)(g.row, g.column), g.spread()), g.to(t));
                        r.store(r.load(r.peek(b)(g.row, g.column), g.spread()), g.to(t));
                    });
                } else {
                    read(b);
                    read(a);
                }
            });
            const ir::Program program = g.p.finish();
            const std::string error = generate_error([&] { ir::verify_flow(program); });
            INFO(stages << " stages, same order " << same << ": " << error);
            CHECK(error.empty() == (same || stages == 2));
        }
    }
}

TEST_CASE("the message about a deadlock names who waits for what") {
    Pipeline g;
    const Ring a = g.ring("a", 1);
    const Ring b = g.ring("b", 1);
    int fill = 0;
    g.role("load", 1, [&](RoleBuilder& r, const Index& t) {
        r.loop("part", 2, [&](const Index&) {
            fill = __LINE__ + 1;
            r.fill(a, g.from(t));
        });
        r.fill(b, g.from(t));
    });
    g.role("copy", 1, [&](RoleBuilder& r, const Index& t) {
        const Slot slot = r.peek(b);
        r.loop("part", 2, [&](const Index&) { r.store(r.load(r.peek(a)(g.row, g.column), g.spread()), g.to(t)); });
        r.store(r.load(slot(g.row, g.column), g.spread()), g.to(t));
    });
    const ir::Program program = g.p.finish();
    const std::string error = generate_error([&] { ir::verify_flow(program); });
    INFO(error);
    CHECK(error.find(at_line(fill, "the roles of kernel 'pipeline_k' wait for each other for ever: ")) == 0);
    for (const char* part : {"role 'load' fills 'a'", "role 'load' fills 'b'", "role 'copy' waits for 'b'",
                             "role 'copy' waits for 'a'", "role 'copy' releases 'a'", "more stages"}) {
        CHECK(error.find(part) != std::string::npos);
    }
    CHECK_THROWS_AS(pass::run_all(program), GenerateError);
}

TEST_CASE("a kernel over a grid fills a ring as often as it is read") {
    ProgramBuilder p("toy", toy("sm_90a"));
    const Axis row = p.axis("row", 4);
    const Axis column = p.axis("column", 64);
    const Tensor x = p.input("x", DType::bf16, {p.batch(), 1024});
    KernelBuilder k = p.kernel("k");
    const Index at = 4 * k.blocks("rows", ceil_div(p.batch(), 4)) + row;
    const Ring ring = k.ring("x", DType::bf16, {row, column}, 2);
    k.role("load", {.warps = 1},
           [&](RoleBuilder& r) { r.loop("step", 16, [&](const Index& s) { r.fill(ring, x(at, 64 * s + column)); }); });
    k.role("read", {.warps = 1}, [&](RoleBuilder& r) {
        r.loop("step", 16, [&](const Index&) { r.load(r.peek(ring)(row, column), spread({row, column})); });
    });
    const ir::Program program = p.finish();
    CHECK_NOTHROW(ir::verify_flow(program));
}

}  // namespace
}  // namespace tilejit::test
