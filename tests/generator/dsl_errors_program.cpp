/// Misuse of programs, tensors, kernels and roles, each with its whole message.
#include <optional>

#include "tests/generator/dsl_toy.h"

namespace tilejit::test {
namespace {

using namespace dsl;

TEST_CASE("axes have 1 to 65536 elements") {
    Toy toy;
    int line = 0;
    for (const std::int64_t extent : {std::int64_t{0}, std::int64_t{-1}, std::int64_t{65537}, INT64_MAX}) {
        const std::string error = generate_error([&] {
            line = __LINE__ + 1;
            toy.p.axis("wide", extent);
        });
        check_fault(error, line, fmt::format("axis 'wide' may have 1 to 65536 elements, came {}", extent));
    }
    CHECK(toy.p.axis("one", 1).extent == 1);
    CHECK(toy.p.axis("most", 65536).extent == 65536);
}

TEST_CASE("only a first dimension may be open") {
    Toy toy;
    int line = 0;
    const std::string error = generate_error([&] {
        line = __LINE__ + 1;
        toy.p.input("t", DType::f32, {8, toy.p.batch()});
    });
    check_fault(error, line, "only the first dimension of 't' may be open");
}

TEST_CASE("arguments have at most two dimensions, workspaces at most five, and nothing has none") {
    Toy toy;
    int line = 0;
    check_fault(generate_error([&] {
                    line = __LINE__ + 1;
                    toy.p.output("t", DType::f32, {toy.p.batch(), 2, 3});
                }),
                line, "'t': arguments have at most two dimensions; split() makes more");
    check_fault(generate_error([&] {
                    line = __LINE__ + 1;
                    toy.p.input("t", DType::f32, {});
                }),
                line, "a tensor has 1 to 5 dimensions, 't' came with 0");
    check_fault(generate_error([&] {
                    line = __LINE__ + 1;
                    toy.p.workspace("w", DType::f32, {toy.p.batch(), 2, 2, 2, 2, 2});
                }),
                line, "a tensor has 1 to 5 dimensions, 'w' came with 6");
    CHECK(generate_error([&] { toy.p.workspace("w", DType::f32, {toy.p.batch(), 2, 2, 2, 2}); }) == "");
}

TEST_CASE("a dimension splits into parts of the same size") {
    Toy toy;
    int line = 0;
    check_fault(generate_error([&] {
                    line = __LINE__ + 1;
                    toy.x.split(2, {8, 8});
                }),
                line, "tensor 'x' has no dimension 2");
    check_fault(generate_error([&] {
                    line = __LINE__ + 1;
                    toy.x.split(-1, {8, 8});
                }),
                line, "tensor 'x' has no dimension -1");
    check_fault(generate_error([&] {
                    line = __LINE__ + 1;
                    toy.x.split(1, {8, 9});
                }),
                line, "dimension 1 of 'x' has 64 elements, cannot be split into 72");
    check_fault(generate_error([&] {
                    line = __LINE__ + 1;
                    toy.x.split(0, {8, 8});
                }),
                line, "dimension 0 of 'x' has an open number of elements, cannot be split into 64");
    check_fault(generate_error([&] {
                    line = __LINE__ + 1;
                    toy.x.split(1, {4, 2, 2, 2, 2});
                }),
                line, "a tensor may be split into at most 5 dimensions, came 6 of 'x'");
    CHECK(generate_error([&] { toy.x.split(1, {4, 4, 2, 2}); }) == "");
}

TEST_CASE("a grid has one to three dimensions of at least one block") {
    Toy toy;
    int line = 0;
    check_fault(generate_error([&] {
                    line = __LINE__ + 1;
                    toy.k.blocks("none", 0);
                }),
                line, "a grid needs at least 1 block, came 0 'none'");
    toy.k.blocks("second", 2);
    toy.k.blocks("third", 3);
    check_fault(generate_error([&] {
                    line = __LINE__ + 1;
                    toy.k.blocks("fourth", 4);
                }),
                line, "a grid has at most three dimensions");
}

TEST_CASE("a batch of 0 that is baked in has no blocks") {
    const Specialization spec = toy("sm_80", Access::aligned, {0, 0});
    ProgramBuilder p("toy", spec);
    KernelBuilder k = p.kernel("k");
    CHECK(generate_error([&] { k.blocks("tile", ceil_div(p.batch(), 4)); }) == "");
}

TEST_CASE("a role has 1 to 32 warps") {
    Toy toy;
    int line = 0;
    for (const int warps : {0, -1, 33}) {
        const std::string error = generate_error([&] {
            line = __LINE__ + 1;
            toy.k.role("load", {.warps = warps}, [](RoleBuilder&) {});
        });
        check_fault(error, line, fmt::format("role 'load' may have 1 to 32 warps, came {}", warps));
    }
    CHECK(generate_error([&] { toy.k.role("load", {.warps = 32}, [](RoleBuilder&) {}); }) == "");
}

TEST_CASE("a kernel needs a role and a grid") {
    const std::string needs = "kernel 'toy_k' needs a role, and blocks() or persistent(); came ";
    const Specialization spec = toy();
    int line = 0;
    const auto fault = [&](int roles, bool grid) {
        return generate_error([&] {
            ProgramBuilder p("toy", spec);
            line = __LINE__ + 1;
            KernelBuilder k = p.kernel("k");
            if (grid) {
                k.blocks("tile", 1);
            }
            for (int i = 0; i < roles; ++i) {
                k.role("role", {.warps = 1}, [](RoleBuilder&) {});
            }
            p.finish();
        });
    };
    check_fault(fault(0, true), line, needs + "0 roles and 1 dimensions of blocks");
    check_fault(fault(1, false), line, needs + "1 roles and 0 dimensions of blocks");
    check_fault(fault(33, true), line, "the roles of kernel 'toy_k' have 1056 threads together, a block may have 1024");
    CHECK(fault(1, true) == "");
    CHECK(fault(2, true) == "");
}

TEST_CASE("kernels are written one after the other") {
    Toy toy;
    int line = 0;
    check_fault(generate_error([&] {
                    toy.k.role("role", {.warps = 1}, [&](RoleBuilder&) {
                        line = __LINE__ + 1;
                        toy.p.kernel("inner");
                    });
                }),
                line, "a kernel cannot be begun inside a role");

    Toy two;
    two.p.kernel("second");
    const std::string finished = "kernel 'toy_k' was finished when 'toy_second' was begun";
    check_fault(generate_error([&] {
                    line = __LINE__ + 1;
                    two.k.blocks("tile", 1);
                }),
                line, finished);
    check_fault(generate_error([&] {
                    line = __LINE__ + 1;
                    two.k.min_blocks(2);
                }),
                line, finished);
    check_fault(generate_error([&] {
                    line = __LINE__ + 1;
                    two.k.role("role", {.warps = 1}, [](RoleBuilder&) {});
                }),
                line, finished);
}

TEST_CASE("tiles are made in a role and used where they were made") {
    Toy toy;
    Tile leaked;
    toy.k.role("role", {.warps = 1}, [&](RoleBuilder& r) { leaked = r.load(toy.x(toy.at, toy.column)); });
    int line = 0;
    check_fault(generate_error([&] {
                    line = __LINE__ + 1;
                    leaked + 1.0F;
                }),
                line, "tile operations belong in the body of a role");

    KernelBuilder second = toy.p.kernel("second");
    second.blocks("tile", 1);
    check_fault(generate_error([&] {
                    second.role("role", {.warps = 1}, [&](RoleBuilder&) {
                        line = __LINE__ + 1;
                        leaked + 1.0F;
                    });
                    toy.p.finish();
                }),
                line,
                "a tile is used outside the role, loop or kernel that made it; pass it through memory or carry it");
}

TEST_CASE("a tile made in a loop is gone after it") {
    Toy toy;
    int line = 0;
    const std::string error = toy.fault([&](RoleBuilder& r) {
        Tile inner;
        r.loop("turn", 2, [&](const Index&) { inner = r.load(toy.x(toy.at, toy.column), toy.rows()); });
        line = __LINE__ + 1;
        r.store(inner, toy.y(toy.at, toy.column));
    });
    check_fault(error, line,
                "a tile is used outside the role, loop or kernel that made it; pass it through memory or carry it");
}

TEST_CASE("a shared tile belongs to its kernel") {
    for (const bool own_tile : {false, true}) {
        Toy toy;
        std::optional<Shared> shared;
        toy.k.role("role", {.warps = 1},
                   [&](RoleBuilder& r) { shared = r.share("s", r.load(toy.x(toy.at, toy.column), toy.rows())); });
        KernelBuilder second = toy.p.kernel("second");
        second.blocks("tile", 1);
        int line = 0;
        check_fault(generate_error([&] {
                        second.role("role", {.warps = 1}, [&](RoleBuilder& r) {
                            if (own_tile) {
                                r.share("other", r.fill({toy.row}, 0));
                            }
                            line = __LINE__ + 1;
                            shared->read();
                        });
                    }),
                    line, "a shared tile is used outside its kernel");
    }
}

TEST_CASE("a loop carries tiles that its body makes, as they were given") {
    Toy toy;
    const Param turns = toy.p.param_i32("turns");
    int line = 0;
    check_fault(toy.fault([&](RoleBuilder& r) {
        const Tile start = r.load(toy.x(toy.at, toy.column), toy.rows());
        line = __LINE__ + 1;
        r.loop("turn", turns, start, [&](const Tile& carried) { return sum(carried, toy.row); });
    }),
                line, "loop 'turn' carries f32[row, column] and returns f32[column]");

    Toy types;
    const Param more = types.p.param_i32("turns");
    check_fault(types.fault([&](RoleBuilder& r) {
        const Tile start = r.load(types.x(types.at, types.column), types.rows());
        line = __LINE__ + 1;
        r.loop("turn", more, start, [&](const Tile& carried) { return to_bf16(carried); });
    }),
                line, "loop 'turn' carries f32[row, column] and returns bf16[row, column]");

    Toy idle;
    const Param times = idle.p.param_i32("turns");
    check_fault(idle.fault([&](RoleBuilder& r) {
        const Tile start = r.load(idle.x(idle.at, idle.column), idle.rows());
        line = __LINE__ + 1;
        r.loop("turn", times, start, [&](const Tile& carried) { return carried; });
    }),
                line, "a loop carries tiles that its body makes");

    Toy real;
    const Param scale = real.p.param_f32("factor");
    check_fault(real.fault([&](RoleBuilder& r) {
        const Tile start = r.load(real.x(real.at, real.column), real.rows());
        line = __LINE__ + 1;
        r.loop("turn", scale, start, [&](const Tile& carried) { return carried + 1.0F; });
    }),
                line, "a loop counts to an integer parameter");
}

}  // namespace
}  // namespace tilejit::test
