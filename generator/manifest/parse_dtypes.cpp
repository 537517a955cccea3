/// \file `dtypes`, and the `dtype` of tensors.
#include <fmt/format.h>

#include <algorithm>

#include "generator/manifest/parse_parts.h"

namespace tilejit::manifest {

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
