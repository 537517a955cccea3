/// \file From the values of dims to everything that follows from them.
#include <fmt/format.h>

#include "generator/manifest/solve.h"
#include "tilejit/error.h"

namespace tilejit::manifest {
namespace {

std::string dims_text(const Manifest& manifest, const Values& dims) {
    std::string result;
    for (const Dim& dim : manifest.dims) {
        const auto value = dims.find(dim.name);
        if (value != dims.end()) {
            result += fmt::format("{}{} = {}", result.empty() ? "" : ", ", dim.name, value->second);
        }
    }
    return result;
}

void check_ranges(const Manifest& manifest, const Values& dims) {
    for (const Dim& dim : manifest.dims) {
        const auto value = dims.find(dim.name);
        const std::string range = dim.max == INT64_MAX ? fmt::format("an integer of at least {}", dim.min)
                                                       : fmt::format("an integer from {} to {}", dim.min, dim.max);
        if (value == dims.end()) {
            throw ShapeError(fmt::format("{}: found no value of {}, expected {}", manifest.op, dim.name, range));
        }
        if (value->second < dim.min || value->second > dim.max) {
            throw ShapeError(
                fmt::format("{}: found {} = {}, expected {}", manifest.op, dim.name, value->second, range));
        }
    }
    for (const auto& entry : dims) {
        if (manifest.find_dim(entry.first) == nullptr) {
            std::string names;
            for (const Dim& dim : manifest.dims) {
                names += (names.empty() ? "" : ", ") + dim.name;
            }
            throw ShapeError(
                fmt::format("{}: found the dim \"{}\", expected one of {}", manifest.op, entry.first, names));
        }
    }
}

/// Evaluates for these dims; an overflow means that the dims are too large.
std::int64_t evaluate_for(const Manifest& manifest, const Values& dims, const Expression& expression,
                          const Values& values) {
    try {
        return expression.evaluate(values);
    } catch (const ManifestError& error) {
        throw ShapeError(fmt::format("{}: found {}, expected dims that every expression can be evaluated for: {}",
                                     manifest.op, dims_text(manifest, dims), error.what()));
    }
}

}  // namespace

Values complete_dims(const Manifest& manifest, const Values& dims) {
    check_ranges(manifest, dims);
    Values values = dims;
    for (const auto& [name, value] : manifest.let) {
        values[name] = evaluate_for(manifest, dims, value, values);
    }
    for (const Rule& rule : manifest.rules) {
        if (evaluate_for(manifest, dims, rule.holds, values) == 0) {
            throw ShapeError(fmt::format("{}: found {}, expected {}: {}", manifest.op, dims_text(manifest, dims),
                                         rule.holds.text(), rule.message));
        }
    }
    return values;
}

std::vector<std::int64_t> shape_of(const Tensor& tensor, const Values& values) {
    std::vector<std::int64_t> shape;
    for (const Expression& extent : tensor.shape) {
        const auto fail = [&](const std::string& why) {
            throw ShapeError(fmt::format("{}: found an extent {} {}, expected one from 0 to 9223372036854775807",
                                         tensor.name, extent.text(), why));
        };
        std::int64_t value = 0;
        try {
            value = extent.evaluate(values);
        } catch (const ManifestError& error) {
            fail(fmt::format("({})", error.what()));
        }
        if (value < 0) {
            fail(fmt::format("= {}", value));
        }
        shape.push_back(value);
    }
    return shape;
}

}  // namespace tilejit::manifest
