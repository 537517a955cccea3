/// \file One equation in one unknown: exhaustive over small ranges, by bisection over large ones, where
/// the expression is taken to grow with the dim.
#include <fmt/format.h>

#include <algorithm>

#include "generator/manifest/solve.h"
#include "tilejit/error.h"

namespace tilejit::manifest {
namespace {

constexpr std::int64_t kExhaustive = 4096;

using Lets = std::vector<const std::pair<std::string, Expression>*>;

/// The `let` entries that `expression` needs, in the order of evaluation.
Lets lets_of(const Manifest& manifest, const Expression& expression) {
    Lets lets;
    std::set<std::string> needed = expression.names();
    for (auto entry = manifest.let.rbegin(); entry != manifest.let.rend(); ++entry) {
        if (needed.count(entry->first) != 0) {
            needed.merge(entry->second.names());
            lets.insert(lets.begin(), &*entry);
        }
    }
    return lets;
}

/// Leaves the `let` values in `values`.
std::optional<std::int64_t> evaluate_with(const Lets& lets, const Expression& expression, Values& values) {
    try {
        for (const auto* entry : lets) {
            values[entry->first] = entry->second.evaluate(values);
        }
        return expression.evaluate(values);
    } catch (const ManifestError&) {
        return std::nullopt;
    }
}

class Equation {
public:
    Equation(const Manifest& manifest, const Expression& expression, const Dim& dim, const Values& known)
        : lets_(lets_of(manifest, expression)), expression_(expression), dim_(dim), values_(known) {}

    std::optional<std::int64_t> at(std::int64_t candidate) {
        values_[dim_.name] = candidate;
        return evaluate_with(lets_, expression_, values_);
    }

    Roots scan(std::int64_t value) {
        Roots roots;
        std::optional<std::int64_t> below, above;
        for (std::int64_t i = 0; i <= dim_.max - dim_.min; ++i) {
            const std::int64_t candidate = dim_.min + i;
            const std::optional<std::int64_t> got = at(candidate);
            if (got == value) {
                roots.kind = roots.kind == Roots::Kind::none ? Roots::Kind::one : Roots::Kind::several;
                roots.value = candidate;
            } else if (got && *got < value) {
                below = candidate;
            } else if (got && !above) {
                above = candidate;
            }
        }
        note_neighbours(roots, below, above);
        return roots;
    }

    Roots bisect(std::int64_t value) {
        std::int64_t low = dim_.min;
        std::int64_t high = upper_bound(value);
        while (low < high) {
            const std::int64_t middle = low + (high - low) / 2;
            const std::optional<std::int64_t> got = at(middle);
            // What overflows is larger than any extent.
            if (got && *got < value) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        Roots roots;
        if (at(low) == value) {
            roots.kind = low < dim_.max && at(low + 1) == value ? Roots::Kind::several : Roots::Kind::one;
            roots.value = low;
            return roots;
        }
        note_neighbours(roots, low > dim_.min ? std::optional(low - 1) : std::nullopt,
                        at(low) ? std::optional(low) : std::nullopt);
        return roots;
    }

private:
    /// A candidate from which on the expression is at least `value`, found by doubling: extents are small
    /// beside the range.
    std::int64_t upper_bound(std::int64_t value) {
        for (std::int64_t step = 1; step<dim_.max - dim_.min; step = step> INT64_MAX / 2 ? INT64_MAX : step * 2) {
            const std::optional<std::int64_t> got = at(dim_.min + step);
            if (!got || *got >= value) {
                return dim_.min + step;
            }
        }
        return dim_.max;
    }

    static void note_neighbours(Roots& roots, std::optional<std::int64_t> below, std::optional<std::int64_t> above) {
        for (const auto& neighbour : {below, above}) {
            if (neighbour && roots.kind == Roots::Kind::none) {
                roots.neighbours.push_back(*neighbour);
            }
        }
    }

    Lets lets_;
    const Expression& expression_;
    const Dim& dim_;
    Values values_;
};

}  // namespace

std::optional<std::int64_t> evaluate_over_dims(const Manifest& manifest, const Expression& expression,
                                               const Values& dims) {
    Values values = dims;
    return evaluate_with(lets_of(manifest, expression), expression, values);
}

Roots find_roots(const Manifest& manifest, const Expression& expression, std::int64_t value, const Dim& dim,
                 const Values& known) {
    Equation equation(manifest, expression, dim, known);
    const bool small = dim.max - dim.min < kExhaustive;
    return small ? equation.scan(value) : equation.bisect(value);
}

}  // namespace tilejit::manifest
