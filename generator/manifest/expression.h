/// \file The manifests' expression language: integers, names, `+ - * // %`, comparisons,
/// `and or not`, `min(..) max(..) ceil_div(a, b)`, parentheses. Closed and total: overflow of int64,
/// division by zero and unknown names are errors.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>

namespace tilejit::manifest {

/// A parsed, immutable expression. Truth values are 1 and 0; `//` and `%` round towards minus
/// infinity, so that `a == b * (a // b) + a % b` with a remainder of b's sign.
class Expression {
public:
    struct Node;

    Expression();  ///< the constant 0

    /// Throws `ManifestError` with the column and what was expected there.
    static Expression parse(std::string_view text);
    static Expression constant(std::int64_t value);

    /// Throws `ManifestError` on an unknown name, overflow or division by zero.
    std::int64_t evaluate(const std::map<std::string, std::int64_t>& values) const;

    const std::string& text() const { return text_; }
    std::set<std::string> names() const;  ///< every name it mentions

private:
    Expression(std::string text, std::shared_ptr<const Node> root);

    std::string text_;
    std::shared_ptr<const Node> root_;
};

}  // namespace tilejit::manifest
