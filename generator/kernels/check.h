/// \file Comparison of an output with its fp64 reference, by the manifest's tolerance.
#pragma once

#include <cstdint>
#include <span>

#include "generator/kernels/reference.h"
#include "generator/manifest/manifest.h"
#include "tilejit/dtype.h"

namespace tilejit::kernels {

/// One element of an output.
struct CheckedElement {
    std::int64_t index = -1;  ///< row-major; -1 when the output has no elements
    double got = 0;
    double want = 0;
    double allowed = 0;  ///< the largest |got - want| that passes
};

struct CheckResult {
    std::int64_t elements = 0;
    std::int64_t out_of_tolerance = 0;
    double max_error = 0;  ///< largest |got - want| where the reference is finite
    double max_ratio = 0;  ///< largest |got - want| / allowed; infinite where only one side is finite
    CheckedElement worst;  ///< the element of `max_ratio`

    bool passed() const { return out_of_tolerance == 0; }
};

/// Half the spacing of bf16 numbers around `want`, and a sixteenth more for references that are
/// rounded themselves; the spacing of the smallest normal number below it.
double bf16_half_ulp(double want);

/// The largest |got - want| that passes, for a finite `want`:
/// - bf16: `bf16_half_ulp(want) + slack * max(1, |alpha|) * magnitude`;
/// - f32: `max(1, |alpha|) * (relative * |want| + absolute)`.
double allowed_error(const manifest::Tolerance& tolerance, DType dtype, double want, double magnitude, double alpha);

/// Compares element by element. `alpha` is the value of `tolerance.scale_param`, or 1. A non-finite
/// reference asks only for a non-finite result. Throws `ShapeError` when the sizes differ.
CheckResult check_output(const manifest::Tolerance& tolerance, DType dtype, std::span<const double> got,
                         const ReferenceOutput& reference, double alpha);

}  // namespace tilejit::kernels
