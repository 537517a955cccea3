/// \file Small lowered programs, written operation by operation: what passes would make of rings and exchanges.
/// Each statement has a line of its own in "hand.cpp".
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "generator/interpret/interpret.h"
#include "generator/ir/ir.h"

namespace tilejit::test {

/// A program of one persistent kernel over tiles of 4 rows by 16 columns, f32 in and out.
struct Hand {
    static constexpr int kRows = 4;
    static constexpr int kColumns = 16;
    static constexpr int kTileBytes = kRows * kColumns * 4;

    ir::Program program;
    ir::AxisId row = axis("row", kRows);
    ir::AxisId column = axis("column", kColumns);
    ir::TensorId x = tensor("x", ir::Tensor::Kind::input);
    ir::TensorId y = tensor("y", ir::Tensor::Kind::output);
    int line = 0;

    explicit Hand(int cluster = 1) {
        program.kernels.emplace_back();
        kernel().name = "hand";
        kernel().tiles = Extent{1, kRows};
        kernel().cluster = cluster;
        if (cluster > 1) {
            kernel().rank = variable("rank", {cluster, 0});
        }
    }

    ir::Kernel& kernel() { return program.kernels.front(); }

    ir::AxisId axis(const std::string& name, int extent) {
        program.axes.push_back({name, extent});
        return static_cast<ir::AxisId>(program.axes.size() - 1);
    }
    ir::VarId variable(const std::string& name, const Extent& extent) {
        program.variables.push_back({name, -1, extent});
        return static_cast<ir::VarId>(program.variables.size() - 1);
    }
    ir::TensorId tensor(const std::string& name, ir::Tensor::Kind kind) {
        ir::Tensor made;
        made.argument = name;
        made.kind = kind;
        made.dims = {{1, true, 1, true}, {kColumns, false, 1, false}};
        made.row_elements = kColumns;
        program.tensors.push_back(made);
        return static_cast<ir::TensorId>(program.tensors.size() - 1);
    }
    ir::BufferId buffer(const std::string& name, int slots, std::vector<ir::AxisId> axes, int every = 1) {
        ir::Buffer made;
        made.name = name;
        made.axes = std::move(axes);
        made.slots = slots;
        made.every = every;
        made.slot_bytes = 4;
        for (const ir::AxisId id : made.axes) {
            made.slot_bytes *= program.axes[static_cast<std::size_t>(id)].extent;
        }
        made.offset = kernel().shared_bytes;
        kernel().shared_bytes += made.slots * made.slot_bytes;
        kernel().buffers.push_back(made);
        return static_cast<ir::BufferId>(kernel().buffers.size() - 1);
    }
    ir::SyncId sync(const std::string& name, int slots, int arrivals, int every = 1) {
        kernel().syncs.push_back({name, slots, every, arrivals, -1});
        return static_cast<ir::SyncId>(kernel().syncs.size() - 1);
    }

    /// A tile whose elements are dealt to the threads of `warps` in order, and, if `turned`, from the end.
    ir::ValueId tile(int warps, std::vector<ir::AxisId> axes, bool turned = false) {
        ir::Value value;
        value.axes = std::move(axes);
        tj::Layout layout{};
        layout.threads = 32 * warps;
        int dealt = 1;
        std::vector<ir::AxisId> order(value.axes.rbegin(), value.axes.rend());
        if (turned) {
            order = value.axes;
        }
        for (const ir::AxisId id : order) {
            const int extent = program.axes[static_cast<std::size_t>(id)].extent;
            const int threads = std::min(extent, layout.threads / dealt);
            layout.thread[layout.thread_count++] = {id, threads, 1, dealt};
            if (threads < extent) {
                const int stride = layout.slots();
                layout.slot[layout.slot_count++] = {id, extent / threads, threads, stride};
            }
            dealt *= threads;
        }
        value.layout = layout;
        program.values.push_back(value);
        return static_cast<ir::ValueId>(program.values.size() - 1);
    }

    template <class Op>
    void add(std::vector<ir::Stmt>& body, Op op) {
        body.push_back({std::move(op), {"hand.cpp", ++line}});
    }

    /// A role whose body is one loop over tiles; returns the loop.
    ir::TileLoop& role(const std::string& name, int warps, bool owned = false) {
        kernel().roles.reserve(8);
        ir::Role made;
        made.name = name;
        made.warps = warps;
        ir::TileLoop loop;
        loop.owned = owned;
        loop.tile = variable("tile", *kernel().tiles);
        loop.turn = variable("turn", *kernel().tiles);
        add(made.body, loop);
        kernel().roles.push_back(std::move(made));
        return std::get<ir::TileLoop>(kernel().roles.back().body.front().op);
    }

    static ir::Index turn(const ir::TileLoop& loop) { return {0, {{loop.turn, 1}}}; }
    /// The rows of the loop's tile.
    std::vector<ir::Span> rows(const ir::TileLoop& loop) const {
        return {{{0, {{loop.tile, kRows}}}, {{row, 1}}}, {{}, {{column, 1}}}};
    }
    static std::vector<ir::Span> whole(const std::vector<ir::AxisId>& axes) {
        std::vector<ir::Span> spans;
        for (const ir::AxisId id : axes) {
            spans.push_back({{}, {{id, 1}}});
        }
        return spans;
    }

    void begin_and_end() {
        add(kernel().prologue, ir::InitSyncs{});
        add(kernel().prologue, ir::ClusterBarrier{});
    }
};

/// `load` fills a ring of two slots by the copy engine; `scale`, two warps, stores twice the tile.
inline ir::Program ring_program() {
    Hand h;
    const ir::BufferId rows = h.buffer("rows", 2, {h.row, h.column});
    const ir::SyncId full = h.sync("rows.full", 2, 1);
    const ir::SyncId free = h.sync("rows.free", 2, 2);
    h.begin_and_end();
    ir::TileLoop& load = h.role("load", 1);
    h.add(load.body, ir::Wait{free, Hand::turn(load), true});
    h.add(load.body, ir::Expect{full, Hand::turn(load), Hand::kTileBytes});
    h.add(load.body, ir::CopyIn{rows, Hand::turn(load), h.x, h.rows(load), full});
    ir::TileLoop& scale = h.role("scale", 2);
    const ir::ValueId in = h.tile(2, {h.row, h.column});
    const ir::ValueId out = h.tile(2, {h.row, h.column});
    h.add(scale.body, ir::Wait{full, Hand::turn(scale), false});
    h.add(scale.body, ir::SharedLoad{in, rows, Hand::turn(scale), Hand::whole({h.row, h.column}), {}});
    h.add(scale.body, ir::Arrive{free, Hand::turn(scale)});
    h.add(scale.body, ir::Map{out, ir::Function::add, {in, in}});
    h.add(scale.body, ir::Store{out, h.y, h.rows(scale), {}});
    return h.program;
}

/// As `ring_program`, but `scale` writes the tile in place and the copy engine stores it; `watch` reads it
/// before the update and stores its row sums.
inline ir::Program update_program() {
    Hand h;
    h.tensor("sums", ir::Tensor::Kind::output);
    h.program.tensors.back().dims[1].extent = 1;
    h.program.tensors.back().row_elements = 1;
    const ir::BufferId rows = h.buffer("rows", 2, {h.row, h.column});
    const ir::SyncId full = h.sync("rows.full", 2, 1);
    const ir::SyncId read = h.sync("rows.read", 2, 1);
    const ir::SyncId free = h.sync("rows.free", 2, 1);
    h.begin_and_end();
    ir::TileLoop& load = h.role("load", 1);
    h.add(load.body, ir::Wait{free, Hand::turn(load), true});
    h.add(load.body, ir::Expect{full, Hand::turn(load), Hand::kTileBytes});
    h.add(load.body, ir::CopyIn{rows, Hand::turn(load), h.x, h.rows(load), full});

    ir::TileLoop& scale = h.role("scale", 2);
    const ir::ValueId in = h.tile(2, {h.row, h.column});
    const ir::ValueId out = h.tile(2, {h.row, h.column});
    h.add(scale.body, ir::Wait{full, Hand::turn(scale), false});
    h.add(scale.body, ir::SharedLoad{in, rows, Hand::turn(scale), Hand::whole({h.row, h.column}), {}});
    h.add(scale.body, ir::Map{out, ir::Function::add, {in, in}});
    h.add(scale.body, ir::Wait{read, Hand::turn(scale), false});
    h.add(scale.body, ir::SharedStore{out, rows, Hand::turn(scale), Hand::whole({h.row, h.column}), {}});
    h.add(scale.body, ir::ProxyFence{});
    h.add(scale.body, ir::Barrier{});
    h.add(scale.body, ir::CopyOut{rows, Hand::turn(scale), h.y, h.rows(scale)});
    h.add(scale.body, ir::CopyDone{0});
    h.add(scale.body, ir::Arrive{free, Hand::turn(scale), ir::Arrive::By::first_warp});

    ir::TileLoop& watch = h.role("watch", 1);
    const ir::ValueId seen = h.tile(1, {h.row, h.column}, true);
    const ir::ValueId sums = h.tile(1, {h.row});
    h.add(watch.body, ir::Wait{full, Hand::turn(watch), false});
    h.add(watch.body, ir::SharedLoad{seen, rows, Hand::turn(watch), Hand::whole({h.row, h.column}), {}});
    h.add(watch.body, ir::Arrive{read, Hand::turn(watch)});
    h.add(watch.body, ir::Reduce{sums, seen, {h.column}, ir::Reduction::sum});
    h.add(watch.body, ir::Store{sums, 2, {h.rows(watch)[0], {{}, {}}}, {}});
    return h.program;
}

/// A cluster of two: `part` of each block sends rank + 1 times a tile to the tile's owner, `total` of the
/// owner adds both and sends the sum to both blocks, whose `finish` stores it (to one tensor each).
/// `part` reads through a ring that `finish` frees, which is what keeps the exchange in step.
inline ir::Program exchange_program() {
    Hand h(2);
    const ir::AxisId from = h.axis("from", 2);
    h.tensor("factor", ir::Tensor::Kind::input);
    h.program.tensors.back().dims = {{2, false, 1, false}};
    const ir::BufferId rows = h.buffer("rows", 2, {h.row, h.column});
    const ir::BufferId partial = h.buffer("partial", 1, {from, h.row, h.column}, 2);
    const ir::BufferId sum = h.buffer("sum", 2, {h.row, h.column});
    const ir::SyncId full = h.sync("rows.full", 2, 1);
    const ir::SyncId free = h.sync("rows.free", 2, 2);
    const ir::SyncId partial_full = h.sync("partial.full", 1, 1, 2);
    const ir::SyncId sum_full = h.sync("sum.full", 2, 1);
    h.begin_and_end();
    const ir::Index rank{0, {{h.kernel().rank, 1}}};
    ir::TileLoop& load = h.role("load", 1);
    h.add(load.body, ir::Wait{free, Hand::turn(load), true});
    h.add(load.body, ir::Expect{full, Hand::turn(load), Hand::kTileBytes});
    h.add(load.body, ir::CopyIn{rows, Hand::turn(load), h.x, h.rows(load), full});

    ir::TileLoop& part = h.role("part", 1);
    const ir::ValueId in = h.tile(1, {h.row, h.column});
    const ir::ValueId factor = h.tile(1, {});
    const ir::ValueId product = h.tile(1, {h.row, h.column});
    h.add(part.body, ir::Wait{full, Hand::turn(part), false});
    h.add(part.body, ir::SharedLoad{in, rows, Hand::turn(part), Hand::whole({h.row, h.column}), {}});
    h.add(part.body, ir::Arrive{free, Hand::turn(part)});
    h.add(part.body, ir::Load{factor, 2, {{rank, {}}}, {}});
    h.add(part.body, ir::Map{product, ir::Function::mul, {in, factor}});
    std::vector<ir::Span> mine = Hand::whole({from, h.row, h.column});
    mine[0] = {rank, {}};
    h.add(part.body, ir::SendTo{product, partial, Hand::turn(part), mine, partial_full, false, {}});

    ir::TileLoop& total = h.role("total", 1, true);
    const ir::ValueId parts = h.tile(1, {from, h.row, h.column});
    const ir::ValueId added = h.tile(1, {h.row, h.column});
    h.add(total.body, ir::Expect{partial_full, Hand::turn(total), 2 * Hand::kTileBytes});
    h.add(total.body, ir::Wait{partial_full, Hand::turn(total), false});
    h.add(total.body, ir::SharedLoad{parts, partial, Hand::turn(total), Hand::whole({from, h.row, h.column}), {}});
    h.add(total.body, ir::Reduce{added, parts, {from}, ir::Reduction::sum});
    h.add(total.body, ir::SendTo{added, sum, Hand::turn(total), Hand::whole({h.row, h.column}), sum_full, true, {}});

    ir::TileLoop& finish = h.role("finish", 1);
    const ir::ValueId got = h.tile(1, {h.row, h.column});
    h.add(finish.body, ir::Expect{sum_full, Hand::turn(finish), Hand::kTileBytes});
    h.add(finish.body, ir::Wait{sum_full, Hand::turn(finish), false});
    h.add(finish.body, ir::SharedLoad{got, sum, Hand::turn(finish), Hand::whole({h.row, h.column}), {}});
    h.add(finish.body, ir::Arrive{free, Hand::turn(finish)});
    // Of the two blocks, each stores its half of the batch's rows: block 1 those of the second half.
    h.add(finish.body,
          ir::Store{
              got, h.y, {{{0, {{h.kernel().rank, 1000}, {finish.tile, 4}}}, {{h.row, 1}}}, {{}, {{h.column, 1}}}}, {}});
    h.add(h.kernel().epilogue, ir::ClusterBarrier{});
    return h.program;
}

}  // namespace tilejit::test
