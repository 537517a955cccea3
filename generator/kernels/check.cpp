#include "generator/kernels/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tilejit/error.h"

namespace tilejit::kernels {

double bf16_half_ulp(double want) {
    constexpr double kSmallestNormal = 0x1p-126;
    const int exponent = std::ilogb(std::max(std::fabs(want), kSmallestNormal));
    return std::ldexp(1.0 + 0x1p-4, exponent - 8);
}

double allowed_error(const manifest::Tolerance& tolerance, DType dtype, double want, double magnitude, double alpha) {
    const double scale = std::max(1.0, std::fabs(alpha));
    if (dtype == DType::bf16) {
        return bf16_half_ulp(want) + tolerance.slack * scale * magnitude;
    }
    return scale * (tolerance.relative * std::fabs(want) + tolerance.absolute);
}

CheckResult check_output(const manifest::Tolerance& tolerance, DType dtype, std::span<const double> got,
                         const ReferenceOutput& reference, double alpha) {
    const std::vector<double>& want = reference.want.values;
    if (got.size() != want.size() || reference.magnitude.size() != want.size()) {
        throw ShapeError(fmt::format("the output has {} elements, its reference {}", got.size(), want.size()));
    }
    CheckResult result;
    result.elements = static_cast<std::int64_t>(want.size());
    for (std::size_t i = 0; i < want.size(); ++i) {
        double ratio = 0;
        double allowed = std::numeric_limits<double>::infinity();
        bool inside = !std::isfinite(got[i]);
        if (std::isfinite(want[i])) {
            const double error = std::fabs(got[i] - want[i]);
            allowed = allowed_error(tolerance, dtype, want[i], reference.magnitude[i], alpha);
            inside = error <= allowed;
            ratio = error / allowed;
            result.max_error =
                std::isnan(error) ? std::numeric_limits<double>::infinity() : std::max(result.max_error, error);
        }
        if (!inside) {
            ++result.out_of_tolerance;
            ratio = ratio > 1 ? ratio : std::numeric_limits<double>::infinity();
        }
        // The first element stands until a worse one comes, so that a report always has an example.
        if (result.worst.index < 0 || ratio > result.max_ratio) {
            result.max_ratio = ratio > 0 ? ratio : 0;
            result.worst = {static_cast<std::int64_t>(i), got[i], want[i], allowed};
        }
    }
    return result;
}

}  // namespace tilejit::kernels
