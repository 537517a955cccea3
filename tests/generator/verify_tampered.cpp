/// Programs that no author can write: the verifier tells them as faults of a pass.
#include "generator/ir/verify.h"
#include "generator/layout/layout.h"
#include "tests/generator/dsl_toy.h"

namespace tilejit::test {
namespace {

using namespace dsl;

struct Lowered {
    int line = 0;
    ir::Program program;

    Lowered() {
        Toy toy;
        toy.k.role("role", {.warps = 4}, [&](RoleBuilder& r) {
            line = __LINE__ + 1;
            const Tile a = r.load(toy.x(toy.at, toy.column), toy.rows());
            const Shared s = r.share("s", a);
            r.store(a + s.read(), toy.y(toy.at, toy.column));
        });
        program = pass::run_all(toy.p.finish());
    }

    std::vector<ir::Stmt>& body() { return program.kernels.front().roles.front().body; }
    ir::Value& loaded() { return program.values[static_cast<std::size_t>(std::get<ir::Load>(body().front().op).out)]; }
};

TEST_CASE("a lowered program verifies") {
    const Lowered lowered;
    CHECK_NOTHROW(ir::verify(lowered.program));
    CHECK_NOTHROW(ir::verify_layouts(lowered.program));
    CHECK_NOTHROW(ir::verify_barriers(lowered.program));
}

TEST_CASE("a layout that leaves elements out") {
    Lowered lowered;
    lowered.loaded().layout->slot[0].extent = 1;
    check_fault(generate_error([&] { ir::verify_layouts(lowered.program); }), lowered.line,
                "the layout of the tile f32[row, column] covers 2 of 4 elements of axis 'row': 128 "
                "threads(column:64x1@1 row:2x1@64) slots(row:1x2)");
}

TEST_CASE("a value that is defined twice, before its use, or out of range") {
    Lowered twice;
    twice.body().push_back(twice.body().front());
    CHECK_THROWS_AS(ir::verify(twice.program), InternalError);

    Lowered early;
    std::swap(early.body().front(), early.body().back());
    CHECK_THROWS_AS(ir::verify(early.program), GenerateError);

    Lowered range;
    std::get<ir::Store>(range.body().back().op).in = 1000;
    CHECK_THROWS_AS(ir::verify(range.program), InternalError);
}

TEST_CASE("an operation with too few operands, or an access of another rank") {
    Lowered arity;
    for (ir::Stmt& stmt : arity.body()) {
        if (auto* map = std::get_if<ir::Map>(&stmt.op)) {
            map->args.pop_back();
        }
    }
    CHECK_THROWS_AS(ir::verify(arity.program), InternalError);

    Lowered rank;
    std::get<ir::Load>(rank.body().front().op).at.pop_back();
    CHECK_THROWS_AS(ir::verify(rank.program), InternalError);

    Lowered buffer;
    for (ir::Stmt& stmt : buffer.body()) {
        if (auto* read = std::get_if<ir::SharedLoad>(&stmt.op)) {
            read->buffer = 1;
        }
    }
    CHECK_THROWS_AS(ir::verify(buffer.program), InternalError);
}

}  // namespace
}  // namespace tilejit::test
