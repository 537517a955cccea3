/// \file From the dtypes of tensors to what the signature's variables stand for.
#include <fmt/format.h>

#include <algorithm>

#include "generator/manifest/json_view.h"
#include "generator/manifest/manifest.h"
#include "tilejit/error.h"

namespace tilejit::manifest {
namespace {

bool is_legal(const DtypeVariable& variable, DType dtype) {
    return std::find(variable.legal.begin(), variable.legal.end(), dtype) != variable.legal.end();
}

[[noreturn]] void fail(const Manifest& manifest, const std::string& what) {
    throw ShapeError(manifest.op + ": " + what);
}

}  // namespace

std::string DtypeVariable::describe() const {
    std::vector<std::string> names;
    for (const DType dtype : legal) {
        names.emplace_back(name_of(dtype));
    }
    return fmt::format("{} = {}", name, join_or(names));
}

std::string DtypeVariable::bytes_name() const { return name + "_bytes"; }

DType TensorDtype::in(const Dtypes& dtypes) const {
    if (variable.empty()) {
        return fixed;
    }
    const auto found = dtypes.find(variable);
    internal_check(found != dtypes.end(), "dtype variables are solved before they are used");
    return found->second;
}

Dtypes solve_dtypes(const Manifest& manifest, const std::vector<GivenDtype>& given) {
    Dtypes solved;
    std::map<std::string, std::string> sources;  // the tensor that said so
    for (const GivenDtype& tensor : given) {
        const Tensor* spec = manifest.find_tensor(tensor.tensor);
        internal_check(spec != nullptr, "given tensors are the manifest's");
        const std::string& name = spec->dtype.variable;
        const auto found = fmt::format("{} has dtype {}, expected ", tensor.tensor, name_of(tensor.dtype));
        if (name.empty()) {
            if (tensor.dtype != spec->dtype.fixed) {
                fail(manifest, found + spec->dtype.text());
            }
            continue;
        }
        const DtypeVariable& variable = *manifest.find_dtype(name);
        if (!is_legal(variable, tensor.dtype)) {
            fail(manifest, found + variable.describe());
        }
        const auto [known, fresh] = solved.emplace(name, tensor.dtype);
        if (fresh) {
            sources[name] = tensor.tensor;
        } else if (known->second != tensor.dtype) {
            fail(manifest, fmt::format("{0}{1} = {2}: {1} = {2} from {3}.dtype", found, name, name_of(known->second),
                                       sources.at(name)));
        }
    }
    check_dtypes(manifest, solved);
    return solved;
}

void check_dtypes(const Manifest& manifest, const Dtypes& dtypes) {
    for (const DtypeVariable& variable : manifest.dtypes) {
        const auto value = dtypes.find(variable.name);
        if (value == dtypes.end()) {
            fail(manifest, fmt::format("found no dtype of {}, expected {}", variable.name, variable.describe()));
        }
        if (!is_legal(variable, value->second)) {
            fail(manifest,
                 fmt::format("found {} = {}, expected {}", variable.name, name_of(value->second), variable.describe()));
        }
    }
    for (const auto& entry : dtypes) {
        if (manifest.find_dtype(entry.first) == nullptr) {
            std::vector<std::string> names;
            for (const DtypeVariable& variable : manifest.dtypes) {
                names.push_back(variable.name);
            }
            fail(manifest,
                 fmt::format("found the dtype variable \"{}\", expected {}", entry.first, one_of_text(names)));
        }
    }
}

Values sizes_of(const Manifest& manifest, const Dtypes& dtypes) {
    Values sizes;
    for (const DtypeVariable& variable : manifest.dtypes) {
        sizes[variable.bytes_name()] = static_cast<std::int64_t>(size_of(dtypes.at(variable.name)));
    }
    return sizes;
}

Cost cost_of(const Manifest& manifest, const Values& dims, const Dtypes& dtypes) {
    check_dtypes(manifest, dtypes);
    Values values = complete_dims(manifest, dims);
    values.merge(sizes_of(manifest, dtypes));
    return {manifest.roofline.bytes.evaluate(values), manifest.roofline.flops.evaluate(values)};
}

}  // namespace tilejit::manifest
