/// \file From the shapes of tensors to the values of dims.
#include <fmt/format.h>

#include <algorithm>

#include "generator/manifest/solve.h"
#include "tilejit/error.h"

namespace tilejit::manifest {
namespace {

/// One axis of a given tensor.
struct Equation {
    const Tensor* tensor = nullptr;
    std::size_t axis = 0;
    std::int64_t extent = 0;

    const Expression& expression() const { return tensor->shape[axis]; }
    std::string place() const { return fmt::format("{}.shape[{}]", tensor->name, axis); }
};

class Solver {
public:
    Solver(const Manifest& manifest, const std::vector<GivenShape>& given) : manifest_(manifest), given_(given) {
        for (const GivenShape& shape : given) {
            check_given(shape);
        }
        for (const Tensor& input : manifest.inputs) {
            if (!input.optional && find_given(input.name) == nullptr) {
                fail(fmt::format("found no shape of the input {}, expected {}", input.name, expected_text(input)));
            }
        }
    }

    Values solve() {
        bool progress = true;
        while (progress && values_.size() < manifest_.dims.size()) {
            progress = false;
            for (const Equation& equation : equations_) {
                progress = use(equation) || progress;
            }
        }
        check_all_known();
        for (const GivenShape& shape : given_) {
            check_shape(shape);
        }
        complete_dims(manifest_, values_);
        return values_;
    }

private:
    [[noreturn]] void fail(const std::string& what) const { throw ShapeError(manifest_.op + ": " + what); }

    const GivenShape* find_given(const std::string& name) const {
        const auto found =
            std::find_if(given_.begin(), given_.end(), [&](const GivenShape& shape) { return shape.tensor == name; });
        return found == given_.end() ? nullptr : &*found;
    }

    void check_given(const GivenShape& given) {
        const Tensor* tensor = manifest_.find_tensor(given.tensor);
        if (tensor == nullptr) {
            std::string names;
            for (const auto* list : {&manifest_.inputs, &manifest_.outputs}) {
                for (const Tensor& known : *list) {
                    names += (names.empty() ? "" : ", ") + known.name;
                }
            }
            fail(fmt::format("found a shape of \"{}\", expected one of {}", given.tensor, names));
        }
        if (find_given(given.tensor) != &given) {
            fail(fmt::format("found two shapes of {}, expected one", given.tensor));
        }
        if (given.shape.size() != tensor->shape.size()) {
            fail(fmt::format("{} has shape {} with {} ax{}, expected {} with {}", given.tensor, shape_text(given.shape),
                             given.shape.size(), given.shape.size() == 1 ? "is" : "es", expected_text(*tensor),
                             tensor->shape.size()));
        }
        for (std::size_t axis = 0; axis < given.shape.size(); ++axis) {
            if (given.shape[axis] < 0) {
                fail(fmt::format("{} has shape {}, expected extents of at least 0", given.tensor,
                                 shape_text(given.shape)));
            }
            equations_.push_back({tensor, axis, given.shape[axis]});
        }
    }

    /// Learns the one dim that `equation` lacks, if it lacks one.
    bool use(const Equation& equation) {
        std::string unknown;
        for (const std::string& name : dims_of(manifest_, equation.expression())) {
            if (values_.count(name) != 0) {
                continue;
            }
            if (!unknown.empty()) {
                return false;
            }
            unknown = name;
        }
        if (unknown.empty()) {
            return false;
        }
        const Dim& dim = *manifest_.find_dim(unknown);
        return equation.expression().text() == unknown ? learn_directly(equation, dim) : learn_by_search(equation, dim);
    }

    bool learn_directly(const Equation& equation, const Dim& dim) {
        if (equation.extent < dim.min || equation.extent > dim.max) {
            fail(fmt::format("{0} has shape {1}, expected {2} with {3} {4}: found {3} = {5} from {6}",
                             equation.tensor->name, given_text(equation), expected_text(*equation.tensor), dim.name,
                             range_text(dim), equation.extent, equation.place()));
        }
        learn(dim, equation.extent, fmt::format("{} = {} from {}", dim.name, equation.extent, equation.place()));
        return true;
    }

    bool learn_by_search(const Equation& equation, const Dim& dim) {
        const Roots roots = find_roots(manifest_, equation.expression(), equation.extent, dim, values_);
        if (roots.kind == Roots::Kind::several) {
            return false;
        }
        if (roots.kind == Roots::Kind::none) {
            fail_without_root(equation, dim, roots);
        }
        learn(dim, roots.value,
              fmt::format("{} = {} from {} = {}", dim.name, roots.value, equation.place(), equation.extent));
        return true;
    }

    [[noreturn]] void fail_without_root(const Equation& equation, const Dim& dim, const Roots& roots) const {
        std::string nearest;
        for (const std::int64_t neighbour : roots.neighbours) {
            Values values = values_;
            values[dim.name] = neighbour;
            const auto extent = evaluate_over_dims(manifest_, equation.expression(), values);
            nearest += fmt::format("{}{} = {} gives {}", nearest.empty() ? "; " : " and ", dim.name, neighbour,
                                   extent.value_or(0));
        }
        fail(fmt::format("{} has shape {}, expected {}: no {} {} makes axis {}, {}, equal to {}{}{}",
                         equation.tensor->name, given_text(equation), expected_text(*equation.tensor), dim.name,
                         range_text(dim), equation.axis, axis_text(manifest_, equation.expression()), equation.extent,
                         sources_of(equation), nearest));
    }

    void learn(const Dim& dim, std::int64_t value, std::string source) {
        values_[dim.name] = value;
        sources_[dim.name] = std::move(source);
    }

    /// ` (n = 4 from phi.shape[1] = 24)`: where the dims of this axis that are known come from.
    std::string sources_of(const Equation& equation) const {
        std::string result;
        for (const std::string& name : dims_of(manifest_, equation.expression())) {
            const auto source = sources_.find(name);
            if (source != sources_.end()) {
                result += (result.empty() ? " (" : ", ") + source->second;
            }
        }
        return result.empty() ? "" : result + ")";
    }

    void check_all_known() const {
        for (const Dim& dim : manifest_.dims) {
            if (values_.count(dim.name) == 0) {
                std::string shapes;
                for (const GivenShape& shape : given_) {
                    shapes += (shapes.empty() ? "" : ", ") + shape.tensor + " " + shape_text(shape.shape);
                }
                fail(fmt::format("found shapes that leave {} open ({}), expected shapes with one solution", dim.name,
                                 shapes));
            }
        }
    }

    void check_shape(const GivenShape& given) const {
        const Tensor& tensor = *manifest_.find_tensor(given.tensor);
        for (std::size_t axis = 0; axis < given.shape.size(); ++axis) {
            const auto expected = evaluate_over_dims(manifest_, tensor.shape[axis], values_);
            if (expected != given.shape[axis]) {
                fail_contradiction(given, tensor);
            }
            if (given.shape[axis] == 0 && tensor.shape[axis].text() != manifest_.open_dim()) {
                fail(fmt::format("{} has shape {}, expected an extent of at least 1 on axis {}: only {} may be 0",
                                 tensor.name, shape_text(given.shape), axis, manifest_.open_dim()));
            }
        }
    }

    [[noreturn]] void fail_contradiction(const GivenShape& given, const Tensor& tensor) const {
        std::string expected;
        std::set<std::string> dims;
        for (const Expression& extent : tensor.shape) {
            const auto value = evaluate_over_dims(manifest_, extent, values_);
            expected += fmt::format("{}{} = {}", expected.empty() ? "" : ", ", axis_text(manifest_, extent),
                                    value ? std::to_string(*value) : "beyond 64 bits");
            dims.merge(dims_of(manifest_, extent));
        }
        std::string sources;
        for (const std::string& name : dims) {
            sources += (sources.empty() ? "" : ", ") + sources_.at(name);
        }
        fail(
            fmt::format("{} has shape {}, expected [{}]: {}", tensor.name, shape_text(given.shape), expected, sources));
    }

    std::string given_text(const Equation& equation) const {
        return shape_text(find_given(equation.tensor->name)->shape);
    }

    std::string expected_text(const Tensor& tensor) const {
        std::string result;
        for (const Expression& extent : tensor.shape) {
            result += (result.empty() ? "" : ", ") + axis_text(manifest_, extent);
        }
        return "[" + result + "]";
    }

    static std::string range_text(const Dim& dim) {
        return dim.max == INT64_MAX ? fmt::format("of at least {}", dim.min)
                                    : fmt::format("from {} to {}", dim.min, dim.max);
    }

    const Manifest& manifest_;
    const std::vector<GivenShape>& given_;
    std::vector<Equation> equations_;
    Values values_;
    std::map<std::string, std::string> sources_;
};

}  // namespace

std::string shape_text(const std::vector<std::int64_t>& shape) { return fmt::format("[{}]", fmt::join(shape, ", ")); }

std::string axis_text(const Manifest& manifest, const Expression& expression) {
    for (const auto& [name, value] : manifest.let) {
        if (name == expression.text()) {
            return value.text();
        }
    }
    return expression.text();
}

Values solve_dims(const Manifest& manifest, const std::vector<GivenShape>& given) {
    return Solver(manifest, given).solve();
}

}  // namespace tilejit::manifest
