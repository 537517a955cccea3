#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "generator/manifest/library.h"
#include "tilejit/target.h"
#include "tools/tilejit/arguments.h"

namespace tilejit::cli {
namespace {

using nlohmann::json;

std::string_view type_name(manifest::Param::Type type) { return type == manifest::Param::Type::f32 ? "f32" : "i32"; }

std::vector<std::string> shape_text(const manifest::Tensor& tensor) {
    std::vector<std::string> shape;
    for (const manifest::Expression& extent : tensor.shape) {
        shape.push_back(extent.text());
    }
    return shape;
}

json tensors_json(const std::vector<manifest::Tensor>& tensors) {
    json list = json::array();
    for (const manifest::Tensor& tensor : tensors) {
        list.push_back({{"name", tensor.name},
                        {"dtype", tensor.dtype.text()},
                        {"shape", shape_text(tensor)},
                        {"doc", tensor.doc}});
        if (tensor.alignment != 0) {
            list.back()["alignment"] = tensor.alignment;
        }
    }
    return list;
}

json dtypes_json(const manifest::Manifest& op) {
    json variables = json::object();
    for (const manifest::DtypeVariable& variable : op.dtypes) {
        for (const DType dtype : variable.legal) {
            variables[variable.name].push_back(name_of(dtype));
        }
    }
    return variables;
}

json op_json(const manifest::Manifest& op) {
    json dims = json::array();
    for (const manifest::Dim& dim : op.dims) {
        dims.push_back({{"name", dim.name}, {"flag", flag_of(dim.name)}, {"min", dim.min}, {"doc", dim.doc}});
        if (dim.max != INT64_MAX) {
            dims.back()["max"] = dim.max;
        }
    }
    json params = json::array();
    for (const manifest::Param& param : op.params) {
        params.push_back({{"name", param.name}, {"type", type_name(param.type)}, {"doc", param.doc}});
        if (param.default_value) {
            params.back()["default"] = *param.default_value;
        }
    }
    json kernels = json::array();
    for (const manifest::Kernel& kernel : op.kernels) {
        kernels.push_back({{"name", kernel.name}, {"family", kernel.family}, {"targets", kernel.targets}});
    }
    return {{"op", op.op},
            {"family", op.family},
            {"manifest", op.file},
            {"doc", op.doc},
            {"dims", dims},
            {"dtypes", dtypes_json(op)},
            {"params", params},
            {"inputs", tensors_json(op.inputs)},
            {"outputs", tensors_json(op.outputs)},
            {"kernels", kernels}};
}

std::string tensors_text(const char* title, const std::vector<manifest::Tensor>& tensors) {
    std::string text;
    for (const manifest::Tensor& tensor : tensors) {
        const std::string alignment = tensor.alignment == 0 ? "" : fmt::format(" at {} bytes", tensor.alignment);
        text += fmt::format("  {:8} {} {} [{}]{}: {}\n", title, tensor.name, tensor.dtype.text(),
                            fmt::join(shape_text(tensor), ", "), alignment, tensor.doc);
    }
    return text;
}

std::string op_text(const manifest::Manifest& op) {
    std::string text = fmt::format("{} ({})\n  {}\n", op.op, op.file, op.doc);
    for (const manifest::Dim& dim : op.dims) {
        text += fmt::format("  dim      {} {}{}: {}\n", flag_of(dim.name), dim.min,
                            dim.max == INT64_MAX ? " and up" : fmt::format(" to {}", dim.max), dim.doc);
    }
    for (const manifest::DtypeVariable& variable : op.dtypes) {
        text += fmt::format("  dtype    {}\n", variable.describe());
    }
    for (const manifest::Param& param : op.params) {
        text += fmt::format("  param    {} {}{}: {}\n", param.name, type_name(param.type),
                            param.default_value ? fmt::format(" = {}", *param.default_value) : "", param.doc);
    }
    text += tensors_text("input", op.inputs) + tensors_text("output", op.outputs);
    for (const manifest::Kernel& kernel : op.kernels) {
        text += fmt::format("  kernel   {} ({}) on {}\n", kernel.name, kernel.family, fmt::join(kernel.targets, " "));
    }
    return text;
}

}  // namespace

int list_command(const Arguments& arguments) {
    CLI::App app("Lists ops, targets and kernels.", "tilejit list");
    bool as_json = false;
    app.add_flag("--json", as_json, "print JSON");
    parse(app, arguments);

    const manifest::Library& library = manifest::builtin_manifests();
    json ops = json::array();
    std::string text;
    for (const std::string& name : library.ops()) {
        const manifest::Manifest& op = library.find(name);
        ops.push_back(op_json(op));
        text += op_text(op) + "\n";
    }
    if (as_json) {
        print_json({{"ops", ops}, {"targets", list_targets()}});
    } else {
        print(text + fmt::format("targets: {}\n", fmt::join(list_targets(), " ")));
    }
    return kGood;
}

}  // namespace tilejit::cli
