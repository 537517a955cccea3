/// \file From the projection of x to the coefficients of mHC pre: the part of the numeric plan that all
/// kernels of the op share.
#pragma once

#include "tilejit/dsl.h"

namespace tilejit::kernels {

class MHCCoefficients {
public:
    /// Declares the op's bias and parameters. `i` and `k` are axes of extent `n`.
    MHCCoefficients(dsl::ProgramBuilder& program, std::int64_t n, std::int64_t c_x, dsl::Axis i, dsl::Axis k);

    /// 1 / r from sum(x^2).
    dsl::Tile scale(const dsl::Tile& squares) const;
    /// From the projections [token, i]; adds the bias.
    dsl::Tile h_pre(dsl::RoleBuilder& role, const dsl::Tile& projection, const dsl::Tile& scale) const;
    dsl::Tile h_post(dsl::RoleBuilder& role, const dsl::Tile& projection, const dsl::Tile& scale) const;
    /// From the projections [token, i, k]; `sinkhorn_repeat` normalisations of rows and columns.
    dsl::Tile mixing(dsl::RoleBuilder& role, const dsl::Tile& projection, const dsl::Tile& scale) const;

private:
    std::int64_t n_;
    std::int64_t c_x_;
    dsl::Axis i_;
    dsl::Axis k_;
    dsl::Tensor b_;
    dsl::Param alpha_pre_;
    dsl::Param alpha_post_;
    dsl::Param alpha_res_;
    dsl::Param eps_;
    dsl::Param repeat_;
};

}  // namespace tilejit::kernels
