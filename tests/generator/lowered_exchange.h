/// \file A lowered program written by hand: a ring filled by the copy engine, sums that go to the tile's
/// owner and come back to all blocks of the cluster, an update in place that the engine stores.
///
///     load      x -> ring                          1 warp
///     project   ring * weights -> sums             8 warps, weights in registers
///     combine   sums of all blocks -> factors      1 warp, owned tiles
///     mix       factors * ring -> ring -> y        4 warps
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "generator/ir/ir.h"

namespace tilejit::test {

class LoweredExchange {
public:
    static constexpr int kWidth = 256;  ///< columns of a block
    static constexpr int kCluster = 8;
    static constexpr int kStages = 9;

    explicit LoweredExchange(const std::string& arch) {
        program_.name = "exchange";
        program_.arch = arch;
        program_.axes = {{"stream", 4}, {"token", 8}, {"column", kWidth}, {"chunk", 4}, {"element", 8},
                         {"part", 2},   {"q", 24},    {"step", 4},        {"half", 2},  {"rank", kCluster},
                         {"i", 4}};
        program_.variables = {
            {"rank", -1, {kCluster, 0}}, {"tile", -1, {1, 8}}, {"turn", -1, {}}, {"step", -1, {4, 0}}};
        const std::int64_t c_x = std::int64_t{kWidth} * kCluster;
        const std::vector<ir::Dim> rows = {{1, true, 1, true}, {4, false, c_x, false}, {c_x, false, 1, false}};
        program_.tensors = {{"x", ir::Tensor::Kind::input, false, DType::bf16, rows, 4 * c_x},
                            {"w",
                             ir::Tensor::Kind::input,
                             true,
                             DType::f32,
                             {{4, false, 24 * c_x, false}, {c_x, false, 24, false}, {24, false, 1, false}},
                             24},
                            {"y", ir::Tensor::Kind::output, false, DType::bf16, rows, 4 * c_x}};
        kernel_.name = "exchange";
        kernel_.tiles = Extent{1, 8};
        kernel_.cluster = kCluster;
        kernel_.rank = kRank;
        storage();
        add_project();
        add_load();
        add_combine();
        add_mix();
        add(kernel_.prologue, ir::InitSyncs{});
        add(kernel_.prologue, ir::ClusterBarrier{});
        add(kernel_.prologue, ir::LaunchDependents{});
        add(kernel_.epilogue, ir::ClusterBarrier{});
        program_.kernels = {kernel_};
    }

    const ir::Program& program() const { return program_; }

private:
    enum : int { kStream, kToken, kColumn, kChunk, kElement, kPart, kQ, kStep, kHalf, kRankAxis, kI };
    enum : int { kRank, kTile, kTurn, kStepVar };
    enum : int { kX, kW, kY };
    enum : int { kRing, kParts, kSums, kFactors };
    enum : int { kFull, kFree, kSumsFull, kFactorsFull };
    using Pieces = std::vector<tj::Piece>;

    static ir::Index var(int id, std::int64_t times = 1) { return {0, {{id, times}}}; }
    static ir::Span whole(int axis) { return {{}, {{axis, 1}}}; }

    void storage() {
        constexpr int kSlot = 4 * kWidth * 8 * 2;
        kernel_.buffers = {
            {"ring", DType::bf16, {kStream, kToken, kColumn}, kStages, 1, {kWidth * 8, 64, 1}, 64, 512, true, kSlot, 0},
            {"parts", DType::f32, {kStream, kHalf, kToken, kQ}, 1, 1, {392, 196, 24, 1}, 0, 0, false, 0, -1},
            {"sums", DType::f32, {kRankAxis, kToken, kQ}, 2, kCluster, {192, 24, 1}, 0, 0, false, 8 * 192 * 4, -1},
            {"factors", DType::f32, {kToken, kI, kStream}, kStages, 1, {16, 4, 1}, 0, 0, false, 512, -1}};
        std::int64_t next = std::int64_t{kSlot} * kStages;
        kernel_.buffers[kParts].offset = next;
        kernel_.buffers[kSums].offset = next += 4 * 392 * 4;
        kernel_.buffers[kFactors].offset = next += 2 * 8 * 192 * 4;
        next += 512 * kStages;
        kernel_.syncs = {{"ring.full", kStages, 1, 1, next},
                         {"ring.free", kStages, 1, 9, next + 8 * kStages},
                         {"sums.full", 2, kCluster, 1, next + 16 * kStages},
                         {"factors.full", kStages, 1, 1, next + 16 * kStages + 16}};
        kernel_.shared_bytes = next + 24 * kStages + 16;
    }

    template <class Op>
    static void add(std::vector<ir::Stmt>& body, Op op) {
        body.push_back({std::move(op), {"exchange.cpp", static_cast<int>(body.size()) + 1}});
    }

    int value(DType dtype, std::vector<int> axes, int warps, int first, const Pieces& thread, const Pieces& slot) {
        tj::Layout layout{};
        layout.threads = 32 * warps;
        layout.first = 32 * first;
        for (const tj::Piece& piece : thread) {
            layout.thread[layout.thread_count++] = piece;
        }
        for (const tj::Piece& piece : slot) {
            layout.slot[layout.slot_count++] = piece;
        }
        program_.values.push_back({dtype, std::move(axes), std::nullopt, layout});
        return static_cast<int>(program_.values.size()) - 1;
    }

    /// 8 warps: a stream and half of the columns each.
    void add_project() {
        ir::Role role{"project", 8, 1, 168, {}};
        const Pieces lanes_w = {{kStream, 4, 1, 32}, {kHalf, 2, 1, 128}, {kChunk, 4, 1, 1}, {kQ, 8, 1, 4}};
        const int w = value(DType::f32, {kStream, kHalf, kStep, kChunk, kElement, kQ}, 8, 0, lanes_w,
                            {{kElement, 8, 1, 1}, {kQ, 3, 8, 8}, {kStep, 4, 1, 24}});
        const int split = value(DType::bf16, {kStream, kHalf, kStep, kChunk, kElement, kPart, kQ}, 8, 0, lanes_w,
                                {{kElement, 8, 1, 1}, {kPart, 2, 1, 8}, {kQ, 3, 8, 16}, {kStep, 4, 1, 48}});
        add(role.body, ir::Load{w,
                                kW,
                                {whole(kStream),
                                 {var(kRank, kWidth), {{kStep, 64}, {kHalf, 32}, {kChunk, 8}, {kElement, 1}}},
                                 whole(kQ)},
                                {1, {false, false, false}, {}}});
        add(role.body, ir::Split{split, w, kPart});
        ir::TileLoop tiles{kTile, kTurn, false, {}};
        add(tiles.body, ir::Wait{kFull, var(kTurn), false});
        const Pieces lanes_acc = {{kStream, 4, 1, 32}, {kHalf, 2, 1, 128}, {kToken, 4, 1, 1}, {kQ, 8, 1, 4}};
        const Pieces slots_acc = {{kToken, 2, 4, 1}, {kPart, 2, 1, 2}, {kQ, 3, 8, 4}};
        const auto acc = [&] {
            return value(DType::f32, {kStream, kHalf, kPart, kQ, kToken}, 8, 0, lanes_acc, slots_acc);
        };
        const int zero = acc();
        add(tiles.body, ir::Constant{zero, 0});
        ir::For steps{kStepVar, 4, {}, true, {{zero, acc(), acc(), acc()}}, {}};
        const int step_w = value(DType::bf16, {kStream, kHalf, kChunk, kElement, kPart, kQ}, 8, 0, lanes_w,
                                 {{kElement, 8, 1, 1}, {kPart, 2, 1, 8}, {kQ, 3, 8, 16}});
        const int tokens =
            value(DType::bf16, {kStream, kHalf, kChunk, kElement, kToken}, 8, 0,
                  {{kStream, 4, 1, 32}, {kHalf, 2, 1, 128}, {kChunk, 4, 1, 1}, {kToken, 2, 4, 4}, {kToken, 4, 1, 8}},
                  {{kElement, 8, 1, 1}});
        add(steps.body, ir::Select{step_w, split, kStep, var(kStepVar)});
        add(steps.body,
            ir::SharedLoad{
                tokens,
                kRing,
                var(kTurn),
                {whole(kStream), whole(kToken), {var(kStepVar, 64), {{kHalf, 32}, {kChunk, 8}, {kElement, 1}}}},
                {8, {}, {}}});
        add(steps.body,
            ir::Mma{steps.carried[0].next, step_w, tokens, steps.carried[0].arg, kChunk, kElement, kPart, kQ, kToken});
        const int total = steps.carried[0].out;
        add(tiles.body, std::move(steps));
        add(tiles.body, ir::Arrive{kFree, var(kTurn)});
        add_sums(tiles.body, total, lanes_acc);
        add(role.body, std::move(tiles));
        kernel_.roles.push_back(std::move(role));
    }

    /// The sums of the 8 warps meet in shared memory and go to the owner of the tile.
    void add_sums(std::vector<ir::Stmt>& body, int total, const Pieces& lanes) {
        const int parts =
            value(DType::f32, {kStream, kHalf, kQ, kToken}, 8, 0, lanes, {{kToken, 2, 4, 1}, {kQ, 3, 8, 2}});
        add(body, ir::Reduce{parts, total, {kPart}, ir::Reduction::sum});
        const std::vector<ir::Span> all = {whole(kStream), whole(kHalf), whole(kToken), whole(kQ)};
        add(body, ir::Barrier{});
        add(body, ir::SharedStore{parts, kParts, {}, all, {}});
        add(body, ir::Barrier{});
        const Pieces quarter = {{kQ, 6, 4, 1}, {kToken, 8, 1, 6}};
        const int held = value(DType::f32, {kStream, kHalf, kToken, kQ}, 8, 0, quarter,
                               {{kQ, 4, 1, 1}, {kHalf, 2, 1, 4}, {kStream, 4, 1, 8}});
        add(body, ir::SharedLoad{held, kParts, {}, all, {4, {}, {}}});
        const int sum = value(DType::f32, {kToken, kQ}, 8, 0, quarter, {{kQ, 4, 1, 1}});
        add(body, ir::Reduce{sum, held, {kStream, kHalf}, ir::Reduction::sum});
        add(body,
            ir::SendTo{
                sum, kSums, var(kTurn), {{var(kRank), {}}, whole(kToken), whole(kQ)}, kSumsFull, false, {4, {}, {}}});
    }

    void add_load() {
        ir::Role role{"load", 1, 1, 88, {}};
        add(role.body, ir::DependencyWait{});
        ir::TileLoop tiles{kTile, kTurn, false, {}};
        add(tiles.body, ir::Wait{kFree, var(kTurn), true});
        add(tiles.body, ir::Expect{kFull, var(kTurn), 4 * kWidth * 8 * 2});
        add(tiles.body, ir::CopyIn{kRing, var(kTurn), kX, box(), kFull});
        add(role.body, std::move(tiles));
        kernel_.roles.push_back(std::move(role));
    }

    static std::vector<ir::Span> box() {
        return {{var(kTile, 8), {{kToken, 1}}}, whole(kStream), {var(kRank, kWidth), {{kColumn, 1}}}};
    }

    void add_combine() {
        ir::Role role{"combine", 1, 1, 88, {}};
        ir::TileLoop tiles{kTile, kTurn, true, {}};
        add(tiles.body, ir::Expect{kSumsFull, var(kTurn), 8 * 192 * 4});
        add(tiles.body, ir::Wait{kSumsFull, var(kTurn), false});
        const Pieces lanes = {{kToken, 8, 1, 4}, {kI, 4, 1, 1}};
        const int all = value(DType::f32, {kRankAxis, kToken, kI, kStream}, 1, 9, lanes,
                              {{kStream, 4, 1, 1}, {kRankAxis, kCluster, 1, 4}});
        add(tiles.body, ir::SharedLoad{all,
                                       kSums,
                                       var(kTurn),
                                       {whole(kRankAxis), whole(kToken), {{8, {}}, {{kI, 4}, {kStream, 1}}}},
                                       {4, {}, {}}});
        const int sum = value(DType::f32, {kToken, kI, kStream}, 1, 9, lanes, {{kStream, 4, 1, 1}});
        add(tiles.body, ir::Reduce{sum, all, {kRankAxis}, ir::Reduction::sum});
        add(tiles.body, ir::SendTo{sum,
                                   kFactors,
                                   var(kTurn),
                                   {whole(kToken), whole(kI), whole(kStream)},
                                   kFactorsFull,
                                   true,
                                   {4, {}, {}}});
        add(role.body, std::move(tiles));
        kernel_.roles.push_back(std::move(role));
    }

    /// 4 warps: 128 threads hold 8 columns of 4 tokens at a time.
    void add_mix() {
        ir::Role role{"mix", 4, 1, 88, {}};
        ir::TileLoop tiles{kTile, kTurn, false, {}};
        add(tiles.body, ir::Wait{kFull, var(kTurn), false});
        add(tiles.body, ir::Expect{kFactorsFull, var(kTurn), 512});
        add(tiles.body, ir::Wait{kFactorsFull, var(kTurn), false});
        ir::For steps{kStepVar, 2, {}, false, {}, {}};
        const Pieces threads = {{kColumn, 32, 8, 1}, {kToken, 4, 1, 32}};
        const Pieces slots = {{kColumn, 8, 1, 1}, {kStream, 4, 1, 8}};
        const ir::Span token = {var(kStepVar, 4), {{kToken, 1}}};
        const int x = value(DType::bf16, {kStream, kToken, kColumn}, 4, 10, threads, slots);
        add(steps.body, ir::SharedLoad{x, kRing, var(kTurn), {whole(kStream), token, whole(kColumn)}, {8, {}, {}}});
        const int wide = value(DType::f32, {kStream, kToken, kColumn}, 4, 10, threads, slots);
        add(steps.body, ir::Map{wide, ir::Function::to_f32, {x}});
        const int factors =
            value(DType::f32, {kToken, kI, kStream}, 4, 10, {{kToken, 4, 1, 32}}, {{kStream, 4, 1, 1}, {kI, 4, 1, 4}});
        add(steps.body, ir::SharedLoad{factors, kFactors, var(kTurn), {token, whole(kI), whole(kStream)}, {4, {}, {}}});
        const Pieces mixed_slots = {{kColumn, 8, 1, 1}, {kI, 4, 1, 8}};
        const int mixed = value(DType::f32, {kI, kToken, kColumn}, 4, 10, threads, mixed_slots);
        add(steps.body, ir::Contract{mixed, factors, wide, {}, kStream});
        const int rounded = value(DType::bf16, {kI, kToken, kColumn}, 4, 10, threads, mixed_slots);
        add(steps.body, ir::Map{rounded, ir::Function::to_bf16, {mixed}});
        add(steps.body, ir::SharedStore{rounded, kRing, var(kTurn), {whole(kI), token, whole(kColumn)}, {8, {}, {}}});
        add(tiles.body, std::move(steps));
        add(tiles.body, ir::ProxyFence{});
        add(tiles.body, ir::Barrier{});
        add(tiles.body, ir::CopyOut{kRing, var(kTurn), kY, box()});
        add(tiles.body, ir::CopyDone{0});
        add(tiles.body, ir::Arrive{kFree, var(kTurn), ir::Arrive::By::first_warp});
        add(role.body, std::move(tiles));
        kernel_.roles.push_back(std::move(role));
    }

    ir::Program program_;
    ir::Kernel kernel_;
};

}  // namespace tilejit::test
