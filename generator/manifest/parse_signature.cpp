/// \file `signature`: what the op takes and gives.
#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "generator/manifest/expression_node.h"
#include "generator/manifest/parse_parts.h"
#include "generator/manifest/targets.h"

namespace tilejit::manifest {
namespace {

constexpr std::size_t kMaxTensors = 64;
constexpr std::size_t kMaxAxes = 8;

/// Dims, dtype variables, `let` names, params and tensors share one namespace, so that a message, a command line flag
/// and a generated argument can name each of them.
class Names {
public:
    Names() {
        for (const std::string& name : resource_names()) {
            taken_.emplace(name, "a resource of targets");
        }
        taken_.emplace(kAligned, "whether tensors are accessed aligned");
        for (const DType dtype : {DType::f32, DType::bf16}) {
            taken_.emplace(name_of(dtype), "a dtype");
        }
    }

    void claim(const JsonView& view, const std::string& name, const std::string& what) {
        if (is_reserved_word(name)) {
            view.fail(fmt::format("the name \"{}\", a word of the expression language", name), "another name");
        }
        const auto [entry, fresh] = taken_.emplace(name, what);
        if (!fresh) {
            view.fail(fmt::format("the name \"{}\", which is already {}", name, entry->second), "another name");
        }
    }

private:
    std::map<std::string, std::string> taken_;
};

std::string optional_doc(const JsonView& view) {
    const auto doc = view.find("doc");
    return doc ? doc->text() : "";
}

void parse_dims(const JsonView& view, Names& names, Manifest& manifest) {
    for (const auto& [name, entry] : view.members()) {
        names.claim(entry, name, "a dim");
        entry.check_keys({}, {"doc", "min", "max"});
        Dim dim;
        dim.name = name;
        dim.doc = optional_doc(entry);
        if (const auto min = entry.find("min")) {
            dim.min = min->integer(0, INT64_MAX);
        }
        if (const auto max = entry.find("max")) {
            dim.max = max->integer(dim.min, INT64_MAX);
        }
        manifest.dims.push_back(std::move(dim));
    }
    if (manifest.dims.empty()) {
        view.fail("at least one dim");
    }
}

double param_value(const JsonView& view, Param::Type type) {
    if (type == Param::Type::i32) {
        return static_cast<double>(
            view.integer(std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max()));
    }
    const double value = view.number();
    if (!(std::abs(value) <= static_cast<double>(std::numeric_limits<float>::max()))) {
        view.fail("a number that fp32 can hold");
    }
    return value;
}

void parse_params(const JsonView& view, Names& names, Manifest& manifest) {
    for (const auto& [name, entry] : view.members()) {
        names.claim(entry, name, "a parameter");
        entry.check_keys({"type"}, {"doc", "default", "min", "max", "bind"});
        Param param;
        param.name = name;
        param.doc = optional_doc(entry);
        param.type = entry.at("type").one_of({"f32", "i32"}) == "f32" ? Param::Type::f32 : Param::Type::i32;
        if (const auto bind = entry.find("bind")) {
            param.bind = bind->one_of({"launch", "compile"}) == "launch" ? Bind::launch : Bind::compile;
        }
        if (const auto min = entry.find("min")) {
            param.min = param_value(*min, param.type);
        }
        if (const auto max = entry.find("max")) {
            param.max = param_value(*max, param.type);
            if (param.min && *param.max < *param.min) {
                max->fail(fmt::format("a number of at least min, {}", *param.min));
            }
        }
        if (const auto value = entry.find("default")) {
            param.default_value = param_value(*value, param.type);
            if ((param.min && *param.default_value < *param.min) || (param.max && *param.default_value > *param.max)) {
                value->fail(legal_values(param));
            }
        }
        manifest.params.push_back(std::move(param));
    }
}

void parse_let(const JsonView& view, Names& names, Manifest& manifest) {
    for (const auto& [name, entry] : view.members()) {
        names.claim(entry, name, "a `let` name");
        Expression value = expression_over(entry, shape_names(manifest));
        manifest.let.emplace_back(name, std::move(value));
    }
}

Tensor parse_tensor(const JsonView& view, bool is_output, Names& names, const Manifest& manifest) {
    if (is_output) {
        view.check_keys({"name", "dtype", "shape"}, {"doc", "optional", "alignment", "may_alias"});
    } else {
        view.check_keys({"name", "dtype", "shape"}, {"doc", "optional", "alignment"});
    }
    Tensor tensor;
    tensor.name = view.at("name").identifier();
    names.claim(view.at("name"), tensor.name, is_output ? "an output" : "an input");
    tensor.doc = optional_doc(view);
    tensor.dtype = parse_tensor_dtype(view.at("dtype"), manifest);
    for (const JsonView& extent : view.at("shape").items(1, kMaxAxes)) {
        tensor.shape.push_back(expression_over(extent, shape_names(manifest)));
    }
    if (const auto optional = view.find("optional")) {
        tensor.optional = optional->boolean();
    }
    if (const auto alignment = view.find("alignment")) {
        tensor.alignment = parse_alignment(*alignment, tensor.dtype, manifest);
    }
    return tensor;
}

void parse_alias(const JsonView& view, const Manifest& manifest, Tensor& output) {
    std::vector<std::string> legal;
    for (const Tensor& input : manifest.inputs) {
        if (input.dtype == output.dtype && input.shape.size() == output.shape.size()) {
            legal.push_back(input.name);
        }
    }
    if (!view.is_text()) {
        view.fail("the name of an input");
    }
    output.may_alias = view.text();
    for (const std::string& name : legal) {
        if (name == output.may_alias) {
            return;
        }
    }
    const std::string what = fmt::format("an input of dtype {} with {} ax{}", output.dtype.text(), output.shape.size(),
                                         output.shape.size() == 1 ? "is" : "es");
    view.fail(legal.empty() ? "no may_alias: there is not " + what : what + ": " + join_or(legal));
}

void check_dims_are_given(const JsonView& dims, const Manifest& manifest) {
    std::set<std::string> given;
    for (const Tensor& input : manifest.inputs) {
        for (const Expression& extent : input.shape) {
            if (!input.optional) {
                given.merge(dims_of(manifest, extent));
            }
        }
    }
    for (const auto& [name, view] : dims.members()) {
        if (given.count(name) == 0) {
            view.fail(fmt::format("the dim \"{}\" in the shape of no required input", name),
                      "a dim that can be solved from the inputs");
        }
    }
}

void parse_rules(const JsonView& view, Manifest& manifest) {
    for (const JsonView& entry : view.items(0, 64)) {
        entry.check_keys({"holds", "message"}, {});
        Rule rule;
        rule.holds = expression_over(entry.at("holds"), shape_names(manifest));
        rule.message = entry.at("message").text();
        manifest.rules.push_back(std::move(rule));
    }
}

void check_not_a_bound(const JsonView& view, const std::string& name, const std::string& open) {
    if (name == open + "_low" || name == open + "_high") {
        view.fail(fmt::format("the name \"{}\", which is a bound of the range of {}", name, open), "another name");
    }
}

}  // namespace

void parse_signature(const JsonView& view, Manifest& manifest) {
    view.check_keys({"dims", "inputs", "outputs"}, {"dtypes", "params", "let", "rules"});
    Names names;
    parse_dims(view.at("dims"), names, manifest);
    const auto dtypes = view.find("dtypes");
    if (dtypes) {
        parse_dtypes(*dtypes, manifest);
        for (const auto& [name, entry] : dtypes->members()) {
            names.claim(entry, name, "a dtype variable");
            names.claim(entry, manifest.find_dtype(name)->bytes_name(), fmt::format("the size of {}'s elements", name));
        }
    }
    if (const auto params = view.find("params")) {
        parse_params(*params, names, manifest);
    }
    if (const auto let = view.find("let")) {
        parse_let(*let, names, manifest);
    }
    for (const JsonView& entry : view.at("inputs").items(1, kMaxTensors)) {
        manifest.inputs.push_back(parse_tensor(entry, false, names, manifest));
    }
    for (const JsonView& entry : view.at("outputs").items(1, kMaxTensors)) {
        Tensor output = parse_tensor(entry, true, names, manifest);
        if (const auto alias = entry.find("may_alias")) {
            parse_alias(*alias, manifest, output);
        }
        manifest.outputs.push_back(std::move(output));
    }
    check_dims_are_given(view.at("dims"), manifest);
    if (dtypes) {
        check_dtypes_are_given(*dtypes, manifest);
    }
    if (const auto rules = view.find("rules")) {
        parse_rules(*rules, manifest);
    }
}

void check_open_dim(const JsonView& signature, const Manifest& manifest) {
    const std::string& open = manifest.open_dim();
    for (const auto& [name, view] : signature.at("dims").members()) {
        if (name != open && manifest.find_dim(name)->min == 0) {
            view.fail("min 0", fmt::format("at least 1: only the open dim, {}, may be 0", open));
        }
        check_not_a_bound(view, name, open);
    }
    if (const auto let = signature.find("let")) {
        for (const auto& [name, view] : let->members()) {
            check_not_a_bound(view, name, open);
        }
    }
    for (const char* side : {"inputs", "outputs"}) {
        for (const JsonView& tensor : signature.at(side).items(1, kMaxTensors)) {
            bool outermost = true;
            for (const JsonView& extent : tensor.at("shape").items(1, kMaxAxes)) {
                const Expression expression = extent.expression();
                if (dims_of(manifest, expression).count(open) != 0 && !(outermost && expression.text() == open)) {
                    extent.fail(
                        fmt::format("the open dim \"{0}\" only as an outermost axis that is just \"{0}\"", open));
                }
                outermost = false;
            }
        }
    }
}

}  // namespace tilejit::manifest
