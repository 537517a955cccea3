/// \file `parse_manifest`: the document's top level, and what its parts share.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "generator/manifest/parse_parts.h"
#include "tilejit/error.h"

namespace tilejit::manifest {
namespace {

void add_dims_of(const Manifest& manifest, const std::set<std::string>& names, std::set<std::string>& dims) {
    for (const std::string& name : names) {
        if (manifest.find_dim(name) != nullptr) {
            dims.insert(name);
            continue;
        }
        for (const auto& [let_name, value] : manifest.let) {
            if (let_name == name) {
                add_dims_of(manifest, value.names(), dims);
            }
        }
    }
}

template <typename T>
const T* find_named(const std::vector<T>& list, std::string_view name) {
    const auto found = std::find_if(list.begin(), list.end(), [&](const T& entry) { return entry.name == name; });
    return found == list.end() ? nullptr : &*found;
}

}  // namespace

std::set<std::string> shape_names(const Manifest& manifest) {
    std::set<std::string> names;
    for (const Dim& dim : manifest.dims) {
        names.insert(dim.name);
    }
    for (const auto& entry : manifest.let) {
        names.insert(entry.first);
    }
    return names;
}

std::set<std::string> size_names(const Manifest& manifest) {
    std::set<std::string> names;
    for (const DtypeVariable& variable : manifest.dtypes) {
        names.insert(variable.bytes_name());
    }
    return names;
}

std::set<std::string> dims_of(const Manifest& manifest, const Expression& expression) {
    std::set<std::string> dims;
    add_dims_of(manifest, expression.names(), dims);
    return dims;
}

Expression expression_over(const JsonView& view, const std::set<std::string>& legal, const Hints& hints) {
    Expression expression = view.expression();
    for (const std::string& name : expression.names()) {
        if (legal.count(name) == 0) {
            const auto hint = hints.find(name);
            view.fail(fmt::format("the name \"{}\" in \"{}\"", name, expression.text()),
                      one_of_text({legal.begin(), legal.end()}) + (hint == hints.end() ? "" : ": " + hint->second));
        }
    }
    return expression;
}

const Dim* Manifest::find_dim(std::string_view name) const { return find_named(dims, name); }

const DtypeVariable* Manifest::find_dtype(std::string_view name) const { return find_named(dtypes, name); }

const Param* Manifest::find_param(std::string_view name) const { return find_named(params, name); }

const Tensor* Manifest::find_tensor(std::string_view name) const {
    const Tensor* input = find_named(inputs, name);
    return input != nullptr ? input : find_named(outputs, name);
}

const std::string& Manifest::open_dim() const {
    const auto found = std::find_if(specialize.begin(), specialize.end(),
                                    [](const auto& entry) { return entry.second.kind != Specialize::Kind::exact; });
    internal_check(found != specialize.end(), "a parsed manifest has an open dim");
    return found->first;
}

Manifest parse_manifest(std::string_view json_text, const std::string& file) {
    const Json json = parse_json(json_text, file);
    const JsonView root(json, file);
    root.check_keys(
        {"op", "family", "layout", "doc", "signature", "specialize", "kernels", "tolerance", "workloads", "roofline"},
        {"$schema"});
    if (const auto schema = root.find("$schema")) {
        schema->text();
    }
    Manifest manifest;
    manifest.file = file;
    manifest.text = std::string(json_text);
    manifest.op = root.at("op").identifier();
    manifest.family = root.at("family").identifier();
    manifest.layout = root.at("layout").identifier();
    manifest.doc = root.at("doc").text();
    parse_signature(root.at("signature"), manifest);
    parse_specialize(root.at("specialize"), manifest);
    check_open_dim(root.at("signature"), manifest);
    parse_kernels(root.at("kernels"), manifest);
    parse_tolerance(root.at("tolerance"), manifest);
    parse_roofline(root.at("roofline"), manifest);
    parse_workloads(root.at("workloads"), root, manifest);
    return manifest;
}

Manifest load_manifest(const std::string& path) {
    std::error_code ignored;
    std::ifstream stream(path, std::ios::binary);
    if (!std::filesystem::is_regular_file(path, ignored) || !stream) {
        throw ManifestError(fmt::format("{}: found no file that can be read, expected an op manifest", path));
    }
    std::ostringstream text;
    text << stream.rdbuf();
    return parse_manifest(text.str(), path);
}

}  // namespace tilejit::manifest
