// MHCPreFwdOp in one launch that reads x once, for targets with clusters and a copy engine.
//
// The columns of a token are sliced over the blocks of a cluster; each holds its slice of phi, split, in
// the registers of its project role for the whole kernel. Tiles of tokens stream through a ring:
//
//   load          fills the ring with the block's slice of the next tokens
//   project       H = x . phi and sum(x^2) over the slice, to the tile's owner
//   coefficients  (of the owner) the slices added in order; the coefficients, to every block
//   mix           x_layer = h_pre . x,  x_res = M x, from the ring
//
// The bits are those of the two-pass kernel: same chains, same order of sums.
#include "generator/kernels/mhc_pre_fwd_coefficients.h"
#include "generator/kernels/registry.h"
#include "tilejit/dsl.h"

namespace tilejit::kernels {
namespace {

using namespace dsl;

class SinglePass {
public:
    explicit SinglePass(const Specialization& spec)
        : spec_(spec),
          n_(spec.dims.at("n")),
          c_x_(spec.dims.at("c_x")),
          q_(8 * ((n_ * n_ + 2 * n_ + 7) / 8)),
          chain_(spec.plan.at("chain")),
          tokens_(scheduled("tokens")),
          width_(2 * chain_),
          p_("mhc_pre_fwd", spec),
          stream_(p_.axis("stream", n_)),
          token_(p_.axis("token", tokens_)),
          column_(p_.axis("column", width_)),
          i_(p_.axis("i", n_)),
          k_(p_.axis("k", n_)),
          q_axis_(p_.axis("q", q_)),
          formulas_(p_, n_, c_x_, i_, k_),
          x_(p_.input("x", DType::bf16, {p_.batch(), n_ * c_x_}).split(1, {n_, c_x_})),
          kernel_(p_.kernel("single_pass")),
          tiles_(kernel_.persistent("tile", ceil_div(p_.batch(), tokens_))),
          slice_(kernel_.cluster("slice", static_cast<int>(spec.plan.at("slices")))),
          ring_(kernel_.ring("x", DType::bf16, {stream_, token_, column_}, static_cast<int>(scheduled("stages")))),
          partial_(kernel_.reduce_scatter("partial", {p_.axis("row", q_ + 1), token_})),
          mixing_(kernel_.all_gather("mixing", {token_, p_.axis("entry", n_ + n_ * n_)})) {}

    ir::Program build() {
        kernel_.role("project", options("project_registers", 2 * n_), [&](RoleBuilder& r) { project(r); });
        kernel_.role("load", options("other_registers", 1), [&](RoleBuilder& r) {
            r.tiles(tiles_, [&](const Index& t) {
                r.fill(ring_, x_(tokens_ * t + token_, stream_, width_ * slice_ + column_));
            });
        });
        kernel_.role("coefficients", options("other_registers", 1), [&](RoleBuilder& r) { coefficients(r); });
        kernel_.role("mix", options("other_registers", scheduled("mix_warps")), [&](RoleBuilder& r) { mix(r); });
        return p_.finish();
    }

private:
    std::int64_t scheduled(const char* name) const { return spec_.schedule.at(name); }

    RoleOptions options(const char* registers, std::int64_t warps) const {
        return {.warps = static_cast<int>(warps), .registers = static_cast<int>(scheduled(registers))};
    }

    void project(RoleBuilder& r) {
        const std::int64_t steps = chain_ / 32;
        const Axis part = p_.axis("part", 2);
        const Axis step = p_.axis("step", steps);
        const Axis chunk = p_.axis("chunk", 4);
        const Axis element = p_.axis("element", 8);
        const Axis half = p_.axis("half", 2);
        const Tensor phi = p_.weights("phi", DType::f32, {n_ * c_x_, n_ * n_ + 2 * n_}).split(0, {n_, c_x_});
        const Index column = chain_ * part + 8 * chunk + element;
        const Tile weights = split(r.load(phi(stream_, width_ * slice_ + column + 32 * step, q_axis_)), half);
        r.tiles(tiles_, [&](const Index&) {
            const Slot x = r.peek(ring_);
            const auto [products, squares] =
                r.unrolled("step", steps,
                           std::array{r.fill({stream_, part, half, q_axis_, token_}, 0),
                                      r.fill({stream_, part, token_, chunk}, 0)},
                           [&](const Index& s, const std::array<Tile, 2>& sums) {
                               const Tile tokens = r.load(x(stream_, token_, column + 32 * s));
                               const Tile exact = to_f32(tokens);
                               return std::array{mma(select(weights, step, s), tokens, chunk, element, half, sums[0]),
                                                 contract(exact, exact, element, sums[1])};
                           });
            const Shared h = r.share("h", sum(products, half));
            const Shared s2 = r.share("s2", sum(squares, chunk));
            r.send(sum(h.read(spread({q_axis_, token_})), {stream_, part}), partial_(q_axis_, token_));
            r.send(sum(s2.read(spread({token_})), {stream_, part}), partial_(q_, token_));
        });
    }

    void coefficients(RoleBuilder& r) {
        const Tensor h_post = p_.output("h_post", DType::f32, {p_.batch(), n_});
        const Axis row = p_.axis("row", q_ + 1);
        const Spread own = spread({token_});
        r.owned_tiles(tiles_, [&](const Index& t) {
            // All lanes add slices; then a lane has its token's whole matrix.
            const Slot parts = r.receive(partial_);
            const Shared sums = r.share("sums", r.load(parts(row, token_), spread({row, token_})));
            const Tile scale = formulas_.scale(r.load(sums(q_, token_), own));
            const Tile post = formulas_.h_post(r, r.load(sums(n_ + Index(i_), token_), own), scale);
            r.store(post, h_post(tokens_ * t + token_, i_));
            r.send(formulas_.h_pre(r, r.load(sums(i_, token_), own), scale), mixing_(token_, i_));
            const Tile res = r.load(sums(2 * n_ + n_ * Index(i_) + k_, token_), own);
            r.send(formulas_.mixing(r, res, scale), mixing_(token_, n_ + n_ * Index(i_) + k_));
        });
    }

    void mix(RoleBuilder& r) {
        const std::int64_t together = scheduled("mix_tokens");
        const Axis some = p_.axis("some", together);
        const Tensor x_res = p_.output("x_res", DType::bf16, {p_.batch(), n_ * c_x_}).split(1, {n_, c_x_});
        const Tensor x_layer = p_.output("x_layer", DType::bf16, {p_.batch(), c_x_});
        const Spread streaming = spread({some, column_}).vector(column_, static_cast<int>(scheduled("mix_vector")));
        r.tiles(tiles_, [&](const Index& t) {
            const Slot coefficients = r.receive(mixing_);
            const Slot x = r.peek(ring_);
            r.loop("group", tokens_ / together, [&](const Index& g) {
                const Index token = together * g + some;
                const Index at = tokens_ * t + token;
                const Index column = width_ * slice_ + column_;
                const Tile streams = to_f32(r.load(x(k_, token, column_), streaming));
                const Tile pre = r.load(coefficients(token, k_));
                r.store(to_bf16(contract(pre, streams, k_)), x_layer(at, column));
                const Tile m = r.load(coefficients(token, n_ + n_ * Index(i_) + k_));
                r.store(to_bf16(contract(m, streams, k_)), x_res(at, i_, column));
            });
        });
    }

    const Specialization& spec_;
    std::int64_t n_;
    std::int64_t c_x_;
    std::int64_t q_;      ///< rows of the projection, padded to whole tiles of the tensor cores
    std::int64_t chain_;  ///< columns of one chain of products; a slice has two a stream
    std::int64_t tokens_;
    std::int64_t width_;
    ProgramBuilder p_;
    Axis stream_;
    Axis token_;
    Axis column_;
    Axis i_;
    Axis k_;
    Axis q_axis_;
    MHCCoefficients formulas_;
    Tensor x_;
    KernelBuilder kernel_;
    Tiles tiles_;
    Index slice_;
    Ring ring_;
    Exchange partial_;
    Exchange mixing_;
};

}  // namespace

ir::Program mhc_pre_fwd_single_pass(const Specialization& spec) { return SinglePass(spec).build(); }

}  // namespace tilejit::kernels
