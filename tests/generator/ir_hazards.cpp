/// A slot that a role updates in place needs a barrier only where another thread may have it.
#include "generator/ir/verify.h"
#include "tests/generator/dsl_pipeline.h"

namespace tilejit::test {
namespace {

using namespace dsl;

/// One letter a statement: read, write, barrier; loops in brackets; others left out.
std::string trace(const std::vector<ir::Stmt>& body) {
    std::string text;
    for (const ir::Stmt& stmt : body) {
        if (std::holds_alternative<ir::SharedStore>(stmt.op)) {
            text += 'w';
        } else if (std::holds_alternative<ir::SharedLoad>(stmt.op)) {
            text += 'r';
        } else if (std::holds_alternative<ir::Barrier>(stmt.op)) {
            text += '|';
        } else if (const std::vector<ir::Stmt>* inner = ir::body_of(stmt.op)) {
            text += '[' + trace(*inner) + ']';
        }
    }
    return text;
}

/// Removes the first barrier.
bool remove_barrier(std::vector<ir::Stmt>& body) {
    for (std::size_t i = 0; i < body.size(); ++i) {
        if (std::holds_alternative<ir::Barrier>(body[i].op)) {
            body.erase(body.begin() + static_cast<std::ptrdiff_t>(i));
            return true;
        }
        if (std::vector<ir::Stmt>* inner = ir::body_of(body[i].op); inner != nullptr && remove_barrier(*inner)) {
            return true;
        }
    }
    return false;
}

struct Updating : Pipeline {
    Axis half = p.axis("half", 32);
    Axis few = p.axis("few", 8);
    Ring tile = ring("x", 2);

    /// What a role does with a tile that it takes.
    std::string does(const std::function<void(RoleBuilder&, const Slot&)>& body, int warps = 1) {
        load(tile);
        role("take", warps, [&](RoleBuilder& r, const Index&) { body(r, r.take(tile)); });
        ir::Program program = pass::run_all(p.finish());
        std::vector<ir::Stmt>& take = program.kernels.front().roles.back().body;
        const std::string text = trace(take);
        if (remove_barrier(take)) {
            CHECK_THROWS_AS(ir::verify_barriers(program), InternalError);
        }
        return text;
    }
    Tile read(RoleBuilder& r, const View& part, const Spread& spread) const { return to_f32(r.load(part, spread)); }
};

TEST_CASE("each thread writes what it read: no barrier") {
    Updating g;
    CHECK(g.does([&](RoleBuilder& r, const Slot& slot) { g.twice(r, slot); }) == "[rw]");
    Updating again;
    CHECK(again.does([&](RoleBuilder& r, const Slot& slot) {
        again.twice(r, slot);
        again.twice(r, slot);
    }) == "[rwrw]");
}

TEST_CASE("another thread reads or writes it: a barrier between") {
    Updating g;
    CHECK(g.does([&](RoleBuilder& r, const Slot& slot) {
        const Tile v = g.read(r, slot(g.row, g.column), spread({g.column}));
        r.store(to_bf16(v), slot(g.row, g.column));
        g.twice(r, slot);
    }) == "[rw|rw]");
    // Threads that hold copies read too: only one of them writes.
    Updating copies;
    CHECK(copies.does(
              [&](RoleBuilder& r, const Slot& slot) {
                  r.store(to_bf16(copies.read(r, slot(0, copies.half), spread({copies.half}))), slot(0, copies.half));
              },
              2) == "[r|w]");
    // Each thread reads what its neighbour writes.
    Updating shifted;
    CHECK(shifted.does([&](RoleBuilder& r, const Slot& slot) {
        const Tile v = shifted.read(r, slot(shifted.row, shifted.half), spread({shifted.row, shifted.half}));
        r.store(to_bf16(v), slot(shifted.row, 16 + Index(shifted.half)));
    }) == "[r|w]");
}

TEST_CASE("parts that do not meet need no barrier") {
    Updating g;
    CHECK(g.does([&](RoleBuilder& r, const Slot& slot) {
        const Tile v = g.read(r, slot(g.row, g.half), spread({g.half}));
        r.store(to_bf16(v), slot(g.row, 32 + Index(g.half)));
    }) == "[rw]");
}

TEST_CASE("turns of a loop that touch parts of their own need no barrier; what is read after them does") {
    Updating g;
    CHECK(g.does([&](RoleBuilder& r, const Slot& slot) {
        r.loop("part", 8, [&](const Index& part) {
            const Index at = 8 * part + g.few;
            r.store(to_bf16(g.read(r, slot(g.row, at), spread({g.row, g.few}).lanes())), slot(g.row, at));
        });
        g.read(r, slot(g.row, g.column), spread({g.column}));
    }) == "[[rw]|r]");
}

TEST_CASE("turns whose parts overlap need one") {
    for (const int step : {8, 4}) {
        Updating g;
        const Axis sixteen = g.p.axis("sixteen", 16);
        CHECK(g.does([&](RoleBuilder& r, const Slot& slot) {
            r.loop("part", 6, [&](const Index& part) {
                const Index at = step * part + sixteen;
                r.store(to_bf16(g.read(r, slot(g.row, at), spread({g.row, sixteen}))), slot(g.row, at));
            });
        }) == "[[|rw]]");
    }
    Updating apart;
    const Axis sixteen = apart.p.axis("sixteen", 16);
    CHECK(apart.does([&](RoleBuilder& r, const Slot& slot) {
        r.loop("part", 4, [&](const Index& part) {
            const Index at = 16 * part + sixteen;
            r.store(to_bf16(apart.read(r, slot(apart.row, at), spread({apart.row, sixteen}))), slot(apart.row, at));
        });
    }) == "[[rw]]");
}

TEST_CASE("the tile of the next turn is another: waiting for it is enough") {
    Updating g;
    CHECK(g.does([&](RoleBuilder& r, const Slot& slot) {
        g.twice(r, slot);
        g.read(r, slot(g.row, g.column), g.spread());
    }) == "[rwr]");
}

}  // namespace
}  // namespace tilejit::test
