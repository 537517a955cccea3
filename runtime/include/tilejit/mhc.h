/// \file The mHC (manifold-constrained hyper-connections) operators.
///
/// `batch` tokens, `n` residual streams (1 to 32) of width `c_x`; tensors are row-major and may have
/// row strides (see `Op::call`). Both ops are immutable and may be called from any number of threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "tilejit/op.h"

namespace tilejit {

/// Before a layer: computes the mixing coefficients of each token, mixes its streams, and gives the
/// layer's input.
///
///     H      = x . phi                                  split into H_pre [n], H_post [n], H_res [n, n]
///     r      = sqrt(sum(x^2) / (n * c_x)) + 1e-4
///     h_pre  = sigmoid(alpha_pre * H_pre / r + b_pre)
///     h_post = 2 sigmoid(alpha_post * H_post / r + b_post)
///     L      = alpha_res * H_res / r + b_res
///     M      = exp(L - rowmax(L)), then `sinkhorn_repeat` times rows, then columns, are divided by
///              their sum + `sinkhorn_eps`
///     x_layer[c]  = sum_i h_pre[i] x[i, c]
///     x_res[i, c] = sum_k M[i, k] x[k, c]
class MHCPreFwd {
public:
    struct Result {
        Tensor x_res;    ///< bf16 [batch, n * c_x]
        Tensor x_layer;  ///< bf16 [batch, c_x]
        Tensor h_post;   ///< f32 [batch, n]
    };

    struct Options {
        Stream stream = nullptr;                 ///< as in `CallOptions`
        std::optional<TensorView> x_res = {};    ///< written instead of a new tensor
        std::optional<TensorView> x_layer = {};  ///< written instead of a new tensor
        std::optional<TensorView> h_post = {};   ///< written instead of a new tensor
        WorkspaceView workspace = {};            ///< as in `CallOptions`
    };

    /// \param sinkhorn_repeat  at least 0
    /// \param target           see `tilejit/target.h`
    /// Throws `ShapeError` for a parameter that is not finite or out of range, `UnknownTarget`.
    MHCPreFwd(float alpha_pre, float alpha_post, float alpha_res, int sinkhorn_repeat, float sinkhorn_eps = 0.02F,
              std::string_view target = {});

    /// \param phi  f32 [n * c_x, n * n + 2 * n]; `n` is solved from its columns, which are in the order
    ///             pre, post, res (row-major)
    /// \param x    bf16 [batch, n * c_x], or with several leading axes that make up the batch
    /// \param b    f32 [n * n + 2 * n], in the order of `phi`'s columns
    /// Throws as `Op::call` does.
    Result operator()(const TensorView& phi, const TensorView& x, const TensorView& b) const;
    Result operator()(const TensorView& phi, const TensorView& x, const TensorView& b, const Options& options) const;

    /// Compiles and loads the kernels of all batches; see `Op::prepare`.
    void prepare(std::int64_t n, std::int64_t c_x, Device device) const;
    /// See `Op::workspace_bytes`.
    std::size_t workspace_bytes(std::int64_t batch, std::int64_t n, std::int64_t c_x, Device device) const;

    const Op& op() const { return op_; }

private:
    Op op_;
};

/// After a layer: `x_out[i, c] = h_post[i] * x_layer_out[c] + x_res[i, c]`.
class MHCPostFwd {
public:
    struct Options {
        Stream stream = nullptr;               ///< as in `CallOptions`
        std::optional<TensorView> x_out = {};  ///< written instead of a new tensor; may be exactly `x_res`
        WorkspaceView workspace = {};          ///< as in `CallOptions`
    };

    /// \param target  see `tilejit/target.h`
    explicit MHCPostFwd(std::string_view target = {});

    /// \param x_layer_out  bf16 [batch, c_x]
    /// \param h_post       f32 [batch, n]
    /// \param x_res        bf16 [batch, n * c_x]
    /// \returns            x_out, bf16 [batch, n * c_x]
    /// Throws as `Op::call` does.
    Tensor operator()(const TensorView& x_layer_out, const TensorView& h_post, const TensorView& x_res) const;
    Tensor operator()(const TensorView& x_layer_out, const TensorView& h_post, const TensorView& x_res,
                      const Options& options) const;

    /// Compiles and loads the kernels of all batches; see `Op::prepare`.
    void prepare(std::int64_t n, std::int64_t c_x, Device device) const;
    /// See `Op::workspace_bytes`.
    std::size_t workspace_bytes(std::int64_t batch, std::int64_t n, std::int64_t c_x, Device device) const;

    const Op& op() const { return op_; }

private:
    Op op_;
};

}  // namespace tilejit
