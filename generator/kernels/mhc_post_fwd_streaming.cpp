// MHCPostFwdOp: x_out[i, c] = h_post[i] * x_layer_out[c] + x_res[i, c], one fma an element. Each
// element of x_res is read before the same thread writes it, so x_out may be x_res.
#include "generator/kernels/registry.h"
#include "tilejit/dsl.h"

namespace tilejit::kernels {

ir::Program mhc_post_fwd_streaming(const Specialization& spec) {
    using namespace dsl;
    const std::int64_t n = spec.dims.at("n");
    const std::int64_t c_x = spec.dims.at("c_x");
    const std::int64_t tokens = spec.schedule.at("tokens");
    const std::int64_t columns = spec.schedule.at("columns");
    const std::int64_t vector = spec.schedule.at("vector");
    const std::int64_t rows = spec.schedule.at("rows");

    ProgramBuilder p("mhc_post_fwd", spec);
    const Axis token = p.axis("token", tokens);
    const Axis i = p.axis("i", rows);
    const Axis column = p.axis("column", columns);
    const Tensor x_layer_out = p.input("x_layer_out", DType::bf16, {p.batch(), c_x});
    const Tensor h_post = p.input("h_post", DType::f32, {p.batch(), n});
    const Tensor x_res = p.input("x_res", DType::bf16, {p.batch(), n * c_x}).split(1, {n, c_x});
    const Tensor x_out = p.output("x_out", DType::bf16, {p.batch(), n * c_x}).split(1, {n, c_x});

    KernelBuilder k = p.kernel("stream");
    const Index at = tokens * k.blocks("tile", ceil_div(p.batch(), tokens)) + token;
    const Index col = columns * k.blocks("columns", ceil_div(c_x, columns)) + column;
    const Spread streaming = spread({token, column}).vector(column, static_cast<int>(vector));
    k.role("stream", {.warps = static_cast<int>((tokens * columns / vector + 31) / 32)}, [&](RoleBuilder& r) {
        const Tile layer = to_f32(r.load(x_layer_out(at, col), streaming));
        r.loop("rows", (n + rows - 1) / rows, [&](const Index& g) {
            const Tile residual = to_f32(r.load(x_res(at, rows * g + i, col), streaming));
            const Tile weight = r.load(h_post(at, rows * g + i));
            r.store(to_bf16(fma(weight, layer, residual)), x_out(at, rows * g + i, col));
        });
    });
    return p.finish();
}

}  // namespace tilejit::kernels
