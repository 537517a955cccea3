/// \file Persistent kernels under construction whose roles meet in channels.
#pragma once

#include <functional>
#include <string>

#include "tests/generator/program_support.h"

namespace tilejit::test {

/// Tiles of 4 rows by 64 columns of bf16, of x [batch, 64], on their way to y.
struct Pipeline {
    dsl::ProgramBuilder p;
    dsl::Axis row = p.axis("row", 4);
    dsl::Axis column = p.axis("column", 64);
    dsl::Tensor x = p.input("x", DType::bf16, {p.batch(), 64});
    dsl::Tensor y = p.output("y", DType::bf16, {p.batch(), 64});
    dsl::KernelBuilder k = p.kernel("k");
    dsl::Tiles tiles = k.persistent("tile", ceil_div(p.batch(), 4));

    explicit Pipeline(const Specialization& spec = toy("sm_90a")) : p("pipeline", spec) {}

    dsl::Ring ring(const std::string& name, int stages) { return k.ring(name, DType::bf16, {row, column}, stages); }
    dsl::Spread spread() const { return dsl::spread({row, column}).vector(column, 8); }
    dsl::View from(const dsl::Index& tile) const { return x(4 * tile + row, column); }
    dsl::View to(const dsl::Index& tile) const { return y(4 * tile + row, column); }

    /// A role that does `body` for each tile.
    void role(const std::string& name, int warps, const std::function<void(dsl::RoleBuilder&, dsl::Index)>& body) {
        k.role(name, {.warps = warps},
               [&](dsl::RoleBuilder& r) { r.tiles(tiles, [&](const dsl::Index& tile) { body(r, tile); }); });
    }
    void load(const dsl::Ring& ring, const std::string& name = "load", int warps = 1) {
        role(name, warps, [&](dsl::RoleBuilder& r, const dsl::Index& tile) { r.fill(ring, from(tile)); });
    }
    /// Reads a ring's tile and stores it to y.
    void copy(const dsl::Ring& ring, const std::string& name = "copy", int warps = 2) {
        role(name, warps, [&](dsl::RoleBuilder& r, const dsl::Index& tile) {
            r.store(r.load(r.peek(ring)(row, column), spread()), to(tile));
        });
    }
    /// Doubles a ring's tile in place.
    void twice(dsl::RoleBuilder& r, const dsl::Slot& slot) const {
        r.store(to_bf16(2.0F * to_f32(r.load(slot(row, column), spread()))), slot(row, column));
    }
};

/// A row sum over the blocks of a cluster: each block sums its columns, the owner adds the sums and sends the
/// total to all, which scale their columns by it.
struct Exchanging {
    static constexpr int kBlocks = 4;
    dsl::ProgramBuilder p;
    int rows;
    dsl::Axis row = p.axis("row", rows);
    dsl::Axis column = p.axis("column", 64);
    dsl::Tensor x = p.input("x", DType::bf16, {p.batch(), kBlocks * 64});
    dsl::Tensor y = p.output("y", DType::f32, {p.batch(), kBlocks * 64});
    dsl::KernelBuilder k = p.kernel("k");
    dsl::Tiles tiles = k.persistent("tile", ceil_div(p.batch(), rows));
    dsl::Index rank = k.cluster("rank", kBlocks);
    dsl::Ring ring;
    dsl::Exchange partial = k.reduce_scatter("partial", {row});
    dsl::Exchange total = k.all_gather("total", {row});

    explicit Exchanging(int stages, int row_count = 8)
        : p("exchanging", toy("sm_90a")), rows(row_count), ring(k.ring("x", DType::bf16, {row, column}, stages)) {}

    dsl::Spread lanes() const { return dsl::spread({row, column}).vector(column, 8).lanes(); }

    void load() {
        k.role("load", {.warps = 1}, [&](dsl::RoleBuilder& r) {
            r.tiles(tiles, [&](const dsl::Index& t) { r.fill(ring, x(rows * t + row, 64 * rank + column)); });
        });
    }
    void sum_up(int copies = 1) {
        k.role("sum", {.warps = 2, .copies = copies}, [&](dsl::RoleBuilder& r) {
            r.tiles(tiles, [&](const dsl::Index&) {
                r.send(sum(to_f32(r.load(r.peek(ring)(row, column), lanes())), column), partial(row));
            });
        });
    }
    void own(int warps = 1, int copies = 1) {
        k.role("own", {.warps = warps, .copies = copies}, [&](dsl::RoleBuilder& r) {
            r.owned_tiles(tiles, [&](const dsl::Index&) {
                r.send(r.load(r.receive(partial)(row), dsl::spread({row})), total(row));
            });
        });
    }
    /// `held`: the ring's tile is held until the total has been read.
    void scale(bool held = true) {
        k.role("scale", {.warps = 2}, [&](dsl::RoleBuilder& r) {
            r.tiles(tiles, [&](const dsl::Index& t) {
                if (held) {
                    const dsl::Tile sums = r.load(r.receive(total)(row));
                    const dsl::Tile v = to_f32(r.load(r.peek(ring)(row, column), lanes()));
                    r.store(v * sums, y(rows * t + row, 64 * rank + column));
                } else {
                    const dsl::Tile v = to_f32(r.load(x(rows * t + row, 64 * rank + column), lanes()));
                    r.store(v * r.load(r.receive(total)(row)), y(rows * t + row, 64 * rank + column));
                }
            });
        });
    }
    ir::Program finish(int copies = 1) {
        load();
        sum_up(copies);
        own();
        scale();
        return p.finish();
    }
};

inline const ir::Buffer& buffer_of(const ir::Program& program, const std::string& name) {
    for (const ir::Buffer& buffer : program.kernels.front().buffers) {
        if (buffer.name == name) {
            return buffer;
        }
    }
    FAIL("no buffer " << name);
    return program.kernels.front().buffers.front();
}

inline const ir::Sync& sync_of(const ir::Program& program, const std::string& name) {
    for (const ir::Sync& sync : program.kernels.front().syncs) {
        if (sync.name == name) {
            return sync;
        }
    }
    FAIL("no barrier " << name);
    return program.kernels.front().syncs.front();
}

}  // namespace tilejit::test
