/// The operands of tensor-core products lie as the PTX ISA draws the fragments of
/// mma.m16n8k16 for bf16.
#include <set>

#include "generator/layout/layout.h"
#include "tests/generator/dsl_products.h"

namespace tilejit::test {
namespace {

/// A position in a fragment: what PTX says about element `i` of a lane's registers.
struct Position {
    int row;
    int column;
};

Position a_fragment(int lane, int i) {
    const int group = lane / 4;
    const int in_group = lane % 4;
    return {i < 2 || (4 <= i && i < 6) ? group : group + 8, 2 * in_group + i % 2 + (i < 4 ? 0 : 8)};
}

Position b_fragment(int lane, int i) { return {2 * (lane % 4) + i % 2 + (i < 2 ? 0 : 8), lane / 4}; }

/// Which token a tile of 8 has in a column of the instruction.
int token_of(int column) { return column / 2 + 4 * (column % 2); }

Position c_fragment(int lane, int i) { return {i < 2 ? lane / 4 : lane / 4 + 8, 2 * (lane % 4) + i % 2}; }

struct Lowered {
    Products g;
    ir::Program program;
    ir::Mma op;
    tj::Layout weights;
    tj::Layout tokens;
    tj::Layout acc;

    Lowered()
        : program(g.finish(
              [this](dsl::RoleBuilder& r) {
                  const dsl::Tile acc_in = r.fill({g.stream, g.half, g.q, g.token}, 0);
                  mma(split(r.load(g.weights()), g.half), r.load(g.tokens()), g.chunk, g.element, g.half, acc_in);
              },
              2)) {
        pass::choose_atoms(program);
        op = all<ir::Mma>(program).front();
        weights = *value_of(program, op.weights).layout;
        tokens = *value_of(program, op.tokens).layout;
        acc = *value_of(program, op.acc).layout;
    }
};

TEST_CASE("mma operands lie as fragments of m16n8k16") {
    const Lowered lowered;
    const auto& [g, program, op, weights, tokens, acc] = lowered;
    CHECK(weights.slots() == 8 * 2 * 16 / 8);
    CHECK(tokens.slots() == 8 * 24 / 8);
    CHECK(acc.slots() == 2 * (16 / 8) * 2 * (24 / 8));
    CHECK(*value_of(program, op.out).layout == acc);

    // Which of the 32 terms each of the two instructions takes as its k: A and B must agree.
    std::map<std::array<int, 2>, std::array<int, 2>> term_of_k;
    const auto agrees = [&](int instruction, int k, int chunk, int element) {
        const auto [at, fresh] = term_of_k.try_emplace({instruction, k}, std::array{chunk, element});
        return fresh || at->second == std::array{chunk, element};
    };
    for (int thread = 0; thread < 64; ++thread) {
        const int lane = thread % 32;
        for (int instruction = 0; instruction < 2; ++instruction) {
            for (int tile = 0; tile < 2; ++tile) {
                for (int i = 0; i < 8; ++i) {
                    const Position at = a_fragment(lane, i);
                    // Registers 0 and 2 hold hi, 1 and 3 lo of the same weights.
                    const int slot = 16 * tile + 8 * (i / 2 % 2) + 4 * instruction + i % 2 + 2 * (i / 4);
                    CHECK(weights.coord(op.m, thread, slot) == 8 * tile + at.row % 8);
                    CHECK(weights.coord(op.part, thread, slot) == at.row / 8);
                    REQUIRE(agrees(instruction, at.column, weights.coord(op.chunk, thread, slot),
                                   weights.coord(op.element, thread, slot)));
                    CHECK(weights.coord(g.stream.id, thread, slot) == thread / 32);
                }
            }
            for (int tile = 0; tile < 3; ++tile) {
                for (int i = 0; i < 4; ++i) {
                    const Position at = b_fragment(lane, i);
                    const int slot = 8 * tile + 4 * instruction + i;
                    CHECK(tokens.coord(op.n, thread, slot) == 8 * tile + token_of(at.column));
                    REQUIRE(agrees(instruction, at.row, tokens.coord(op.chunk, thread, slot),
                                   tokens.coord(op.element, thread, slot)));
                    CHECK(tokens.coord(g.stream.id, thread, slot) == thread / 32);
                }
            }
        }
        for (int m = 0; m < 2; ++m) {
            for (int n = 0; n < 3; ++n) {
                for (int i = 0; i < 4; ++i) {
                    const Position at = c_fragment(lane, i);
                    const int slot = 4 * (2 * n + m) + i;
                    CHECK(acc.coord(op.part, thread, slot) == at.row / 8);
                    CHECK(acc.coord(op.m, thread, slot) == 8 * m + at.row % 8);
                    CHECK(acc.coord(op.n, thread, slot) == 8 * n + token_of(at.column));
                    CHECK(acc.coord(g.stream.id, thread, slot) == thread / 32);
                }
            }
        }
    }
    std::set<std::array<int, 2>> terms;
    for (const auto& [k, term] : term_of_k) {
        terms.insert(term);
        // The plan's order: instruction h takes elements 4h..4h+3 of all chunks.
        CHECK(term[1] / 4 == k[0]);
    }
    CHECK(term_of_k.size() == 32);
    CHECK(terms.size() == 32);
}

TEST_CASE("axes of one element need no warp of their own") {
    dsl::ProgramBuilder p("products", toy());
    const dsl::Axis one = p.axis("one", 1);
    const dsl::Axis half = p.axis("half", 2);
    const dsl::Axis chunk = p.axis("chunk", 4);
    const dsl::Axis element = p.axis("element", 8);
    const dsl::Axis q = p.axis("q", 8);
    const dsl::Axis token = p.axis("token", 8);
    dsl::KernelBuilder k = p.kernel("k");
    const dsl::Index tile = k.blocks("tile", ceil_div(p.batch(), 8));
    k.role("role", {.warps = 1}, [&](dsl::RoleBuilder& r) {
        const dsl::Index term = 32 * dsl::Index(one) + 8 * dsl::Index(chunk) + element;
        const dsl::Tile w = r.load(p.input("w", DType::f32, {32, 8})(term, q));
        const dsl::Tile t = r.load(p.input("t", DType::bf16, {p.batch(), 32})(8 * tile + token, term));
        mma(split(w, half), t, chunk, element, half, r.fill({one, half, q, token}, 0));
    });
    ir::Program program = p.finish();
    pass::choose_atoms(program);
    const ir::Mma op = all<ir::Mma>(program).front();
    CHECK(layout::describe(program, *value_of(program, op.weights).layout) ==
          "32 threads(chunk:4x1@1 q:8x1@4) slots(element:8x1 half:2x1)");
    CHECK(layout::describe(program, *value_of(program, op.tokens).layout) ==
          "32 threads(chunk:4x1@1 token:2x4@4 token:4x1@8) slots(element:8x1)");
    CHECK(layout::describe(program, *value_of(program, op.acc).layout) ==
          "32 threads(token:4x1@1 q:8x1@4) slots(token:2x4 half:2x1)");
}

TEST_CASE("a program without products is left alone") {
    const ir::Program before = build_program(specialized({"MHCPostFwdOp", 4, 4, 1280}));
    ir::Program after = before;
    pass::choose_atoms(after);
    for (const ir::Value& value : after.values) {
        CHECK_FALSE(value.layout);
    }
}

}  // namespace
}  // namespace tilejit::test
