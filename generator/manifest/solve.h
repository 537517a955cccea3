/// \file What solving and checking of dims share; private to this folder.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "generator/manifest/manifest.h"

namespace tilejit::manifest {

/// The names `expression` depends on with `let` followed: dims only.
std::set<std::string> dims_of(const Manifest& manifest, const Expression& expression);

/// `expression` under `dims` (which must hold every dim it depends on); nothing on overflow or division by
/// zero.
std::optional<std::int64_t> evaluate_over_dims(const Manifest& manifest, const Expression& expression,
                                               const Values& dims);

/// An axis' expression as a message shows it: a `let` name is replaced by its expression.
std::string axis_text(const Manifest& manifest, const Expression& expression);

/// The values of `dim` within its range for which `expression` is `value`, all other dims being known.
struct Roots {
    enum class Kind { none, one, several };
    Kind kind = Kind::none;
    std::int64_t value = 0;                ///< the one
    std::vector<std::int64_t> neighbours;  ///< none: up to two values of the dim that come closest
};
Roots find_roots(const Manifest& manifest, const Expression& expression, std::int64_t value, const Dim& dim,
                 const Values& known);

/// `[3, 256]`
std::string shape_text(const std::vector<std::int64_t>& shape);

}  // namespace tilejit::manifest
