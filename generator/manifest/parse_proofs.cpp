/// \file `tolerance`, `roofline` and `workloads`: how the op is checked and measured.
#include <fmt/format.h>

#include <algorithm>

#include "generator/manifest/parse_parts.h"
#include "tilejit/error.h"

namespace tilejit::manifest {
namespace {

constexpr std::size_t kMaxWorkloads = 1000;

double part(const JsonView& view, const char* key) {
    const JsonView entry = view.at(key);
    const double value = entry.number();
    if (!(value >= 0 && value <= 1)) {
        entry.fail("a number from 0 to 1");
    }
    return value;
}

Tolerance parse_one_tolerance(const JsonView& view, const Tensor& output, const Manifest& manifest) {
    Tolerance tolerance;
    const DtypeVariable* variable = manifest.find_dtype(output.dtype.variable);
    if (variable != nullptr && variable->legal.size() > 1) {
        view.check_keys({"slack", "relative", "absolute"}, {"scale"});
    } else if ((variable != nullptr ? variable->legal.front() : output.dtype.fixed) == DType::bf16) {
        view.check_keys({"slack"}, {"scale"});
    } else {
        view.check_keys({"relative", "absolute"}, {"scale"});
    }
    tolerance.slack = view.find("slack") ? part(view, "slack") : 0;
    tolerance.relative = view.find("relative") ? part(view, "relative") : 0;
    tolerance.absolute = view.find("absolute") ? part(view, "absolute") : 0;
    if (const auto scale = view.find("scale")) {
        std::vector<std::string> legal;
        for (const Param& param : manifest.params) {
            if (param.type == Param::Type::f32) {
                legal.push_back(param.name);
            }
        }
        tolerance.scale_param = scale->one_of(legal);
    }
    return tolerance;
}

/// A dtype for each variable.
Dtypes parse_workload_dtypes(const JsonView& view, const Manifest& manifest) {
    Dtypes dtypes;
    for (const auto& [name, entry] : view.members()) {
        const DtypeVariable* variable = manifest.find_dtype(name);
        if (variable == nullptr) {
            entry.fail(fmt::format("the dtype variable \"{}\"", name), "one that the signature has");
        }
        std::vector<std::string> legal;
        for (const DType dtype : variable->legal) {
            legal.emplace_back(name_of(dtype));
        }
        dtypes.emplace(name, *dtype_named(entry.one_of(legal)));
    }
    return dtypes;
}

Workload parse_workload(const JsonView& view, const Manifest& manifest) {
    view.check_keys({"label", "dims"}, {"dtypes"});
    Workload workload;
    workload.label = view.at("label").identifier();
    const JsonView dims = view.at("dims");
    for (const auto& [name, entry] : dims.members()) {
        const Dim* dim = manifest.find_dim(name);
        if (dim == nullptr) {
            entry.fail(fmt::format("the dim \"{}\"", name), "one that the signature has");
        }
        workload.dims.emplace(name, entry.integer(dim->min, dim->max));
    }
    for (const Dim& dim : manifest.dims) {
        if (workload.dims.count(dim.name) == 0) {
            dims.fail(fmt::format("no \"{}\"", dim.name), "a value for each dim");
        }
    }
    const auto dtypes = view.find("dtypes");
    if (dtypes) {
        workload.dtypes = parse_workload_dtypes(*dtypes, manifest);
    }
    for (const DtypeVariable& variable : manifest.dtypes) {
        if (workload.dtypes.count(variable.name) == 0) {
            (dtypes ? *dtypes : view)
                .fail(fmt::format("no dtype of \"{}\"", variable.name), "`dtypes` with a dtype for each variable");
        }
    }
    return workload;
}

/// Runs `check`; an error becomes one of `view`, because it is the manifest that is wrong.
template <typename Check>
void prove(const JsonView& view, const std::string& expected, const Check& check) {
    try {
        check();
    } catch (const UserError& error) {
        view.fail(fmt::format("an error ({})", error.what()), expected);
    }
}

Values solve_from_inputs(const Manifest& manifest, const Values& values) {
    std::vector<GivenShape> given;
    for (const Tensor& input : manifest.inputs) {
        given.push_back({input.name, shape_of(input, values)});
    }
    return solve_dims(manifest, given);
}

void check_outputs(const JsonView& root, const Manifest& manifest, const Workload& workload, const Values& values) {
    const std::vector<JsonView> views = root.at("signature").at("outputs").items(0, SIZE_MAX);
    for (std::size_t i = 0; i < views.size(); ++i) {
        const Tensor& output = manifest.outputs[i];
        std::vector<std::int64_t> shape;
        prove(views[i].at("shape"), fmt::format("a shape that can be evaluated for \"{}\"", workload.label),
              [&] { shape = shape_of(output, values); });
        if (!output.may_alias.empty() && shape != shape_of(*manifest.find_tensor(output.may_alias), values)) {
            views[i]
                .at("may_alias")
                .fail(fmt::format("an input of another shape in the workload \"{}\"", workload.label),
                      "one whose shape is always the output's");
        }
    }
}

void check_workload(const JsonView& view, const JsonView& root, const Manifest& manifest, const Workload& workload) {
    Values values;
    prove(view.at("dims"), "dims that keep the signature's rules",
          [&] { values = complete_dims(manifest, workload.dims); });
    prove(view.at("dims"), "dims that can be solved from the inputs' shapes", [&] {
        if (solve_from_inputs(manifest, values) != workload.dims) {
            throw ShapeError("other dims have the same inputs' shapes");
        }
    });
    check_outputs(root, manifest, workload, values);
    const std::string evaluated = fmt::format("an expression that can be evaluated for \"{}\"", workload.label);
    const JsonView roofline = root.at("roofline");
    values.merge(sizes_of(manifest, workload.dtypes));
    prove(roofline.at("bytes"), evaluated, [&] { manifest.roofline.bytes.evaluate(values); });
    prove(roofline.at("flops"), evaluated, [&] { manifest.roofline.flops.evaluate(values); });
}

}  // namespace

void parse_tolerance(const JsonView& view, Manifest& manifest) {
    std::vector<std::string> names;
    for (const Tensor& output : manifest.outputs) {
        names.push_back(output.name);
    }
    for (const auto& [name, entry] : view.members()) {
        const auto output = std::find_if(manifest.outputs.begin(), manifest.outputs.end(),
                                         [&, &key = name](const Tensor& tensor) { return tensor.name == key; });
        if (output == manifest.outputs.end()) {
            entry.fail(fmt::format("\"{}\"", name), "an output: " + join_or(names));
        }
        manifest.tolerance.emplace(name, parse_one_tolerance(entry, *output, manifest));
    }
    for (const std::string& name : names) {
        if (manifest.tolerance.count(name) == 0) {
            view.fail(fmt::format("no entry for the output \"{}\"", name), "one for each output");
        }
    }
}

void parse_roofline(const JsonView& view, Manifest& manifest) {
    view.check_keys({"bytes", "flops"}, {});
    std::set<std::string> names = shape_names(manifest);
    names.merge(size_names(manifest));
    manifest.roofline.bytes = expression_over(view.at("bytes"), names);
    manifest.roofline.flops = expression_over(view.at("flops"), names);
}

void parse_workloads(const JsonView& view, const JsonView& root, Manifest& manifest) {
    std::set<std::string> labels;
    for (const JsonView& entry : view.items(1, kMaxWorkloads)) {
        Workload workload = parse_workload(entry, manifest);
        if (!labels.insert(workload.label).second) {
            entry.at("label").fail(fmt::format("\"{}\" a second time", workload.label), "each label once");
        }
        check_workload(entry, root, manifest, workload);
        manifest.workloads.push_back(std::move(workload));
    }
}

}  // namespace tilejit::manifest
