#include "generator/kernels/mhc_pre_fwd_coefficients.h"

namespace tilejit::kernels {

using namespace dsl;

namespace {

/// `m / divisor`, one reciprocal a divisor instead of a division an element. Both are scaled by an exact
/// power of two, so that a subnormal divisor (a column that underflowed, a tiny epsilon) is a normal number
/// and its reciprocal finite, and 0 / 0 is still NaN.
Tile divided(const Tile& m, const Tile& divisor) {
    constexpr float kScale = 0x1p24F;
    const Tile inverse = reciprocal(kScale * divisor);
    return kScale * m * inverse;
}

}  // namespace

MHCCoefficients::MHCCoefficients(ProgramBuilder& program, std::int64_t n, std::int64_t c_x, Axis i, Axis k)
    : n_(n),
      c_x_(c_x),
      i_(i),
      k_(k),
      b_(program.weights("b", DType::f32, {n * n + 2 * n})),
      alpha_pre_(program.param_f32("alpha_pre")),
      alpha_post_(program.param_f32("alpha_post")),
      alpha_res_(program.param_f32("alpha_res")),
      eps_(program.param_f32("sinkhorn_eps")),
      repeat_(program.param_i32("sinkhorn_repeat")) {}

Tile MHCCoefficients::scale(const Tile& squares) const {
    // The root mean square is at least 1e-4, so its reciprocal is safe.
    return 1.0F / (sqrt(squares / static_cast<float>(n_ * c_x_)) + 1e-4F);
}

Tile MHCCoefficients::h_pre(RoleBuilder& role, const Tile& projection, const Tile& scale) const {
    const Tile b = role.load(b_(i_));
    return sigmoid(role.scalar(alpha_pre_) * projection * scale + b);
}

Tile MHCCoefficients::h_post(RoleBuilder& role, const Tile& projection, const Tile& scale) const {
    const Tile b = role.load(b_(n_ + Index(i_)));
    return 2.0F * sigmoid(role.scalar(alpha_post_) * projection * scale + b);
}

Tile MHCCoefficients::mixing(RoleBuilder& role, const Tile& projection, const Tile& scale) const {
    const Tile b = role.load(b_(2 * n_ + n_ * Index(i_) + k_));
    const Tile logits = role.scalar(alpha_res_) * projection * scale + b;
    const Tile start = exp(logits - largest(logits, k_));
    const Tile epsilon = role.scalar(eps_);
    return role.loop("repeat", repeat_, start, [&](const Tile& previous) {
        const Tile rows = divided(previous, sum(previous, k_) + epsilon);
        return divided(rows, sum(rows, i_) + epsilon);
    });
}

}  // namespace tilejit::kernels
