/// Shared tiles lie one after the other, with strides that avoid bank conflicts.
#include "generator/layout/layout.h"
#include "generator/manifest/targets.h"
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
    // Both walks are free of conflicts with any odd pitch; 33 wastes least.
    CHECK(buffer.strides == std::vector<int>{33, 1});
    CHECK(program.kernels.front().shared_bytes == 4 * (33 * 31 + 32));
    CHECK(layout::bank_conflicts(*value_of(program, all<ir::SharedLoad>(program).front().out).layout, buffer.axes,
                                 buffer.strides) == 1);
    CHECK(layout::bank_conflicts(*value_of(program, all<ir::SharedLoad>(program).front().out).layout, buffer.axes,
                                 {32, 1}) == 32);
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

}  // namespace
}  // namespace tilejit::test
