#include <cmath>

#include "generator/kernels/reference.h"
#include "tilejit/error.h"

namespace tilejit::kernels {
namespace {

constexpr const char* kOp = "MHCPreFwdOp";
constexpr double kNormEpsilon = 1e-4;  // added to the root mean square, outside the root

struct Params {
    double alpha_pre, alpha_post, alpha_res, sinkhorn_eps;
    std::int64_t sinkhorn_repeat;
};

struct Shape {
    std::size_t batch, n, width;
    std::size_t streams() const { return n * width; }
    std::size_t projections() const { return n * n + 2 * n; }
};

/// What a token is mixed with.
struct Coefficients {
    std::vector<double> pre, post, mixing;  ///< [n], [n], [n][n]
};

double sigmoid(double z) { return 1.0 / (1.0 + std::exp(-z)); }

/// The maximum, or NaN when one of the values is NaN.
double propagating_max(const double* values, std::size_t count) {
    double result = values[0];
    for (std::size_t i = 1; i < count; ++i) {
        result = std::isnan(values[i]) || values[i] > result ? values[i] : result;
        if (std::isnan(result)) {
            break;
        }
    }
    return result;
}

Shape shape_of(const ReferenceTensor& phi, const ReferenceTensor& x, const ReferenceTensor& b) {
    const std::string expected =
        "MHCPreFwdOp: the reference needs phi [n*c_x, n*n + 2*n], x [batch, n*c_x] and b [n*n + 2*n]";
    if (phi.shape.size() != 2 || x.shape.size() != 2 || b.shape != std::vector<std::int64_t>{phi.shape[1]}) {
        throw ShapeError(expected);
    }
    std::int64_t n = 1;
    while (n * n + 2 * n < phi.shape[1]) {
        ++n;
    }
    if (n * n + 2 * n != phi.shape[1] || phi.shape[0] % n != 0 || x.shape[1] != phi.shape[0] || phi.shape[0] == 0) {
        throw ShapeError(expected);
    }
    return {static_cast<std::size_t>(x.shape[0]), static_cast<std::size_t>(n),
            static_cast<std::size_t>(phi.shape[0] / n)};
}

/// x . phi / r for one token.
std::vector<double> normalized_projection(const Shape& s, const double* x, const double* phi) {
    std::vector<double> h(s.projections(), 0.0);
    double squares = 0;
    for (std::size_t k = 0; k < s.streams(); ++k) {
        squares += x[k] * x[k];
        for (std::size_t q = 0; q < h.size(); ++q) {
            h[q] += x[k] * phi[k * h.size() + q];
        }
    }
    const double r = std::sqrt(squares / static_cast<double>(s.streams())) + kNormEpsilon;
    for (double& value : h) {
        value /= r;
    }
    return h;
}

void sinkhorn(std::vector<double>& m, std::size_t n, std::int64_t repeat, double eps) {
    for (std::int64_t iteration = 0; iteration < repeat; ++iteration) {
        for (std::size_t i = 0; i < n; ++i) {
            double sum = 0;
            for (std::size_t k = 0; k < n; ++k) {
                sum += m[i * n + k];
            }
            for (std::size_t k = 0; k < n; ++k) {
                m[i * n + k] /= sum + eps;
            }
        }
        for (std::size_t k = 0; k < n; ++k) {
            double sum = 0;
            for (std::size_t i = 0; i < n; ++i) {
                sum += m[i * n + k];
            }
            for (std::size_t i = 0; i < n; ++i) {
                m[i * n + k] /= sum + eps;
            }
        }
    }
}

Coefficients coefficients(const Shape& s, const Params& p, const double* x, const double* phi, const double* b) {
    const std::vector<double> h = normalized_projection(s, x, phi);
    Coefficients c;
    for (std::size_t i = 0; i < s.n; ++i) {
        c.pre.push_back(sigmoid(p.alpha_pre * h[i] + b[i]));
        c.post.push_back(2.0 * sigmoid(p.alpha_post * h[s.n + i] + b[s.n + i]));
    }
    for (std::size_t q = 2 * s.n; q < h.size(); ++q) {
        c.mixing.push_back(p.alpha_res * h[q] + b[q]);
    }
    for (std::size_t i = 0; i < s.n; ++i) {
        double* row = c.mixing.data() + i * s.n;
        const double top = propagating_max(row, s.n);
        for (std::size_t k = 0; k < s.n; ++k) {
            row[k] = std::exp(row[k] - top);
        }
    }
    sinkhorn(c.mixing, s.n, p.sinkhorn_repeat, p.sinkhorn_eps);
    return c;
}

/// out[c] = sum over k of weights[k] * x[k][c], and the sum of the |terms|.
void contract(const double* weights, const double* x, std::size_t n, std::size_t width, double* out,
              double* magnitude) {
    for (std::size_t k = 0; k < n; ++k) {
        for (std::size_t c = 0; c < width; ++c) {
            const double term = weights[k] * x[k * width + c];
            out[c] += term;
            magnitude[c] += std::fabs(term);
        }
    }
}

ReferenceOutput zeros(std::size_t rows, std::size_t columns) {
    return {
        {{static_cast<std::int64_t>(rows), static_cast<std::int64_t>(columns)}, std::vector<double>(rows * columns)},
        std::vector<double>(rows * columns)};
}

}  // namespace

ReferenceOutputs mhc_pre_fwd_reference(const ReferenceInputs& inputs, const ReferenceParams& params) {
    const ReferenceTensor& phi = reference_input(inputs, kOp, "phi");
    const ReferenceTensor& x = reference_input(inputs, kOp, "x");
    const ReferenceTensor& b = reference_input(inputs, kOp, "b");
    const Shape s = shape_of(phi, x, b);
    const Params p{reference_param(params, kOp, "alpha_pre"), reference_param(params, kOp, "alpha_post"),
                   reference_param(params, kOp, "alpha_res"), reference_param(params, kOp, "sinkhorn_eps"),
                   static_cast<std::int64_t>(reference_param(params, kOp, "sinkhorn_repeat"))};

    ReferenceOutput x_res = zeros(s.batch, s.streams());
    ReferenceOutput x_layer = zeros(s.batch, s.width);
    ReferenceOutput h_post = zeros(s.batch, s.n);
    for (std::size_t token = 0; token < s.batch; ++token) {
        const double* streams = x.values.data() + token * s.streams();
        const Coefficients c = coefficients(s, p, streams, phi.values.data(), b.values.data());
        for (std::size_t i = 0; i < s.n; ++i) {
            const std::size_t at = (token * s.n + i) * s.width;
            contract(c.mixing.data() + i * s.n, streams, s.n, s.width, x_res.want.values.data() + at,
                     x_res.magnitude.data() + at);
            h_post.want.values[token * s.n + i] = c.post[i];
            h_post.magnitude[token * s.n + i] = c.post[i];
        }
        contract(c.pre.data(), streams, s.n, s.width, x_layer.want.values.data() + token * s.width,
                 x_layer.magnitude.data() + token * s.width);
    }
    ReferenceOutputs outputs;
    outputs.emplace("x_res", std::move(x_res));
    outputs.emplace("x_layer", std::move(x_layer));
    outputs.emplace("h_post", std::move(h_post));
    return outputs;
}

}  // namespace tilejit::kernels
