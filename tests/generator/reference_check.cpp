#include "generator/kernels/check.h"

#include <cmath>

#include "tests/catch.h"
#include "tilejit/error.h"

using namespace tilejit;

namespace {

constexpr double kInf = INFINITY;
constexpr double kNan = NAN;

manifest::Tolerance tolerance() {
    manifest::Tolerance result;
    result.slack = 2e-5;
    result.relative = 1e-5;
    result.absolute = 1e-6;
    return result;
}

kernels::CheckResult check(DType dtype, double got, double want, double magnitude = 0, double alpha = 1) {
    const std::vector<double> values = {got};
    return kernels::check_output(tolerance(), dtype, values, {{{1}, {want}}, {magnitude}}, alpha);
}

}  // namespace

TEST_CASE("check: half an ulp of bf16 and a sixteenth more") {
    CHECK(kernels::bf16_half_ulp(1.0) == 0x1p-8 * 1.0625);
    CHECK(kernels::bf16_half_ulp(-1.999) == 0x1p-8 * 1.0625);
    CHECK(kernels::bf16_half_ulp(2.0) == 0x1p-7 * 1.0625);
    CHECK(kernels::bf16_half_ulp(0.0) == 0x1p-134 * 1.0625);
    CHECK(kernels::bf16_half_ulp(0x1p-130) == 0x1p-134 * 1.0625);
    CHECK(kernels::bf16_half_ulp(0x1p-126) == 0x1p-134 * 1.0625);
}

TEST_CASE("check: bf16 tolerance at its edge") {
    const double edge = 0x1p-8 * 1.0625;
    CHECK(check(DType::bf16, 1.0 + edge, 1.0).passed());
    CHECK_FALSE(check(DType::bf16, 1.0 + edge * 1.0001, 1.0).passed());
    CHECK_FALSE(check(DType::bf16, 1.0 - edge * 1.0001, 1.0).passed());
    const double slack = 2e-5 * 50;
    CHECK(check(DType::bf16, 1.0 + edge + slack * 0.999, 1.0, 50).passed());
    CHECK_FALSE(check(DType::bf16, 1.0 + edge + slack * 1.001, 1.0, 50).passed());
    CHECK(check(DType::bf16, 1.0 + edge + 3 * slack * 0.999, 1.0, 50, -3).passed());
    CHECK_FALSE(check(DType::bf16, 1.0 + edge + slack * 0.999, 1.0, 25, 0.5).passed());
}

TEST_CASE("check: f32 tolerance at its edge") {
    CHECK(check(DType::f32, 1.0 + 1.0999e-5, 1.0).passed());
    CHECK_FALSE(check(DType::f32, 1.0 + 1.1001e-5, 1.0).passed());
    CHECK(check(DType::f32, 1.0 + 59 * 1.1e-5, 1.0, 0, -60).passed());
    CHECK_FALSE(check(DType::f32, 1.0 + 61 * 1.1e-5, 1.0, 0, -60).passed());
    CHECK(check(DType::f32, 0.99e-6, 0.0, 1e9).passed());
    CHECK_FALSE(check(DType::f32, 1.01e-6, 0.0, 1e9).passed());
}

TEST_CASE("check: a non-finite reference asks only for a non-finite result") {
    for (const DType dtype : {DType::bf16, DType::f32}) {
        for (const double want : {kInf, -kInf, kNan}) {
            CHECK(check(dtype, kInf, want, kNan).passed());
            CHECK(check(dtype, kNan, want, kInf).passed());
            CHECK_FALSE(check(dtype, 1.0, want, kInf).passed());
        }
        CHECK_FALSE(check(dtype, kNan, 1.0).passed());
        CHECK_FALSE(check(dtype, kInf, 1.0).passed());
    }
    CHECK_FALSE(check(DType::bf16, 1.0, 1.0, kNan).passed());
    CHECK(check(DType::bf16, 1.0, kInf).max_ratio == kInf);
}

TEST_CASE("check: reports how many, how much and where") {
    const std::vector<double> got = {1.0, 1.1, 3.0, 0.0, kNan};
    const kernels::ReferenceOutput want = {{{5}, {1.0, 1.0, 2.0, 0.0, kNan}}, {1, 1, 1, 1, 1}};
    const kernels::CheckResult result = kernels::check_output(tolerance(), DType::bf16, got, want, 1);
    CHECK(result.elements == 5);
    CHECK(result.out_of_tolerance == 2);
    CHECK(result.max_error == 1.0);
    CHECK(result.worst.index == 2);
    CHECK(result.worst.got == 3.0);
    CHECK(result.worst.want == 2.0);
    CHECK(std::fabs(result.worst.allowed - (0x1p-7 * 1.0625 + 2e-5)) < 1e-15);
    CHECK_FALSE(result.passed());
}

TEST_CASE("check: no elements pass, other sizes are refused") {
    const kernels::CheckResult none = kernels::check_output(tolerance(), DType::f32, {}, {{{0, 4}, {}}, {}}, 1);
    CHECK(none.passed());
    CHECK(none.worst.index == -1);
    const std::vector<double> two = {1, 2};
    CHECK_THROWS_AS(kernels::check_output(tolerance(), DType::f32, two, {{{1}, {1}}, {1}}, 1), ShapeError);
}
