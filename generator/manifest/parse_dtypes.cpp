/// \file `dtypes`, and what tensors say of their elements: `dtype` and `alignment`.
#include <fmt/format.h>

#include <algorithm>

#include "generator/manifest/parse_parts.h"

namespace tilejit::manifest {
namespace {

/// No more than memory that an op allocates has.
constexpr const char* kAlignments[] = {"2", "4", "8", "16", "32", "64", "128", "256"};

}  // namespace

void parse_dtypes(const JsonView& view, Manifest& manifest) {
    for (const auto& [name, entry] : view.members()) {
        DtypeVariable variable;
        variable.name = name;
        for (const JsonView& legal : entry.items(1, 2)) {
            const DType dtype = *dtype_named(legal.one_of({"f32", "bf16"}));
            if (std::count(variable.legal.begin(), variable.legal.end(), dtype) != 0) {
                legal.fail(fmt::format("{} a second time", name_of(dtype)), "each dtype once");
            }
            variable.legal.push_back(dtype);
        }
        manifest.dtypes.push_back(std::move(variable));
    }
}

TensorDtype parse_tensor_dtype(const JsonView& view, const Manifest& manifest) {
    std::vector<std::string> legal = {"f32", "bf16"};
    for (const DtypeVariable& variable : manifest.dtypes) {
        legal.push_back(variable.name);
    }
    const std::string name = view.one_of(legal);
    const std::optional<DType> fixed = dtype_named(name);
    return fixed ? TensorDtype(*fixed) : TensorDtype(name);
}

std::int64_t parse_alignment(const JsonView& view, const TensorDtype& dtype, const Manifest& manifest) {
    const std::int64_t bytes = view.is_integer() ? view.integer(INT64_MIN, INT64_MAX) : 0;
    if (std::find(std::begin(kAlignments), std::end(kAlignments), std::to_string(bytes)) == std::end(kAlignments)) {
        view.fail(one_of_text({std::begin(kAlignments), std::end(kAlignments)}));
    }
    const DtypeVariable* variable = manifest.find_dtype(dtype.variable);
    for (const DType type : variable == nullptr ? std::vector{dtype.fixed} : variable->legal) {
        const auto element = static_cast<std::int64_t>(size_of(type));
        if (bytes % element != 0) {
            view.fail(fmt::format("a multiple of {}, the bytes of {}", element, name_of(type)));
        }
    }
    return bytes;
}

void check_dtypes_are_given(const JsonView& dtypes, const Manifest& manifest) {
    for (const auto& [name, view] : dtypes.members()) {
        const bool given = std::any_of(
            manifest.inputs.begin(), manifest.inputs.end(),
            [&, &key = name](const Tensor& input) { return !input.optional && input.dtype.variable == key; });
        if (!given) {
            view.fail(fmt::format("the dtype variable \"{}\" of no required input", name),
                      "one that can be solved from the inputs");
        }
    }
}

}  // namespace tilejit::manifest
