#include "generator/interpret/domain.h"

namespace tilejit::interpret {
namespace {

float without_subnormal(float a) { return std::fpclassify(a) == FP_SUBNORMAL ? std::copysign(0.0F, a) : a; }

}  // namespace

Real::Element Real::apply(ir::Function function, Element a, Element b, Element c) {
    switch (function) {
        case ir::Function::to_f32:
            return a;
        case ir::Function::to_bf16:
            return round_to_bf16(a);
        case ir::Function::negate:
            return -a;
        case ir::Function::exp:
            return std::exp(a);
        case ir::Function::sqrt:
            return std::sqrt(a);
        case ir::Function::sigmoid:
            return 1.0F / (1.0F + std::exp(-a));
        case ir::Function::reciprocal:
            return without_subnormal(1.0F / without_subnormal(a));
        case ir::Function::add:
            return a + b;
        case ir::Function::sub:
            return a - b;
        case ir::Function::mul:
            return a * b;
        case ir::Function::div:
            return a / b;
        case ir::Function::min:
            return std::fmin(a, b);
        case ir::Function::max:
            return std::fmax(a, b);
        case ir::Function::fma:
            return std::fma(a, b, c);
    }
    internal_check(false, "unknown function");
    return 0;
}

Exact::Element Exact::hash(std::uint64_t function, Element a, Element b) {
    std::uint64_t z = function * 0x9E3779B97F4A7C15ULL + a;
    for (const std::uint64_t next : {b, function}) {
        z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9ULL;
        z = (z ^ (z >> 27U)) * 0x94D049BB133111EBULL;
        z = (z ^ (z >> 31U)) + next;
    }
    return z % kPrime;
}

Exact::Element Exact::constant(double value) {
    constexpr double kIntegers = 9007199254740992.0;
    if (std::fabs(value) < kIntegers && value == std::floor(value)) {
        const auto integer = static_cast<std::int64_t>(value);
        return integer >= 0 ? static_cast<Element>(integer) : kPrime - static_cast<Element>(-integer);
    }
    return hash(5, std::bit_cast<std::uint64_t>(value) % kPrime, 0);
}

Exact::Element Exact::apply(ir::Function function, Element a, Element b, Element c) {
    switch (function) {
        case ir::Function::to_f32:
        case ir::Function::to_bf16:
            return a;
        case ir::Function::negate:
            return add(0, kPrime - a % kPrime);
        case ir::Function::exp:
            return hash(1, a, 0);
        case ir::Function::sqrt:
            return hash(2, a, 0);
        case ir::Function::sigmoid:
            return hash(3, a, 0);
        case ir::Function::reciprocal:
            return hash(6, a, 0);
        case ir::Function::add:
            return add(a, b);
        case ir::Function::sub:
            return add(a, kPrime - b % kPrime);
        case ir::Function::mul:
            return mul(a, b);
        case ir::Function::div:
            return hash(4, a, b);
        case ir::Function::min:
            return a < b ? a : b;
        case ir::Function::max:
            return a > b ? a : b;
        case ir::Function::fma:
            return fma(a, b, c);
    }
    internal_check(false, "unknown function");
    return 0;
}

}  // namespace tilejit::interpret
