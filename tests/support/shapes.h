/// \file Shapes that the operators are swept over.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "generator/manifest/manifest.h"

namespace tilejit::test {

struct Shape {
    manifest::Values dims;
    std::uint64_t seed = 0;
};

/// `count` random shapes (n 1..8, c_x 1..300, batch 1..70), then n 12, 16 and 32.
inline std::vector<Shape> swept_shapes(int count, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    const auto upto = [&](std::uint64_t last) { return static_cast<std::int64_t>(1 + random() % last); };
    std::vector<Shape> shapes;
    for (int i = 0; i < count; ++i) {
        const std::int64_t n = upto(8);
        const std::int64_t c_x = upto(300);
        shapes.push_back({{{"n", n}, {"c_x", c_x}, {"batch", upto(70)}}, random()});
    }
    for (const std::int64_t n : {12, 16, 32}) {
        shapes.push_back({{{"n", n}, {"c_x", upto(100)}, {"batch", upto(20)}}, random()});
    }
    return shapes;
}

}  // namespace tilejit::test
