/// Bank conflicts of accesses to shared memory: against a count by hand, and where kernels rely on there being
/// none.
#include <set>

#include "generator/layout/layout.h"
#include "tests/generator/dsl_pipeline.h"

namespace tilejit::test {
namespace {

/// An access to a shared tile whose axes are 0, 1, .. of the program.
struct Case {
    ir::Program program;
    ir::Buffer buffer;
    ir::Value value;
    std::vector<ir::Span> at;

    Case(const std::vector<int>& extents, const std::vector<int>& strides, const tj::Layout& layout,
         DType dtype = DType::f32) {
        buffer.dtype = value.dtype = dtype;
        buffer.strides = strides;
        value.layout = layout;
        for (std::size_t axis = 0; axis < extents.size(); ++axis) {
            program.axes.push_back({fmt::format("axis{}", axis), extents[axis]});
            buffer.axes.push_back(static_cast<int>(axis));
            at.push_back({{}, {{static_cast<int>(axis), 1}}});
        }
        value.axes = buffer.axes;
    }

    int conflicts(int vector = 1) const { return layout::bank_conflicts(program, buffer, at, value, vector); }

    /// Distinct words a bank, of the lanes that are served together, slot by slot.
    int by_hand(int vector) const {
        const auto size = static_cast<int>(size_of(buffer.dtype));
        const int together = 32 / std::max(1, vector * size / 4);
        int worst = 1;
        for (int slot = 0; slot < value.layout->slots(); slot += vector) {
            for (int first = 0; first < value.layout->threads; first += together) {
                std::map<int, std::set<int>> words_of_bank;
                for (int thread = first; thread < first + together; ++thread) {
                    int element = 0;
                    bool inside = true;
                    for (std::size_t a = 0; a < at.size(); ++a) {
                        const int coord = value.layout->coord(static_cast<int>(a), thread, slot);
                        inside = inside && coord < program.axes[a].extent;
                        element += a + 1 == at.size() && buffer.block > 0
                                       ? coord / buffer.block * buffer.block_stride + coord % buffer.block
                                       : coord * buffer.strides[a];
                    }
                    int byte = element * size;
                    byte ^= buffer.swizzled ? byte / 128 % 8 * 16 : 0;
                    for (int word = byte / 4; inside && word < (byte + vector * size + 3) / 4; ++word) {
                        words_of_bank[word % 32].insert(word);
                    }
                }
                for (const auto& [bank, words] : words_of_bank) {
                    worst = std::max(worst, static_cast<int>(words.size()));
                }
            }
        }
        return worst;
    }
};

TEST_CASE("bank conflicts of strides that are known") {
    const tj::Layout lanes{32, 1, {{0, 32, 1, 1}}, 0, {}};
    for (const auto& [stride, conflicts] : {std::pair{1, 1}, {2, 2}, {8, 8}, {32, 32}, {33, 1}, {0, 1}}) {
        CHECK(Case({32}, {stride}, lanes).conflicts() == conflicts);
    }
    // Of bf16, two are in a word.
    CHECK(Case({32}, {1}, lanes, DType::bf16).conflicts() == 1);
    CHECK(Case({32}, {4}, lanes, DType::bf16).conflicts() == 2);
    // The second warp alone is conflicted.
    const tj::Layout two_warps{64, 2, {{0, 32, 1, 1}, {1, 2, 1, 32}}, 0, {}};
    CHECK(Case({32, 2}, {1, 32}, two_warps).conflicts() == 1);
    // 4 lanes by 8 rows: a pitch of 32 puts all rows in the same banks, 36 spreads them.
    const tj::Layout fragment{32, 2, {{0, 4, 1, 1}, {1, 8, 1, 4}}, 0, {}};
    CHECK(Case({4, 8}, {1, 32}, fragment).conflicts() == 8);
    CHECK(Case({4, 8}, {1, 36}, fragment).conflicts() == 1);
}

TEST_CASE("bank conflicts agree with a count by hand on many layouts") {
    int free = 0;
    for (std::uint64_t seed = 0; seed < 600; ++seed) {
        std::uint64_t drawn = 0;
        const auto pick = [&](int count) {
            return static_cast<int>((noise(seed, drawn++) + 1.0F) / 2.0F * static_cast<float>(count));
        };
        const DType dtype = pick(2) == 0 ? DType::f32 : DType::bf16;
        const int vector = 1 << pick(dtype == DType::f32 ? 3 : 4);
        const int fast = 1 + pick(8);
        const int deal = 1 + pick(4);
        const tj::Layout layout{64,
                                2,
                                {{2, fast, vector, 1}, {0, std::min(64 / fast, 1 + pick(30)), 1, fast}},
                                2,
                                {{2, vector, 1, 1}, {1, deal, 1, vector}}};
        // Some of what is dealt is padding.
        Case c({layout.thread[1].extent - pick(2) * (layout.thread[1].extent > 1 ? 1 : 0), deal, fast * vector},
               {vector * pick(70), vector * pick(40), 1}, layout, dtype);
        if (pick(2) == 0) {
            c.buffer.block = vector * (1 << pick(3));
            c.buffer.block_stride = vector * (8 + pick(40));
        }
        c.buffer.swizzled = pick(2) == 0;
        INFO(seed << " vector " << vector << " swizzled " << c.buffer.swizzled);
        REQUIRE(c.conflicts(vector) == c.by_hand(vector));
        free += c.conflicts(vector) == 1 ? 1 : 0;
    }
    CHECK(free > 20);
    CHECK(free < 580);
}

/// A ring {stream 4, token 8, column 320} of bf16 that is read as operands of a product and as a stream.
struct Slots {
    ir::Program program;
    ir::SharedLoad operand;
    ir::SharedLoad streaming;

    Slots() {
        using namespace dsl;
        ProgramBuilder p("toy", toy("sm_90a"));
        const Axis stream = p.axis("stream", 4);
        const Axis token = p.axis("token", 8);
        const Axis column = p.axis("column", 320);
        const Axis chunk = p.axis("chunk", 4);
        const Axis element = p.axis("element", 8);
        const Axis half = p.axis("half", 2);
        const Axis m = p.axis("m", 8);
        const Tensor x = p.input("x", DType::bf16, {p.batch(), 4 * 320}).split(1, {4, 320});
        const Tensor w = p.input("w", DType::f32, {4 * 320, 8}).split(0, {4, 320});
        KernelBuilder k = p.kernel("k");
        const Index tile = k.blocks("tile", ceil_div(p.batch(), 8));
        const Ring ring = k.ring("x", DType::bf16, {stream, token, column}, 2);
        k.role("load", {.warps = 1}, [&](RoleBuilder& r) { r.fill(ring, x(8 * tile + token, stream, column)); });
        k.role("multiply", {.warps = 4}, [&](RoleBuilder& r) {
            const Slot slot = r.peek(ring);
            r.unrolled(
                "step", 10, std::array{r.fill({stream, half, m, token}, 0)},
                [&](const Index& s, const std::array<Tile, 1>& sums) {
                    const Index term = 32 * s + 8 * Index(chunk) + element;
                    const Tile weights = split(r.load(w(stream, term, m)), half);
                    return std::array{mma(weights, r.load(slot(stream, token, term)), chunk, element, half, sums[0])};
                });
        });
        k.role("stream", {.warps = 5}, [&](RoleBuilder& r) {
            r.load(r.peek(ring)(stream, token, column), spread({token, column}).vector(column, 8));
        });
        program = pass::run_all(p.finish());
        operand = all<ir::SharedLoad>(program)[0];
        streaming = all<ir::SharedLoad>(program)[1];
    }

    int conflicts(const ir::SharedLoad& load, const ir::Buffer& buffer) const {
        return layout::bank_conflicts(program, buffer, load.at, value_of(program, load.out), load.access.vector);
    }
};

TEST_CASE("a swizzled slot is read without conflicts, as operands and as a stream") {
    const Slots slots;
    const ir::Buffer& buffer = buffer_of(slots.program, "x");
    REQUIRE(buffer.swizzled);
    CHECK(slots.operand.access.vector == 8);
    CHECK(slots.streaming.access.vector == 8);
    CHECK(slots.conflicts(slots.operand, buffer) == 1);
    CHECK(slots.conflicts(slots.streaming, buffer) == 1);
    // Neither in rows one after the other, nor without the swizzle.
    ir::Buffer plain = buffer;
    plain.swizzled = false;
    CHECK(slots.conflicts(slots.operand, plain) == 2);
    plain.block = 0;
    plain.strides = {8 * 320, 320, 1};
    CHECK(slots.conflicts(slots.operand, plain) == 2);
    CHECK(slots.conflicts(slots.streaming, plain) == 1);
}

TEST_CASE("tokens in the instruction's own order would be read with conflicts") {
    Slots slots;
    tj::Layout& layout = *slots.program.values[static_cast<std::size_t>(slots.operand.out)].layout;
    tj::Layout plain = layout;
    plain.thread_count = 0;
    for (int i = 0; i < layout.thread_count; ++i) {
        if (layout.thread[i].stride == 4) {
            plain.thread[plain.thread_count++] = {layout.thread[i].axis, 8, 1, 4};
        } else if (layout.thread[i].stride != 8) {
            plain.thread[plain.thread_count++] = layout.thread[i];
        }
    }
    REQUIRE(plain.thread_count == layout.thread_count - 1);
    layout = plain;
    CHECK(slots.conflicts(slots.operand, buffer_of(slots.program, "x")) == 2);
}

}  // namespace
}  // namespace tilejit::test
