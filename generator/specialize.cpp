/// \file Manifest and shape to specialisation: which kernel, which range of batches, which schedule.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "generator/generate.h"
#include "generator/manifest/targets.h"
#include "tilejit/error.h"

namespace tilejit {
namespace {

using manifest::Kernel;
using manifest::Manifest;

/// The range of the open dim that holds `value`. What is below 1 launches nothing, so that the first
/// range serves it.
BatchRange range_of(const Manifest& manifest, std::int64_t value) {
    BatchRange range;
    for (const std::int64_t bound : manifest.specialize.at(manifest.open_dim()).buckets) {
        if (value <= bound) {
            range.high = bound;
            return range;
        }
        range.low = bound + 1;
    }
    return range;
}

class Specializer {
public:
    Specializer(const Manifest& manifest, const SpecializeRequest& request)
        : manifest_(manifest), request_(request), open_(manifest.open_dim()) {}

    Specialization run() {
        const Values dims = manifest::complete_dims(manifest_, request_.dims);
        manifest::check_dtypes(manifest_, request_.dtypes);
        const manifest::Architecture& architecture = find_architecture();
        const std::int64_t open_value = dims.at(open_);
        Specialization result;
        result.op = manifest_.op;
        result.arch = request_.arch;
        result.access = request_.access;
        result.dtypes = request_.dtypes;
        result.batch = request_.exact_batch ? BatchRange{open_value, open_value} : range_of(manifest_, open_value);
        for (const manifest::Dim& dim : manifest_.dims) {
            if (dim.name != open_ || request_.exact_batch) {
                result.dims.emplace(dim.name, dims.at(dim.name));
            }
        }
        result.params = compile_params();

        known_ = dims;
        known_.erase(open_);
        known_.merge(resources_of(architecture));
        known_.merge(manifest::sizes_of(manifest_, request_.dtypes));
        const Values compiled = known_;
        known_[open_ + "_low"] = result.batch.low;
        known_[open_ + "_high"] = std::min(result.batch.high, manifest::kOpenHigh);
        known_[manifest::kAligned] = request_.access == Access::aligned ? 1 : 0;
        const std::size_t index = choose_kernel();
        const Kernel& kernel = manifest_.kernels[index];
        result.kernel = kernel.name;
        result.plan = choose_plan(index, compiled);
        result.schedule = choose_schedule(index, result.plan);
        return result;
    }

private:
    const manifest::Architecture& find_architecture() const {
        const manifest::Architecture* found = manifest::find_architecture(request_.arch);
        if (found == nullptr) {
            throw UnknownTarget(fmt::format("found the architecture \"{}\", expected one of {}", request_.arch,
                                            fmt::join(manifest::architecture_names(), ", ")));
        }
        return *found;
    }

    std::map<std::string, double> compile_params() const {
        std::map<std::string, double> result;
        for (const manifest::Param& param : manifest_.params) {
            if (param.bind != manifest::Bind::compile) {
                continue;
            }
            const auto given = request_.params.find(param.name);
            if (given == request_.params.end() && !param.default_value) {
                throw ShapeError(
                    fmt::format("{}: found no value of {}, expected one: it is compiled in", manifest_.op, param.name));
            }
            result[param.name] = manifest::check_param(
                manifest_, param, given == request_.params.end() ? *param.default_value : given->second);
        }
        for (const auto& entry : request_.params) {
            if (result.count(entry.first) == 0) {
                throw ShapeError(
                    fmt::format("{}: found a value of {}, expected none: it is no parameter that is compiled in",
                                manifest_.op, entry.first));
            }
        }
        return result;
    }

    /// Where in the manifest an error is.
    std::string place(std::size_t kernel, const std::string& what) const {
        return fmt::format("{}: /kernels/{}/{}", manifest_.file, kernel, what);
    }

    /// Runs `evaluate`; its errors get the place.
    template <typename Evaluate>
    auto at_place(std::size_t kernel, const std::string& what, const Evaluate& evaluate) const {
        try {
            return evaluate();
        } catch (const ManifestError& error) {
            throw ManifestError(fmt::format("{}: {} ({})", place(kernel, what), error.what(), values_text()));
        }
    }

    std::string values_text() const {
        std::string text;
        for (const auto& [name, value] : request_.dims) {
            text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", name, value);
        }
        for (const auto& [name, dtype] : request_.dtypes) {
            text += fmt::format(", {} = {}", name, name_of(dtype));
        }
        return fmt::format("{}, {}{}", text, request_.arch,
                           request_.access == Access::aligned ? "" : ", access by element");
    }

    std::size_t choose_kernel() const {
        std::string reasons;
        for (std::size_t i = 0; i < manifest_.kernels.size(); ++i) {
            const Kernel& kernel = manifest_.kernels[i];
            const std::string reason = why_not(i);
            if (reason.empty()) {
                return i;
            }
            reasons += fmt::format("; {} {}", kernel.name, reason);
        }
        throw OpNotAvailable(fmt::format("{}: found no kernel for {}{}", manifest_.op, values_text(), reasons));
    }

    std::string why_not(std::size_t index) const {
        const Kernel& kernel = manifest_.kernels[index];
        if (request_.kernel && *request_.kernel != kernel.name) {
            return fmt::format("is not {}, which was asked for", *request_.kernel);
        }
        if (std::find(kernel.targets.begin(), kernel.targets.end(), request_.arch) == kernel.targets.end()) {
            return fmt::format("serves {}", fmt::join(kernel.targets, ", "));
        }
        const bool serves = at_place(index, "when", [&] { return kernel.when.evaluate(known_) != 0; });
        return serves ? "" : fmt::format("serves where {}", kernel.when.text());
    }

    Values choose_plan(std::size_t index, const Values& compiled) const {
        Values known = compiled;
        Values plan;
        for (const auto& [name, choice] : manifest_.kernels[index].plan) {
            const std::int64_t value =
                at_place(index, "plan/" + name, [&, &rule = choice] { return rule.evaluate(known); });
            known[name] = value;
            plan[name] = value;
        }
        return plan;
    }

    Values choose_schedule(std::size_t index, const Values& plan) const {
        const Kernel& kernel = manifest_.kernels[index];
        check_overrides(kernel);
        Values known = known_;
        known.insert(plan.begin(), plan.end());
        Values schedule;
        for (const auto& [name, choice] : kernel.schedule) {
            const auto given = request_.schedule.find(name);
            const std::int64_t value =
                given != request_.schedule.end()
                    ? given->second
                    : at_place(index, "schedule/" + name, [&, &rule = choice] { return rule.evaluate(known); });
            if (!kernel.space.at(name).contains(value)) {
                throw ManifestError(fmt::format("{}: found the value {} ({}), expected one in /kernels/{}/space/{}: {}",
                                                place(index, "schedule/" + name), value, values_text(), index, name,
                                                kernel.space.at(name).describe()));
            }
            known[name] = value;
            schedule[name] = value;
        }
        return schedule;
    }

    void check_overrides(const Kernel& kernel) const {
        for (const auto& [name, value] : request_.schedule) {
            const auto legal = kernel.space.find(name);
            if (legal == kernel.space.end()) {
                std::string names;
                for (const auto& entry : kernel.space) {
                    names += (names.empty() ? "" : ", ") + entry.first;
                }
                throw ShapeError(fmt::format("{}: found the schedule entry \"{}\", expected {} of {}", manifest_.op,
                                             name, names.empty() ? "none" : "one of " + names, kernel.name));
            }
            if (!legal->second.contains(value)) {
                throw ShapeError(fmt::format("{}: found the schedule entry {} = {}, expected {}", manifest_.op, name,
                                             value, legal->second.describe()));
            }
        }
    }

    const Manifest& manifest_;
    const SpecializeRequest& request_;
    const std::string& open_;
    Values known_;  ///< what `when` and `schedule` see before the plan is chosen
};

}  // namespace

Specialization specialize(const Manifest& manifest, const SpecializeRequest& request) {
    return Specializer(manifest, request).run();
}

std::string canonical_text(const Specialization& specialization) {
    nlohmann::json json;  // sorts its keys
    json["op"] = specialization.op;
    json["kernel"] = specialization.kernel;
    json["arch"] = specialization.arch;
    json["dims"] = specialization.dims;
    json["dtypes"] = nlohmann::json::object();
    for (const auto& [name, dtype] : specialization.dtypes) {
        json["dtypes"][name] = name_of(dtype);
    }
    json["batch"] = {{"low", specialization.batch.low}, {"high", nullptr}};
    if (specialization.batch.high != BatchRange::kNoLimit) {
        json["batch"]["high"] = specialization.batch.high;
    }
    json["access"] = specialization.access == Access::aligned ? "aligned" : "element";
    json["plan"] = specialization.plan;
    json["schedule"] = specialization.schedule;
    json["params"] = specialization.params;
    return json.dump();
}

}  // namespace tilejit
