/// Misuse of tile expressions, loads and stores, each with its whole message.
#include "tests/generator/dsl_toy.h"

namespace tilejit::test {
namespace {

using namespace dsl;

TEST_CASE("an index for each dimension") {
    Toy toy;
    int line = 0;
    check_fault(toy.fault([&](RoleBuilder& r) {
        line = __LINE__ + 1;
        r.load(toy.x(toy.at));
    }),
                line, "tensor 'x' has 2 dimensions, came 1 indices");
    CHECK(Toy().fault([](RoleBuilder&) {}) == "");
}

TEST_CASE("an axis indexes one dimension") {
    Toy toy;
    int line = 0;
    check_fault(toy.fault([&](RoleBuilder& r) {
        line = __LINE__ + 1;
        r.load(toy.x(toy.row, 16 * Index(toy.row) + toy.column), toy.rows());
    }),
                line, "axis 'row' indexes two dimensions");
}

TEST_CASE("indices go forward") {
    int line = 0;
    const auto fault = [&](const std::function<Index(const Toy&, const Index&)>& index) {
        Toy toy;
        return toy.fault([&](RoleBuilder& r) {
            r.loop("turn", 2, [&](const Index& turn) {
                const Index at = index(toy, turn);
                line = __LINE__ + 1;
                r.load(toy.x(toy.at, at), toy.rows());
            });
        });
    };
    check_fault(fault([](const Toy& toy, const Index& turn) { return -1 * turn + toy.column; }), line,
                "an index may not decrease");
    check_fault(fault([](const Toy& toy, const Index&) { return Index(toy.column) + -3; }), line,
                "an index may not be negative, came -3");
    check_fault(fault([](const Toy& toy, const Index&) { return 63 + -1 * Index(toy.column); }), line,
                "an index may not stand still or decrease along a tile, came -1 * 'column'");
    check_fault(fault([](const Toy& toy, const Index&) { return 0 * Index(toy.column); }), line,
                "an index may not stand still or decrease along a tile, came 0 * 'column'");
    CHECK(fault([](const Toy& toy, const Index& turn) { return 3 * turn + 2 * Index(toy.column); }) == "");
}

TEST_CASE("an index mentions at most four axes, a tile has at most seven") {
    Toy toy;
    std::vector<Axis> bits;
    for (int i = 0; i < 5; ++i) {
        bits.push_back(toy.p.axis(fmt::format("bit{}", i), 2));
    }
    int line = 0;
    const Index four = Index(bits[0]) + 2 * Index(bits[1]) + 4 * Index(bits[2]) + 8 * Index(bits[3]);
    check_fault(toy.fault([&](RoleBuilder& r) {
        r.load(toy.x(toy.at, four), spread({toy.row}));
        line = __LINE__ + 1;
        r.load(toy.x(toy.at, four + 16 * Index(bits[4])), spread({toy.row}));
    }),
                line, "an index may mention at most 4 axes, came 5");

    Toy wide;
    bits.push_back({});
    for (Axis& bit : bits) {
        bit = wide.p.axis("bit", 2);
    }
    check_fault(wide.fault([&](RoleBuilder& r) {
        const Tile six = r.fill({bits[0], bits[1], bits[2], bits[3], bits[4], bits[5]}, 0);
        line = __LINE__ + 1;
        six + r.load(wide.x(wide.at, wide.column), wide.rows());
    }),
                line, "a tile may have at most 7 axes, came 8");
}

TEST_CASE("a counter is used in its kernel and loop") {
    Toy loops;
    int line = 0;
    check_fault(loops.fault([&](RoleBuilder& r) {
        Index counter;
        r.loop("turn", 2, [&](const Index& turn) { counter = turn; });
        line = __LINE__ + 1;
        r.load(loops.x(loops.at, 32 * counter + loops.column), loops.rows());
    }),
                line, "'turn' is used outside the kernel or loop that counts it");

    Toy kernels;
    kernels.k.role("role", {.warps = 4}, [](RoleBuilder&) {});
    KernelBuilder second = kernels.p.kernel("second");
    second.blocks("other", 2);
    check_fault(generate_error([&] {
                    second.role("role", {.warps = 4}, [&](RoleBuilder& r) {
                        line = __LINE__ + 1;
                        r.load(kernels.x(kernels.at, kernels.column), kernels.rows());
                    });
                    kernels.p.finish();
                }),
                line, "'tile' is used outside the kernel or loop that counts it");
}

TEST_CASE("stores go to outputs and workspaces, of the tile's type and axes") {
    int line = 0;
    const auto fault = [&](const std::function<View(const Toy&)>& view) {
        Toy toy;
        return toy.fault([&](RoleBuilder& r) {
            const Tile tile = r.load(toy.x(toy.at, toy.column), toy.rows());
            line = __LINE__ + 1;
            r.store(tile, view(toy));
        });
    };
    check_fault(fault([](const Toy& toy) { return toy.x(toy.at, toy.column); }), line,
                "'x' is an input and cannot be stored to");
    check_fault(fault([](const Toy& toy) { return toy.y(toy.at, 0); }), line,
                "the tile f32[row, column] does not fit this part of 'y' (f32)");
    CHECK(fault([](const Toy& toy) { return toy.y(toy.at, toy.column); }) == "");

    Toy types;
    check_fault(types.fault([&](RoleBuilder& r) {
        const Tile tile = r.load(types.h(types.at, types.column), types.rows());
        line = __LINE__ + 1;
        r.store(tile, types.y(types.at, types.column));
    }),
                line, "the tile bf16[row, column] does not fit this part of 'y' (f32)");
}

TEST_CASE("spreads deal the tile's axes, each once") {
    int line = 0;
    const auto fault = [&](const std::function<Spread(const Toy&, Axis)>& wanted, bool shared) {
        Toy toy;
        const Axis other = toy.p.axis("other", 2);
        return toy.fault([&](RoleBuilder& r) {
            const Spread given = wanted(toy, other);
            if (shared) {
                const Shared s = r.share("s", r.load(toy.x(toy.at, toy.column), toy.rows()));
                line = __LINE__ + 1;
                s.read(given);
            } else {
                line = __LINE__ + 1;
                r.load(toy.x(toy.at, toy.column), given);
            }
        });
    };
    for (const bool shared : {false, true}) {
        check_fault(fault(
                        [](const Toy& toy, Axis other) {
                            return spread({toy.row, other});
                        },
                        shared),
                    line, "a spread deals each axis of the tile f32[row, column] once at most, came 'other' besides");
        check_fault(fault(
                        [](const Toy& toy, Axis) {
                            return spread({toy.row, toy.row});
                        },
                        shared),
                    line, "a spread deals each axis of the tile f32[row, column] once at most, came 'row' twice");
        check_fault(fault([](const Toy& toy, Axis other) { return toy.rows().vector(other, 2); }, shared), line,
                    "a thread cannot hold neighbours on 'other': the tile is f32[row, column]");
        check_fault(fault([](const Toy& toy, Axis) { return toy.rows().vector(toy.column, 0); }, shared), line,
                    "a thread holds 1 neighbour or more, came 0");
        CHECK(fault([](const Toy& toy, Axis) { return toy.rows().vector(toy.column, 3); }, shared) == "");
    }
}

TEST_CASE("expressions take tiles of the right type") {
    Toy toy;
    int line = 0;
    check_fault(toy.fault([&](RoleBuilder&) {
        line = __LINE__ + 1;
        Operand(1.0F) + Operand(2.0F);
    }),
                line, "expected a tile, came only numbers");
    const auto fault = [&](const std::function<void(const Tile& f32, const Tile& bf16)>& body) {
        Toy fresh;
        return fresh.fault([&](RoleBuilder& r) {
            body(r.load(fresh.x(fresh.at, fresh.column), fresh.rows()),
                 r.load(fresh.h(fresh.at, fresh.column), fresh.rows()));
        });
    };
    check_fault(fault([&](const Tile& a, const Tile& b) {
                    line = __LINE__ + 1;
                    a + b;
                }),
                line, "add expects f32 operands, came bf16[row, column]; convert with to_f32 or to_bf16");
    check_fault(fault([&](const Tile& a, const Tile&) {
                    line = __LINE__ + 1;
                    to_f32(a);
                }),
                line, "to_f32 expects bf16 operands, came f32[row, column]; convert with to_f32 or to_bf16");
    check_fault(fault([&](const Tile&, const Tile& b) {
                    line = __LINE__ + 1;
                    fma(2.0F, b, 1.0F);
                }),
                line, "fma expects f32 operands, came bf16[row, column]; convert with to_f32 or to_bf16");
}

TEST_CASE("reductions are over axes of f32 tiles") {
    Toy toy;
    int line = 0;
    check_fault(toy.fault([&](RoleBuilder& r) {
        const Tile tile = r.load(toy.h(toy.at, toy.column), toy.rows());
        line = __LINE__ + 1;
        sum(tile, toy.column);
    }),
                line, "reductions expect f32, came bf16[row, column]; convert with to_f32");
    Toy axes;
    check_fault(axes.fault([&](RoleBuilder& r) {
        const Tile tile = r.load(axes.x(axes.at, 0), spread({axes.row}));
        line = __LINE__ + 1;
        largest(tile, axes.column);
    }),
                line, "cannot reduce over axis 'column': the tile is f32[row]");
    Toy many;
    check_fault(many.fault([&](RoleBuilder& r) {
        const Tile tile = r.fill({many.row}, 0);
        line = __LINE__ + 1;
        sum(tile, {many.row, many.row, many.row, many.row, many.row});
    }),
                line, "a reduction may be over at most 4 axes at a time, came 5");
}

TEST_CASE("contractions share an axis and start as they end") {
    int line = 0;
    const auto fault = [&](const std::function<void(Toy&, RoleBuilder&, const Tile&)>& body) {
        Toy toy;
        return toy.fault([&](RoleBuilder& r) { body(toy, r, r.load(toy.x(toy.at, toy.column), spread({toy.row}))); });
    };
    check_fault(fault([&](Toy& toy, RoleBuilder& r, const Tile& a) {
                    const Tile b = r.load(toy.x(toy.at, 0));
                    line = __LINE__ + 1;
                    contract(a, b, toy.column);
                }),
                line, "contract expects f32 operands with axis 'column', came f32[row]");
    check_fault(fault([&](Toy& toy, RoleBuilder& r, const Tile& a) {
                    const Tile b = r.load(toy.h(toy.at, toy.column));
                    line = __LINE__ + 1;
                    contract(a, b, toy.column);
                }),
                line, "contract expects f32 operands with axis 'column', came bf16[row, column]");
    check_fault(fault([&](Toy& toy, RoleBuilder&, const Tile& a) {
                    line = __LINE__ + 1;
                    contract(a, a, toy.column, a);
                }),
                line, "contract gives f32[row], its start value is f32[row, column]");
    CHECK(fault([&](Toy& toy, RoleBuilder&, const Tile& a) { contract(a, a, toy.column, sum(a, toy.column)); }) == "");
}

}  // namespace
}  // namespace tilejit::test
