#include "tests/support/sample_ops.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "generator/generate.h"
#include "generator/kernels/reference.h"
#include "generator/kernels/registry.h"
#include "generator/manifest/library.h"
#include "tilejit/dsl.h"

namespace tilejit::test {
namespace {

ir::Program row_softmax(const Specialization& spec) {
    using namespace dsl;
    const std::int64_t width = spec.dims.at("width");
    const std::int64_t rows = spec.schedule.at("rows");

    ProgramBuilder p("row_softmax", spec);
    const Axis row = p.axis("row", rows);
    const Axis column = p.axis("column", width);
    const Tensor x = p.input("x", DType::bf16, {p.batch(), width});
    const Tensor y = p.output("y", DType::bf16, {p.batch(), width});

    KernelBuilder k = p.kernel("softmax");
    const Tiles tiles = k.persistent("tile", ceil_div(p.batch(), rows));
    const Ring ring = k.ring("rows", DType::bf16, {row, column}, static_cast<int>(spec.schedule.at("stages")));
    k.role("load", {.warps = 1},
           [&](RoleBuilder& r) { r.tiles(tiles, [&](const Index& t) { r.fill(ring, x(rows * t + row, column)); }); });
    const RoleOptions normalise{.warps = static_cast<int>(rows),
                                .copies = static_cast<int>(spec.schedule.at("copies"))};
    k.role("normalise", normalise, [&](RoleBuilder& r) {
        r.tiles(tiles, [&](const Index&) {
            const Slot slot = r.take(ring);
            const Tile v = to_f32(r.load(slot(row, column), spread({row, column}).vector(column, 8).lanes()));
            const Tile e = exp(v - largest(v, column));
            r.store(to_bf16(e / sum(e, column)), slot(row, column));
        });
    });
    k.role("store", {.warps = 1}, [&](RoleBuilder& r) {
        r.tiles(tiles, [&](const Index& t) { r.store(r.updated(ring), y(rows * t + row, column)); });
    });
    return p.finish();
}

ir::Program skinny_gemm(const Specialization& spec) {
    using namespace dsl;
    const std::int64_t depth = spec.dims.at("k");
    const std::int64_t width = spec.dims.at("m");
    const std::int64_t slices = spec.plan.at("slices");
    const std::int64_t steps = spec.plan.at("steps");
    const std::int64_t tokens = spec.schedule.at("tokens");
    const std::int64_t columns = spec.schedule.at("columns");

    ProgramBuilder p("skinny_gemm", spec);
    const Axis token = p.axis("token", tokens);
    const Axis deep = p.axis("deep", 128);
    const Axis part = p.axis("part", 4);
    const Axis chunk = p.axis("chunk", 4);
    const Axis element = p.axis("element", 8);
    const Axis half = p.axis("half", 2);
    const Axis m = p.axis("m", columns);
    const Tensor x = p.input("x", DType::bf16, {p.batch(), depth});
    const Tensor w = p.weights("w", DType::f32, {depth, width});
    const Tensor y = p.output("y", DType::f32, {p.batch(), width});
    const Tensor partial = p.workspace("partial", DType::f32, {p.batch(), slices, width});

    KernelBuilder multiply = p.kernel("multiply");
    const Index tile = multiply.blocks("tile", ceil_div(p.batch(), tokens));
    const Index slice = multiply.blocks("slice", slices);
    const Index block = multiply.blocks("block", (width + columns - 1) / columns);
    const Ring ring = multiply.ring("x", DType::bf16, {token, deep}, static_cast<int>(spec.schedule.at("stages")));
    multiply.role("load", {.warps = 1}, [&](RoleBuilder& r) {
        r.loop("step", steps,
               [&](const Index& s) { r.fill(ring, x(tokens * tile + token, 128 * steps * slice + 128 * s + deep)); });
    });
    multiply.role("multiply", {.warps = 4}, [&](RoleBuilder& r) {
        const auto [products] =
            r.loop("step", steps, std::array{r.fill({part, half, m, token}, 0)},
                   [&](const Index& s, const std::array<Tile, 1>& sums) {
                       const Index at = 32 * part + 8 * chunk + element;
                       const Tile weights = r.load(w(128 * steps * slice + 128 * s + at, columns * block + m));
                       const Slot slot = r.peek(ring);
                       const Tile tokens_in = r.load(slot(token, at));
                       return std::array{mma(split(weights, half), tokens_in, chunk, element, half, sums[0])};
                   });
        const Shared sums = r.share("sums", sum(products, half));
        r.store(sum(sums.read(spread({token, m})), part), partial(tokens * tile + token, slice, columns * block + m));
    });

    KernelBuilder add = p.kernel("add");
    const Axis row = p.axis("row", 8);
    const Axis column = p.axis("column", 32);
    const Index at = 8 * add.blocks("rows", ceil_div(p.batch(), 8)) + row;
    const Index col = 32 * add.blocks("columns", (width + 31) / 32) + column;
    add.role("add", {.warps = 8}, [&](RoleBuilder& r) {
        const auto [total] = r.loop("slice", slices, std::array{r.fill({row, column}, 0)},
                                    [&](const Index& s, const std::array<Tile, 1>& sums) {
                                        const Tile part_of_sum = r.load(partial(at, s, col), spread({row, column}));
                                        return std::array{sums[0] + part_of_sum};
                                    });
        r.store(total, y(at, col));
    });
    return p.finish();
}

using namespace kernels;

ReferenceOutputs softmax_reference(const ReferenceInputs& inputs, const ReferenceParams&) {
    const ReferenceTensor& x = reference_input(inputs, "RowSoftmaxOp", "x");
    const auto width = static_cast<std::size_t>(x.shape[1]);
    ReferenceOutput y{{x.shape, std::vector<double>(x.values.size())}, std::vector<double>(x.values.size())};
    for (std::size_t first = 0; first < x.values.size(); first += width) {
        const double most = *std::max_element(x.values.begin() + static_cast<std::ptrdiff_t>(first),
                                              x.values.begin() + static_cast<std::ptrdiff_t>(first + width));
        double total = 0;
        for (std::size_t c = first; c < first + width; ++c) {
            total += std::exp(x.values[c] - most);
        }
        for (std::size_t c = first; c < first + width; ++c) {
            y.want.values[c] = y.magnitude[c] = std::exp(x.values[c] - most) / total;
        }
    }
    return {{"y", y}};
}

ReferenceOutputs gemm_reference(const ReferenceInputs& inputs, const ReferenceParams&) {
    const ReferenceTensor& x = reference_input(inputs, "SkinnyGemmOp", "x");
    const ReferenceTensor& w = reference_input(inputs, "SkinnyGemmOp", "w");
    const auto batch = static_cast<std::size_t>(x.shape[0]);
    const auto depth = static_cast<std::size_t>(w.shape[0]);
    const auto width = static_cast<std::size_t>(w.shape[1]);
    ReferenceOutput y{{{x.shape[0], w.shape[1]}, std::vector<double>(batch * width)},
                      std::vector<double>(batch * width)};
    for (std::size_t row = 0; row < batch; ++row) {
        for (std::size_t k = 0; k < depth; ++k) {
            for (std::size_t c = 0; c < width; ++c) {
                const double term = x.values[row * depth + k] * w.values[k * width + c];
                y.want.values[row * width + c] += term;
                y.magnitude[row * width + c] += std::fabs(term);
            }
        }
    }
    return {{"y", y}};
}

manifest::Library load_samples() {
    register_kernel("row_softmax", row_softmax);
    register_kernel("skinny_gemm", skinny_gemm);
    register_reference("RowSoftmaxOp", softmax_reference);
    register_reference("SkinnyGemmOp", gemm_reference);
    manifest::Library samples;
    samples.add_directory(TILEJIT_SOURCE_DIR "/tests/support/manifests");
    return samples;
}

}  // namespace

const manifest::Manifest& sample_manifest(const std::string& op) {
    static const manifest::Library samples = load_samples();
    return samples.find(op);
}

std::string sample_path(const std::string& op) {
    return std::string(TILEJIT_SOURCE_DIR "/tests/support/manifests/") +
           (op == "RowSoftmaxOp" ? "row_softmax.json" : "skinny_gemm.json");
}

std::vector<SampleShape> sample_shapes(int count, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    const auto upto = [&](std::uint64_t last) { return static_cast<std::int64_t>(1 + random() % last); };
    std::vector<SampleShape> shapes;
    for (int i = 0; i < count; ++i) {
        const std::int64_t unit = i % 2 == 0 ? 1 : 64;  // of a row that swizzled boxes can hold
        shapes.push_back(
            {"RowSoftmaxOp", {{"batch", upto(40)}, {"width", unit * upto(i % 2 == 0 ? 700 : 20)}}, random()});
        shapes.push_back({"SkinnyGemmOp",
                          {{"batch", upto(40)}, {"k", unit * upto(i % 2 == 0 ? 700 : 20)}, {"m", upto(100)}},
                          random()});
    }
    return shapes;
}

bool is_sample(const std::string& op) { return op == "RowSoftmaxOp" || op == "SkinnyGemmOp"; }

}  // namespace tilejit::test
