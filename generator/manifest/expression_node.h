/// \file The tree behind an `Expression`; private to expression*.cpp.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "generator/manifest/expression.h"

namespace tilejit::manifest {

struct Expression::Node {
    enum class Op {
        constant,
        name,
        logical_or,
        logical_and,
        logical_not,
        equal,
        not_equal,
        less,
        less_equal,
        greater,
        greater_equal,
        add,
        sub,
        mul,
        floor_div,
        mod,
        ceil_div,
        negate,
        min,
        max,
    };
    Op op = Op::constant;
    std::int64_t value = 0;  ///< of a constant
    std::string name;        ///< of a name
    std::vector<std::shared_ptr<const Node>> args;
    int depth = 1;  ///< of the tree: bounds every recursion over it
};

/// Throws `ManifestError` with the column. Trees are at most 100 deep, texts at most 4096 bytes.
std::shared_ptr<const Expression::Node> parse_tree(std::string_view text);

/// Is `word` a keyword or function of the language, so that nothing can be named so?
bool is_reserved_word(std::string_view word);

}  // namespace tilejit::manifest
