/// Misuse of channels, clusters and persistent kernels, each with its whole message.
#include "tests/generator/program_support.h"

namespace tilejit::test {
namespace {

using namespace dsl;

/// A persistent kernel of tiles of 4 rows by 64 columns on a target with clusters.
struct Pipeline {
    ProgramBuilder p;
    Axis row = p.axis("row", 4);
    Axis column = p.axis("column", 64);
    Tensor x = p.input("x", DType::bf16, {p.batch(), 64});
    Tensor y = p.output("y", DType::bf16, {p.batch(), 64});
    KernelBuilder k = p.kernel("k");
    Tiles tiles = k.persistent("tile", ceil_div(p.batch(), 4));

    explicit Pipeline(const std::string& arch = "sm_90a") : p("pipeline", toy(arch)) {}

    void load(const Ring& ring) {
        k.role("load", {.warps = 1},
               [&](RoleBuilder& r) { r.tiles(tiles, [&](const Index& t) { r.fill(ring, x(4 * t + row, column)); }); });
    }
    void copy(const Ring& ring, const std::string& name = "copy") {
        k.role(name, {.warps = 4}, [&](RoleBuilder& r) {
            r.tiles(tiles, [&](const Index& t) {
                const Slot slot = r.peek(ring);
                r.store(r.load(slot(row, column), spread({row, column})), y(4 * t + row, column));
            });
        });
    }
    std::string fault(const std::function<void()>& body) {
        return generate_error([&] {
            body();
            p.finish();
        });
    }
};

TEST_CASE("a ring has one place that fills it and a role that reads it") {
    int line = 0;
    for (const auto& [fills, readers] : {std::pair{0, 1}, std::pair{1, 0}, std::pair{2, 1}}) {
        Pipeline g;
        check_fault(g.fault([&, fills = fills, readers = readers] {
            line = __LINE__ + 1;
            const Ring ring = g.k.ring("rows", DType::bf16, {g.row, g.column}, 2);
            for (int i = 0; i < fills; ++i) {
                g.load(ring);
            }
            for (int i = 0; i < readers; ++i) {
                g.copy(ring);
            }
        }),
                    line,
                    fmt::format("ring 'rows' needs one place that fills it and a role that reads it, came {} and {}",
                                fills, readers));
    }
    Pipeline right;
    CHECK(right.fault([&] {
        const Ring ring = right.k.ring("rows", DType::bf16, {right.row, right.column}, 2);
        right.load(ring);
        right.copy(ring, "first");
        right.copy(ring, "second");
    }) == "");
}

TEST_CASE("readers take every tile of a ring once") {
    Pipeline g;
    int line = 0;
    check_fault(g.fault([&] {
        const Ring ring = g.k.ring("rows", DType::bf16, {g.row, g.column}, 2);
        g.load(ring);
        g.k.role("copy", {.warps = 4}, [&](RoleBuilder& r) {
            r.tiles(g.tiles, [&](const Index& t) {
                r.loop("again", 2, [&](const Index&) {
                    line = __LINE__ + 1;
                    const Slot slot = r.peek(ring);
                    r.store(r.load(slot(g.row, g.column), spread({g.row, g.column})), g.y(4 * t + g.row, g.column));
                });
            });
        });
    }),
                line, "role 'copy' uses channel 'rows' 2 times a tile, role 'load' 1 times a tile");
}

TEST_CASE("a slot is used where it was asked for, and written only when it was taken") {
    int line = 0;
    Pipeline leaked;
    check_fault(leaked.fault([&] {
        const Ring ring = leaked.k.ring("rows", DType::bf16, {leaked.row, leaked.column}, 2);
        leaked.load(ring);
        leaked.k.role("copy", {.warps = 4}, [&](RoleBuilder& r) {
            std::optional<Slot> kept;
            r.tiles(leaked.tiles, [&](const Index&) { kept = r.peek(ring); });
            line = __LINE__ + 1;
            r.load((*kept)(leaked.row, leaked.column));
        });
    }),
                line, "a channel's tile is used outside the body in which it was asked for");
    Pipeline read;
    check_fault(read.fault([&] {
        const Ring ring = read.k.ring("rows", DType::bf16, {read.row, read.column}, 2);
        read.load(ring);
        read.k.role("copy", {.warps = 4}, [&](RoleBuilder& r) {
            r.tiles(read.tiles, [&](const Index&) {
                const Slot slot = r.peek(ring);
                const Tile v = r.load(slot(read.row, read.column), spread({read.row, read.column}));
                line = __LINE__ + 1;
                r.store(v, slot(read.row, read.column));
            });
        });
    }),
                line, "only a tile that was taken can be written; take() it instead of peek()");
    Pipeline stored;
    check_fault(stored.fault([&] {
        const Ring ring = stored.k.ring("rows", DType::bf16, {stored.row, stored.column}, 2);
        stored.load(ring);
        stored.k.role("copy", {.warps = 4}, [&](RoleBuilder& r) {
            r.tiles(stored.tiles, [&](const Index& t) {
                const Slot slot = r.peek(ring);
                line = __LINE__ + 1;
                r.store(slot, stored.y(4 * t + stored.row, stored.column));
            });
        });
    }),
                line, "a slot is stored by the role that takes it, or by one that waits until it is updated");
}

TEST_CASE("parts of a slot lie in it") {
    Pipeline g;
    int line = 0;
    check_fault(g.fault([&] {
        const Ring ring = g.k.ring("rows", DType::bf16, {g.row, g.column}, 2);
        g.load(ring);
        g.k.role("copy", {.warps = 4}, [&](RoleBuilder& r) {
            r.tiles(g.tiles, [&](const Index& t) {
                const Slot slot = r.peek(ring);
                line = __LINE__ + 1;
                const Tile v = r.load(slot(g.row, 1 + Index(g.column)), spread({g.row, g.column}));
                r.store(v, g.y(4 * t + g.row, g.column));
            });
        });
    }),
                line, "index 1 of 'rows' reaches 64, it has 64 elements of axis 'column'");
}

TEST_CASE("a fill fits the ring") {
    Pipeline g;
    int line = 0;
    check_fault(g.fault([&] {
        const Ring ring = g.k.ring("rows", DType::f32, {g.row, g.column}, 2);
        g.k.role("load", {.warps = 1}, [&](RoleBuilder& r) {
            r.tiles(g.tiles, [&](const Index& t) {
                line = __LINE__ + 1;
                r.fill(ring, g.x(4 * t + g.row, g.column));
            });
        });
    }),
                line, "this part of 'x' (bf16) does not fit ring 'rows' (f32)");
}

TEST_CASE("clusters come after persistent, before channels, and fit the target") {
    int line = 0;
    Pipeline old("sm_80");
    check_fault(old.fault([&] {
        line = __LINE__ + 1;
        old.k.cluster("rank", 2);
    }),
                line, "a cluster on sm_80 may have 1 to 1 blocks, came 2");
    Pipeline large;
    check_fault(large.fault([&] {
        line = __LINE__ + 1;
        large.k.cluster("rank", 17);
    }),
                line, "a cluster on sm_90a may have 1 to 16 blocks, came 17");
    Pipeline late;
    check_fault(late.fault([&] {
        late.k.ring("rows", DType::bf16, {late.row, late.column}, 2);
        line = __LINE__ + 1;
        late.k.cluster("rank", 2);
    }),
                line, "a cluster is made once, after persistent() and before the channels");
    Pipeline alone;
    check_fault(alone.fault([&] {
        alone.k.role("role", {.warps = 1}, [&](RoleBuilder& r) {
            line = __LINE__ + 1;
            r.owned_tiles(alone.tiles, [](const Index&) {});
        });
    }),
                line, "a tile has an owner in a cluster only; make one with cluster()");
    Pipeline grid;
    check_fault(grid.fault([&] {
        line = __LINE__ + 1;
        grid.k.blocks("tile", 1);
    }),
                line, "a persistent kernel has no grid of blocks");
}

TEST_CASE("an exchange is sent and received where its kind allows") {
    int line = 0;
    const auto fault = [&](bool owned_send, bool owned_receive) {
        Pipeline g;
        return g.fault([&] {
            g.k.cluster("rank", 2);
            const Exchange sums = g.k.reduce_scatter("sums", {g.row});
            g.k.role("send", {.warps = 1}, [&](RoleBuilder& r) {
                const auto body = [&](const Index&) { r.send(r.fill({g.row}, 1), sums(g.row)); };
                owned_send ? r.owned_tiles(g.tiles, body) : r.tiles(g.tiles, body);
            });
            g.k.role("receive", {.warps = 1}, [&](RoleBuilder& r) {
                const auto body = [&](const Index&) {
                    line = __LINE__ + 1;
                    const Slot slot = r.receive(sums);
                    r.share("sum", r.load(slot(g.row), spread({g.row})));
                };
                owned_receive ? r.owned_tiles(g.tiles, body) : r.tiles(g.tiles, body);
            });
        });
    };
    const std::string where =
        "channel 'sums' is received by a tile's owner, in owned_tiles(), and sent by all blocks, "
        "in tiles(), once a tile";
    check_fault(fault(true, true), line, where);
    check_fault(fault(false, false), line, where);
    CHECK(fault(false, true) == "");
}

TEST_CASE("registers: budgets of roles that share four warps, and the block's pool") {
    int line = 0;
    const auto fault = [&](int first_warps, int first, int second_warps, int second) {
        return generate_error([&] {
            ProgramBuilder p("toy", toy("sm_90a"));
            line = __LINE__ + 1;
            KernelBuilder k = p.kernel("k");
            k.blocks("tile", 1);
            k.role("first", {.warps = first_warps, .registers = first}, [](RoleBuilder&) {});
            k.role("second", {.warps = second_warps, .registers = second}, [](RoleBuilder&) {});
            p.finish();
        });
    };
    check_fault(fault(2, 64, 2, 72), line,
                "roles 'first' and 'second' share four warps and need the same number of registers, came 64 and 72");
    check_fault(fault(4, 0, 4, 72), line, "role 'first' has no number of registers, but others of kernel 'toy_k' have");
    check_fault(fault(8, 208, 8, 72), line,
                "the roles of kernel 'toy_k' want 71680 registers, the block has 65536 (512 threads of 128)");
    CHECK(fault(8, 184, 8, 72) == "");
    Pipeline odd;
    check_fault(odd.fault([&] {
        line = __LINE__ + 1;
        odd.k.role("role", {.warps = 4, .registers = 100}, [](RoleBuilder&) {});
    }),
                line, "a thread of role 'role' may have 24 to 240 registers, a multiple of 8, came 100");
}

}  // namespace
}  // namespace tilejit::test
