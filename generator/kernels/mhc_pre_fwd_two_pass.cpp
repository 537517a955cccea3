// MHCPreFwdOp in three launches, for any target and shape:
//
//   project       H = x . phi and sum(x^2), split over slices of the columns, into a workspace
//   coefficients  the slices added in order; h_pre, h_post and the Sinkhorn matrix M of each token
//   mix           x_layer = h_pre . x,  x_res = M x
//
// The numeric plan decides every bit: `chain` columns of one stream are one chain of tensor-core
// products; a slice is two chains (`part`) of each stream; up to `streams` streams and their parts are
// added in order, then groups of streams, then slices.
#include "generator/kernels/mhc_pre_fwd_coefficients.h"
#include "generator/kernels/registry.h"
#include "tilejit/dsl.h"

namespace tilejit::kernels {
namespace {

using namespace dsl;

class TwoPass {
public:
    explicit TwoPass(const Specialization& spec)
        : spec_(spec),
          n_(spec.dims.at("n")),
          c_x_(spec.dims.at("c_x")),
          q_total_(n_ * n_ + 2 * n_),
          slices_(spec.plan.at("slices")),
          p_("mhc_pre_fwd", spec),
          x_(p_.input("x", DType::bf16, {p_.batch(), n_ * c_x_}).split(1, {n_, c_x_})),
          partial_(p_.workspace("partial", DType::f32, {p_.batch(), slices_, q_total_})),
          squares_(p_.workspace("squares", DType::f32, {p_.batch(), slices_, 1})),
          h_pre_(p_.workspace("h_pre", DType::f32, {p_.batch(), n_})),
          mixing_(p_.workspace("mixing", DType::f32, {p_.batch(), n_, n_})) {}

    ir::Program build() {
        project();
        coefficients();
        mix();
        return p_.finish();
    }

private:
    std::int64_t scheduled(const char* name) const { return spec_.schedule.at(name); }

    void project() {
        const std::int64_t chain = spec_.plan.at("chain");
        const std::int64_t streams = spec_.plan.at("streams");
        const std::int64_t tokens = scheduled("tokens");
        const std::int64_t q_block = scheduled("q_block");
        const Axis token = p_.axis("token", tokens);
        const Axis stream = p_.axis("stream", streams);
        const Axis part = p_.axis("part", 2);
        const Axis chunk = p_.axis("chunk", 4);
        const Axis element = p_.axis("element", 8);
        const Axis q = p_.axis("q", q_block);
        const Axis half = p_.axis("half", 2);
        const Tensor phi = p_.weights("phi", DType::f32, {n_ * c_x_, q_total_}).split(0, {n_, c_x_});

        KernelBuilder k = p_.kernel("project");
        const Index tile = k.blocks("tile", ceil_div(p_.batch(), tokens));
        const Index slice = k.blocks("slice", slices_);
        const Index block = k.blocks("q_block", ceil_div(q_total_, q_block));
        k.role("project", {.warps = static_cast<int>(2 * streams)}, [&](RoleBuilder& r) {
            const auto group = [&](const Index& g, const std::array<Tile, 2>& total) {
                const auto step = [&](const Index& s, const std::array<Tile, 2>& sums) {
                    const Index column = 2 * chain * slice + chain * part + 32 * s + 8 * chunk + element;
                    const Tile tokens_in = r.load(x_(tokens * tile + token, streams * g + stream, column));
                    const Tile weights = r.load(phi(streams * g + stream, column, q_block * block + q));
                    const Tile exact = to_f32(tokens_in);
                    return std::array{mma(split(weights, half), tokens_in, chunk, element, half, sums[0]),
                                      contract(exact, exact, element, sums[1])};
                };
                const auto [products, squares] = r.loop(
                    "step", chain / 32,
                    std::array{r.fill({stream, part, half, q, token}, 0), r.fill({stream, part, token, chunk}, 0)},
                    step);
                const Shared h = r.share("h", sum(products, half));
                const Shared s2 = r.share("s2", sum(squares, chunk));
                return std::array{total[0] + sum(h.read(spread({token, q})), {stream, part}),
                                  total[1] + sum(s2.read(spread({token})), {stream, part})};
            };
            const auto [h, s2] = r.loop("group", (n_ + streams - 1) / streams,
                                        std::array{r.fill({q, token}, 0), r.fill({token}, 0)}, group);
            r.store(h, partial_(tokens * tile + token, slice, q_block * block + q));
            // Of the blocks that share a tile's tokens only the first is inside.
            r.store(s2, squares_(tokens * tile + token, slice, block));
        });
    }

    void coefficients() {
        // Up to 8 streams a thread holds its token's whole matrix; above, a lane holds a row.
        const bool rows_on_lanes = n_ > 8;
        const std::int64_t tokens = rows_on_lanes ? (n_ > 16 ? 4 : 8) : 64;
        const Axis token = p_.axis("token", tokens);
        const Axis i = p_.axis("i", n_);
        const Axis k = p_.axis("k", n_);
        const Tensor h_post = p_.output("h_post", DType::f32, {p_.batch(), n_});
        const MHCCoefficients formulas(p_, n_, c_x_, i, k);
        const Spread matrix = rows_on_lanes ? spread({token, i}).lanes() : spread({token});

        KernelBuilder kernel = p_.kernel("coefficients");
        const Index at = tokens * kernel.blocks("tile", ceil_div(p_.batch(), tokens)) + token;
        kernel.role("coefficients", {.warps = rows_on_lanes ? 4 : 2}, [&](RoleBuilder& r) {
            const auto add_slice = [&](const Index& s, const std::array<Tile, 4>& total) {
                return std::array{total[0] + r.load(partial_(at, s, i), matrix),
                                  total[1] + r.load(partial_(at, s, n_ + Index(i)), matrix),
                                  total[2] + r.load(partial_(at, s, 2 * n_ + n_ * Index(i) + k), matrix),
                                  total[3] + r.load(squares_(at, s, 0))};
            };
            const auto [pre, post, res, s2] = r.loop(
                "slice", slices_,
                std::array{r.fill({token, i}, 0), r.fill({token, i}, 0), r.fill({token, i, k}, 0), r.fill({token}, 0)},
                add_slice);
            const Tile scale = formulas.scale(s2);
            r.store(formulas.h_pre(r, pre, scale), h_pre_(at, i));
            r.store(formulas.h_post(r, post, scale), h_post(at, i));
            r.store(formulas.mixing(r, res, scale), mixing_(at, i, k));
        });
    }

    void mix() {
        const std::int64_t tokens = scheduled("mix_tokens");
        const std::int64_t columns = scheduled("mix_columns");
        const std::int64_t vector = scheduled("mix_vector");
        const std::int64_t rows = scheduled("mix_rows");
        const Axis token = p_.axis("token", tokens);
        const Axis column = p_.axis("column", columns);
        const Axis i = p_.axis("i", rows);
        const Axis k = p_.axis("k", n_);
        const Tensor x_res = p_.output("x_res", DType::bf16, {p_.batch(), n_ * c_x_}).split(1, {n_, c_x_});
        const Tensor x_layer = p_.output("x_layer", DType::bf16, {p_.batch(), c_x_});

        KernelBuilder kernel = p_.kernel("mix");
        const Index at = tokens * kernel.blocks("tile", ceil_div(p_.batch(), tokens)) + token;
        const Index col = columns * kernel.blocks("columns", ceil_div(c_x_, columns)) + column;
        const auto threads = tokens * columns / vector;
        kernel.role("mix", {.warps = static_cast<int>((threads + 31) / 32)}, [&](RoleBuilder& r) {
            const Tile x =
                to_f32(r.load(x_(at, k, col), spread({token, column}).vector(column, static_cast<int>(vector))));
            r.store(to_bf16(contract(r.load(h_pre_(at, k)), x, k)), x_layer(at, col));
            r.loop("rows", (n_ + rows - 1) / rows, [&](const Index& g) {
                const Tile m = r.load(mixing_(at, rows * g + i, k));
                r.store(to_bf16(contract(m, x, k)), x_res(at, rows * g + i, col));
            });
        });
    }

    const Specialization& spec_;
    std::int64_t n_;
    std::int64_t c_x_;
    std::int64_t q_total_;
    std::int64_t slices_;
    ProgramBuilder p_;
    Tensor x_;
    Tensor partial_;
    Tensor squares_;
    Tensor h_pre_;
    Tensor mixing_;
};

}  // namespace

ir::Program mhc_pre_fwd_two_pass(const Specialization& spec) { return TwoPass(spec).build(); }

}  // namespace tilejit::kernels
