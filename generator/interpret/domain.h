/// \file The numbers that the interpreter computes with.
///
/// `Real` is what the device computes: fp32, rounded where the program says. `Exact` shows whether a program
/// still computes the same *terms*: elements are integers modulo 2^61 - 1, rounding changes nothing, sums
/// and products are exact and so independent of their order, and every other function is a hash. A term that
/// is lost, doubled or taken from elsewhere changes the result; a reordered sum does not.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "generator/interpret/tile.h"
#include "generator/ir/ir.h"

namespace tilejit::interpret {

struct Real {
    using Element = float;
    static constexpr Element kZero = 0;
    static constexpr Element kLowest = -std::numeric_limits<float>::infinity();
    /// What memory holds that nothing was written to: a NaN that arithmetic does not make.
    static Element poison() { return std::bit_cast<float>(0x7FC0DEADU); }

    static std::size_t bytes(DType dtype) { return size_of(dtype); }
    static Element constant(double value) { return static_cast<float>(value); }

    static Element load(const unsigned char* data, std::int64_t at, bool wide) {
        if (wide) {
            float value = 0;
            std::memcpy(&value, data + 4 * at, 4);
            return value;
        }
        std::uint16_t bits = 0;
        std::memcpy(&bits, data + 2 * at, 2);
        return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16U);
    }

    static void store(unsigned char* data, std::int64_t at, bool wide, Element value) {
        if (wide) {
            std::memcpy(data + 4 * at, &value, 4);
            return;
        }
        const auto bits =
            static_cast<std::uint16_t>(std::isnan(value) ? 0x7FFFU : std::bit_cast<std::uint32_t>(value) >> 16U);
        std::memcpy(data + 2 * at, &bits, 2);
    }

    static Element apply(ir::Function function, Element a, Element b, Element c);
    static Element fma(Element a, Element b, Element c) { return std::fma(a, b, c); }
    /// The product of two bf16 numbers is exact; the sum rounds once.
    static Element add_product(Element sum, Element a, Element b) { return sum + a * b; }
    static Element add(Element a, Element b) { return a + b; }
    static Element larger(Element a, Element b) { return std::fmax(a, b); }
    static Element high_part(Element a) { return round_to_bf16(a); }
    static Element low_part(Element a) { return round_to_bf16(a - round_to_bf16(a)); }
};

struct Exact {
    using Element = std::uint64_t;
    static constexpr Element kPrime = (1ULL << 61U) - 1;
    static constexpr Element kZero = 0;
    static constexpr Element kLowest = 0;
    static Element poison() { return ~0ULL; }

    static std::size_t bytes(DType) { return sizeof(Element); }
    static Element constant(double value);
    static Element load(const unsigned char* data, std::int64_t at, bool) {
        Element value = 0;
        std::memcpy(&value, data + 8 * at, 8);
        return value;
    }
    static void store(unsigned char* data, std::int64_t at, bool, Element value) {
        std::memcpy(data + 8 * at, &value, 8);
    }

    static Element apply(ir::Function function, Element a, Element b, Element c);
    static Element add(Element a, Element b) { return (a + b) % kPrime; }
    static Element mul(Element a, Element b) {
        __extension__ using Wide = unsigned __int128;
        return static_cast<Element>(static_cast<Wide>(a) * b % kPrime);
    }
    static Element fma(Element a, Element b, Element c) { return add(mul(a, b), c); }
    static Element add_product(Element sum, Element a, Element b) { return add(sum, mul(a, b)); }
    static Element larger(Element a, Element b) { return a > b ? a : b; }
    static Element high_part(Element a) { return hash(6, a, 0); }
    static Element low_part(Element a) { return add(a, kPrime - high_part(a)); }
    static Element hash(std::uint64_t function, Element a, Element b);
};

}  // namespace tilejit::interpret
