/// Shared tiles lie one after the other, with strides that avoid bank conflicts.
#include "generator/layout/layout.h"
#include "generator/manifest/targets.h"
#include "tests/generator/dsl_pipeline.h"
#include "tests/generator/dsl_toy.h"

namespace tilejit::test {
namespace {

using namespace dsl;

/// What a buffer occupies, from its strides.
std::int64_t bytes_of(const ir::Program& program, const ir::Buffer& buffer) {
    std::int64_t last = 0;
    for (std::size_t i = 0; i < buffer.axes.size(); ++i) {
        last += std::int64_t{buffer.strides[i]} * (extent_of(program, buffer.axes[i]) - 1);
    }
    return (last + 1) * static_cast<std::int64_t>(size_of(buffer.dtype));
}

TEST_CASE("tiles are apart, aligned, and no two elements of one share a place") {
    std::size_t buffers = 0;
    for_all_specializations(
        [&](const Specialization& spec) {
            const ir::Program program = lower(spec);
            INFO(canonical_text(spec));
            for (const ir::Kernel& kernel : program.kernels) {
                std::int64_t end = 0;
                for (const ir::Buffer& buffer : kernel.buffers) {
                    ++buffers;
                    REQUIRE(buffer.offset >= end);
                    REQUIRE(buffer.offset % 16 == 0);
                    end = buffer.offset + bytes_of(program, buffer);
                    REQUIRE(buffer.strides.back() == 1);
                    for (std::size_t i = 1; i < buffer.axes.size(); ++i) {
                        REQUIRE(buffer.strides[i - 1] >= buffer.strides[i] * extent_of(program, buffer.axes[i]));
                    }
                }
                REQUIRE(kernel.shared_bytes == end);
                REQUIRE(kernel.shared_bytes <= manifest::find_architecture(spec.arch)->shared_memory);
            }
        },
        odd_shapes({33, 1280}, {1, 70}));
    CHECK(buffers > 0);
}

TEST_CASE("rows are padded where their plain length would put them in the same banks") {
    ProgramBuilder p("toy", toy());
    const Axis row = p.axis("row", 32);
    const Axis column = p.axis("column", 32);
    KernelBuilder k = p.kernel("k");
    k.blocks("tile", 1);
    k.role("role", {.warps = 1}, [&](RoleBuilder& r) {
        const Tile a = r.load(p.input("x", DType::f32, {32, 32})(row, column), spread({column}));
        r.share("turned", a).read(spread({row}));
    });
    const ir::Program program = pass::run_all(p.finish());
    const ir::Buffer& buffer = program.kernels.front().buffers.front();
    // A lane reads 4 elements of its row at a time: with a pitch of 36, eight rows are in different banks.
    CHECK(buffer.strides == std::vector<int>{36, 1});
    CHECK(program.kernels.front().shared_bytes == 4 * (36 * 31 + 32));
    const ir::SharedLoad read = all<ir::SharedLoad>(program).front();
    ir::Buffer unpadded = buffer;
    unpadded.strides = {32, 1};
    CHECK(layout::bank_conflicts(program, buffer, read.at, value_of(program, read.out), 4) == 1);
    CHECK(layout::bank_conflicts(program, unpadded, read.at, value_of(program, read.out), 4) == 8);
}

TEST_CASE("rows that lie well already are not padded; the next tile starts at 16 bytes") {
    Toy toy;
    const Axis three = toy.p.axis("three", 3);
    toy.k.role("role", {.warps = 4}, [&](RoleBuilder& r) {
        r.share("a", r.load(toy.x(0, three), spread({})));
        r.share("b", r.load(toy.x(toy.at, toy.column), toy.rows())).read(toy.rows());
        r.share("c", to_bf16(r.load(toy.x(0, three), spread({}))));
    });
    const ir::Program program = pass::run_all(toy.p.finish());
    const ir::Kernel& kernel = program.kernels.front();
    CHECK(kernel.buffers[0].offset == 0);
    CHECK(kernel.buffers[1].offset == 16);
    CHECK(kernel.buffers[1].strides == std::vector<int>{64, 1});
    CHECK(kernel.buffers[2].offset == 16 + 4 * 4 * 64);
    CHECK(kernel.shared_bytes == 16 + 4 * 4 * 64 + 2 * 3);
}

TEST_CASE("rows are padded to what their accesses are aligned to") {
    ProgramBuilder p("toy", toy());
    const Axis row = p.axis("row", 32);
    const Axis column = p.axis("column", 16);
    KernelBuilder k = p.kernel("k");
    k.blocks("tile", 1);
    k.role("role", {.warps = 1}, [&](RoleBuilder& r) {
        const Spread own = spread({row}).vector(column, 4);
        r.share("rows", r.load(p.input("x", DType::f32, {32, 16})(row, column), own)).read(own);
    });
    const ir::Program program = pass::run_all(p.finish());
    // A lane has a row: eight lanes at a time are in different banks with a pitch of 20, as with any odd
    // multiple of 4.
    CHECK(program.kernels.front().buffers.front().strides == std::vector<int>{20, 1});
    CHECK(all<ir::SharedLoad>(program).front().access.vector == 4);
    CHECK(all<ir::SharedStore>(program).front().access.vector == 4);
}

TEST_CASE("swizzled slots come first, barriers last") {
    Exchanging g(3);
    g.load();
    g.sum_up();
    g.k.role("own", {.warps = 1}, [&](RoleBuilder& r) {
        r.owned_tiles(g.tiles, [&](const Index&) {
            const Shared sums = r.share("sums", r.load(r.receive(g.partial)(g.row), spread({g.row})));
            r.send(sums.read(spread({g.row})), g.total(g.row));
        });
    });
    g.scale();
    const ir::Program program = pass::run_all(g.p.finish());
    const ir::Kernel& kernel = program.kernels.front();
    CHECK(buffer_of(program, "x").offset == 0);
    CHECK(buffer_of(program, "partial").offset == 3 * 1024);
    CHECK(buffer_of(program, "total").offset == 3 * 1024 + 128);
    CHECK(buffer_of(program, "sums").offset == 3 * 1024 + 128 + 3 * 32);
    std::int64_t end = 3 * 1024 + 128 + 3 * 32 + 32;
    for (const ir::Sync& sync : kernel.syncs) {
        CHECK(sync.offset == end);
        end += 8 * sync.slots;
    }
    CHECK(kernel.shared_bytes == end);
}

TEST_CASE("a kernel that needs too much shared memory is told what takes it") {
    Pipeline g;
    const Ring ring = g.ring("x", 300);
    g.load(ring);
    g.copy(ring);
    const ir::Program program = g.p.finish();
    const std::string error = generate_error([&] { pass::run_all(program); });
    INFO(error);
    CHECK(error.find(
              "kernel 'pipeline_k' needs 312000 bytes of shared memory (x 300 * 1024, x.full 300 * 8, x.free 300 * 8), "
              "sm_90a has 232448 a block; make its tiles smaller or its rings shorter") != std::string::npos);
}

}  // namespace
}  // namespace tilejit::test
