#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tools/tilejit/arguments.h"

namespace tilejit::cli {
namespace {

/// `--dtype T=bf16 (T = bf16 or f32)`
std::string wanted(const manifest::DtypeVariable& variable) {
    return fmt::format("--dtype {}={} ({})", variable.name, name_of(variable.legal.front()), variable.describe());
}

}  // namespace

nlohmann::json to_json(const Dtypes& dtypes) {
    nlohmann::json json = nlohmann::json::object();
    for (const auto& [name, dtype] : dtypes) {
        json[name] = name_of(dtype);
    }
    return json;
}

void DtypeFlags::add(CLI::App& app) {
    app.add_option("--dtype", texts_, "variable=dtype, for each dtype variable of the op: T=bf16")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

std::map<std::string, std::vector<DType>> DtypeFlags::lists() const {
    std::map<std::string, std::vector<DType>> lists;
    for (const auto& [name, text] : split_assignments(texts_, "--dtype")) {
        for (const std::string& entry : split_list(text)) {
            const std::optional<DType> dtype = dtype_named(entry);
            if (!dtype) {
                throw UsageError(fmt::format("--dtype {} is \"{}\"; expected f32 or bf16", name, entry));
            }
            lists[name].push_back(*dtype);
        }
    }
    return lists;
}

void DtypeFlags::check_known(const std::vector<const manifest::Manifest*>& ops) const {
    for (const auto& entry : lists()) {
        if (std::none_of(ops.begin(), ops.end(),
                         [&](const manifest::Manifest* op) { return op->find_dtype(entry.first) != nullptr; })) {
            std::vector<std::string> names;
            for (const manifest::Manifest* op : ops) {
                for (const manifest::DtypeVariable& variable : op->dtypes) {
                    names.push_back(variable.name);
                }
            }
            throw UsageError(
                fmt::format("--dtype gives {}; the op{} {}", entry.first, ops.size() == 1 ? " has" : "s have",
                            names.empty() ? "no dtype variables" : fmt::format("{}", fmt::join(names, ", "))));
        }
    }
}

std::vector<Dtypes> DtypeFlags::combinations(const manifest::Manifest& manifest) const {
    const std::map<std::string, std::vector<DType>> given = lists();
    std::vector<Dtypes> combinations = {{}};
    for (const manifest::DtypeVariable& variable : manifest.dtypes) {
        const auto list = given.find(variable.name);
        if (list == given.end()) {
            throw UsageError(fmt::format("{} needs {}", manifest.op, wanted(variable)));
        }
        std::vector<Dtypes> longer;
        for (const Dtypes& dtypes : combinations) {
            for (const DType dtype : list->second) {
                longer.push_back(dtypes);
                longer.back()[variable.name] = dtype;
            }
        }
        combinations = std::move(longer);
    }
    return combinations;
}

Dtypes DtypeFlags::values(const manifest::Manifest& manifest) const {
    check_known({&manifest});
    std::vector<Dtypes> found = combinations(manifest);
    if (found.size() != 1) {
        throw UsageError(
            fmt::format("--dtype gives {} combinations; expected one dtype for each variable", found.size()));
    }
    return std::move(found.front());
}

}  // namespace tilejit::cli
