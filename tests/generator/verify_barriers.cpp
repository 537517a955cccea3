/// Barriers are put where shared memory needs them and nowhere else, and a program that lacks any one
/// of them is refused.
#include "generator/ir/verify.h"
#include "tests/generator/dsl_toy.h"

namespace tilejit::test {
namespace {

using namespace dsl;

/// One letter a statement: share, read, barrier; loops in brackets; others left out.
std::string trace(const std::vector<ir::Stmt>& body) {
    std::string text;
    for (const ir::Stmt& stmt : body) {
        if (std::holds_alternative<ir::SharedStore>(stmt.op)) {
            text += 's';
        } else if (std::holds_alternative<ir::SharedLoad>(stmt.op)) {
            text += 'r';
        } else if (std::holds_alternative<ir::Barrier>(stmt.op)) {
            text += '|';
        } else if (const auto* loop = std::get_if<ir::For>(&stmt.op)) {
            text += '[' + trace(loop->body) + ']';
        }
    }
    return text;
}

ir::Program with_barriers(const std::function<void(Toy&, RoleBuilder&)>& body) {
    Toy toy;
    toy.k.role("role", {.warps = 4}, [&](RoleBuilder& r) { body(toy, r); });
    return pass::run_all(toy.p.finish(), "insert-barriers");
}

std::string trace(const ir::Program& program) { return trace(program.kernels.front().roles.front().body); }

Tile rows(Toy& toy, RoleBuilder& r) { return r.load(toy.x(toy.at, toy.column), toy.rows()); }

ir::Program straight_line() {
    return with_barriers([](Toy& toy, RoleBuilder& r) {
        const Shared a = r.share("a", rows(toy, r));
        const Shared b = r.share("b", rows(toy, r));
        a.read(spread({toy.column}));
        b.read(spread({toy.column}));
        r.share("c", rows(toy, r)).read(spread({toy.column}));
    });
}

ir::Program loop() {
    return with_barriers([](Toy& toy, RoleBuilder& r) {
        r.loop("turn", 3, [&](const Index&) { r.share("a", rows(toy, r)).read(spread({toy.column})); });
    });
}

ir::Program nested_loops() {
    return with_barriers([](Toy& toy, RoleBuilder& r) {
        const Shared before = r.share("before", rows(toy, r));
        r.loop("outer", 3, [&](const Index&) {
            r.loop("inner", 2, [&](const Index&) {
                r.share("a", rows(toy, r)).read(spread({toy.column}));
                before.read(spread({toy.column}));
            });
            r.share("b", rows(toy, r)).read(spread({toy.column}));
        });
        before.read(spread({toy.column}));
    });
}

ir::Program written_before_read_inside() {
    return with_barriers([](Toy& toy, RoleBuilder& r) {
        const Shared before = r.share("before", rows(toy, r));
        r.loop("turn", 3, [&](const Index&) { before.read(spread({toy.column})); });
    });
}

ir::Program written_in_a_loop_that_may_not_turn() {
    return with_barriers([](Toy& toy, RoleBuilder& r) {
        const Param turns = toy.p.param_i32("turns");
        const Shared before = r.share("before", rows(toy, r));
        r.loop("turn", turns, r.fill({toy.row}, 0), [&](const Tile& carried) {
            return carried + sum(r.share("a", rows(toy, r)).read(spread({toy.row})), toy.column);
        });
        before.read(spread({toy.column}));
    });
}

TEST_CASE("barriers stand where shared memory is read after a write, or written again") {
    CHECK(trace(straight_line()) == "ss|rrs|r");
    CHECK(trace(loop()) == "[|s|r]");
    // A loop may not turn: what waited inside it waits after it again.
    CHECK(trace(nested_loops()) == "s[[|s|rr]|s|r]|r");
    CHECK(trace(written_before_read_inside()) == "s[|r]");
    CHECK(trace(written_in_a_loop_that_may_not_turn()) == "s[|s|r]|r");
}

TEST_CASE("no shared memory, no barrier") {
    CHECK(trace(with_barriers([](Toy& toy, RoleBuilder& r) { r.store(rows(toy, r), toy.y(toy.at, toy.column)); })) ==
          "");
    CHECK(trace(with_barriers([](Toy& toy, RoleBuilder& r) { r.share("never_read", rows(toy, r)); })) == "s");
}

int count(const std::string& text) { return static_cast<int>(std::count(text.begin(), text.end(), '|')); }

/// Removes barrier `index`, counted in order; returns how many there were before it.
int remove_barrier(std::vector<ir::Stmt>& body, int index) {
    int seen = 0;
    for (std::size_t i = 0; i < body.size(); ++i) {
        if (std::holds_alternative<ir::Barrier>(body[i].op)) {
            if (seen == index) {
                body.erase(body.begin() + static_cast<std::ptrdiff_t>(i));
                return index + 1;
            }
            ++seen;
        } else if (auto* inner = std::get_if<ir::For>(&body[i].op)) {
            const int inside = remove_barrier(inner->body, index - seen);
            seen += inside;
            if (seen > index) {
                return seen;
            }
        }
    }
    return seen;
}

void every_barrier_is_missed(const ir::Program& program) {
    ir::verify_barriers(program);
    int removed = 0;
    for (std::size_t k = 0; k < program.kernels.size(); ++k) {
        const int barriers = count(trace(program.kernels[k].roles.front().body));
        for (int i = 0; i < barriers; ++i) {
            ir::Program lacking = program;
            std::vector<ir::Stmt>& body = lacking.kernels[k].roles.front().body;
            remove_barrier(body, i);
            REQUIRE(count(trace(body)) == barriers - 1);
            INFO("without barrier " << i << " of " << trace(program.kernels[k].roles.front().body));
            CHECK_THROWS_AS(ir::verify_barriers(lacking), InternalError);
            ++removed;
        }
    }
    CHECK(removed > 0);
}

TEST_CASE("each barrier is needed: a program that lacks one is refused") {
    every_barrier_is_missed(straight_line());
    every_barrier_is_missed(loop());
    every_barrier_is_missed(nested_loops());
    every_barrier_is_missed(written_before_read_inside());
    every_barrier_is_missed(written_in_a_loop_that_may_not_turn());
    for (const std::int64_t n : {1, 4, 8, 9, 32}) {
        every_barrier_is_missed(lower(specialized({"MHCPreFwdOp", 70, n, 300})));
    }
}

TEST_CASE("the refusal names the access that would race") {
    ir::Program program = straight_line();
    std::vector<ir::Stmt>& body = program.kernels.front().roles.front().body;
    REQUIRE(remove_barrier(body, 0) == 1);
    try {
        ir::verify_barriers(program);
        FAIL("nothing was thrown");
    } catch (const InternalError& error) {
        const std::string text = error.what();
        CHECK(text.find("internal error: no barrier before the shared access of verify_barriers.cpp:") == 0);
    }
}

}  // namespace
}  // namespace tilejit::test
