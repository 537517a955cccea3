/// \file `specialize` and `kernels`: how the op is compiled.
#include <fmt/format.h>

#include <algorithm>

#include "generator/manifest/expression_node.h"
#include "generator/manifest/parse_parts.h"
#include "generator/manifest/targets.h"

namespace tilejit::manifest {
namespace {

constexpr std::size_t kMaxBounds = 3;
constexpr std::size_t kMaxKernels = 64;
constexpr std::size_t kMaxAlternatives = 64;
constexpr std::size_t kMaxSpace = 256;

Specialize parse_one_specialize(const JsonView& view) {
    Specialize result;
    if (view.is_text()) {
        result.kind =
            view.one_of({"exact", "runtime"}) == "exact" ? Specialize::Kind::exact : Specialize::Kind::runtime;
        return result;
    }
    if (!view.is_object()) {
        view.fail("exact, runtime or {\"bucket\": [upper bounds]}");
    }
    view.check_keys({"bucket"}, {});
    result.kind = Specialize::Kind::bucket;
    std::int64_t previous = 0;
    for (const JsonView& bound : view.at("bucket").items(1, kMaxBounds)) {
        if (!bound.is_integer()) {
            bound.fail("an integer");
        }
        const std::int64_t value = bound.integer(INT64_MIN, INT64_MAX);
        if (value <= previous || value >= kOpenHigh) {
            bound.fail(fmt::format("an ascending bound, more than {} and less than {}", previous, kOpenHigh));
        }
        previous = value;
        result.buckets.push_back(value);
    }
    return result;
}

/// What a kernel's expressions may name.
class Scope {
public:
    explicit Scope(const Manifest& manifest) : open_(manifest.open_dim()) {
        for (const std::string& name : shape_names(manifest)) {
            if (dims_of(manifest, Expression::parse(name)).count(open_) == 0) {
                names_.insert(name);
            }
        }
        for (const std::string& name : resource_names()) {
            names_.insert(name);
        }
        names_.merge(size_names(manifest));
    }

    std::set<std::string> names() const { return names_; }
    /// What does not decide bits: the names that a plan may not use.
    std::set<std::string> call_names() const { return {open_ + "_low", open_ + "_high", kAligned}; }

    Hints range_hints() const {
        return {{open_, fmt::format("a kernel is compiled for a range of {0}, {0}_low to {0}_high", open_)}};
    }
    Hints plan_hints() const {
        const std::string hint = fmt::format("the numeric plan is the same for every {}", open_);
        return {{open_, hint},
                {open_ + "_low", hint},
                {open_ + "_high", hint},
                {kAligned, "the numeric plan is the same for every access"}};
    }

private:
    std::string open_;
    std::set<std::string> names_;
};

Choice parse_choice(const JsonView& view, const std::set<std::string>& legal, const Hints& hints) {
    Choice choice;
    if (!view.is_array()) {
        choice.alternatives.emplace_back(Expression::constant(1), expression_over(view, legal, hints));
        return choice;
    }
    const std::vector<JsonView> entries = view.items(1, kMaxAlternatives);
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const bool last = i + 1 == entries.size();
        entries[i].check_keys({"value"}, {"when"});
        const auto when = entries[i].find("when");
        if (when && last) {
            when->fail("no `when` on the last alternative, which serves what the others left");
        }
        if (!when && !last) {
            entries[i].fail("an alternative without \"when\"", "one on each but the last");
        }
        choice.alternatives.emplace_back(when ? expression_over(*when, legal, hints) : Expression::constant(1),
                                         expression_over(entries[i].at("value"), legal, hints));
    }
    return choice;
}

/// Reads choices in order; each adds its name to `names`. What `hints` are about has a meaning elsewhere.
Choices parse_choices(const JsonView& view, std::set<std::string>& names, const Hints& hints) {
    Choices choices;
    for (const auto& [name, entry] : view.members()) {
        if (names.count(name) != 0 || hints.count(name) != 0 || is_reserved_word(name)) {
            entry.fail(fmt::format("the name \"{}\", which has a meaning here already", name), "another name");
        }
        choices.emplace_back(name, parse_choice(entry, names, hints));
        names.insert(name);
    }
    return choices;
}

Space parse_space_entry(const JsonView& view) {
    Space space;
    if (view.is_object()) {
        view.check_keys({"min", "max"}, {});
        space.min = view.at("min").integer(INT64_MIN, INT64_MAX);
        space.max = view.at("max").integer(space.min, INT64_MAX);
        return space;
    }
    if (!view.is_array()) {
        view.fail("an array of integers or {\"min\": .., \"max\": ..}");
    }
    for (const JsonView& entry : view.items(1, kMaxSpace)) {
        const std::int64_t value = entry.integer(INT64_MIN, INT64_MAX);
        if (std::find(space.values.begin(), space.values.end(), value) != space.values.end()) {
            entry.fail(fmt::format("{} a second time", value), "each value once");
        }
        space.values.push_back(value);
    }
    return space;
}

void parse_schedule(const JsonView& view, const Scope& scope, std::set<std::string> names, Kernel& kernel) {
    if (const auto space = view.find("space")) {
        for (const auto& [name, entry] : space->members()) {
            kernel.space.emplace(name, parse_space_entry(entry));
        }
    }
    names.merge(scope.call_names());
    if (const auto schedule = view.find("schedule")) {
        kernel.schedule = parse_choices(*schedule, names, scope.range_hints());
        for (const auto& [name, entry] : schedule->members()) {
            if (kernel.space.count(name) == 0) {
                entry.fail(fmt::format("the schedule entry \"{}\"", name),
                           "one that `space` lists the legal values of");
            }
        }
    }
    for (const auto& [name, legal] : kernel.space) {
        const bool chosen = std::any_of(kernel.schedule.begin(), kernel.schedule.end(),
                                        [&, &key = name](const auto& entry) { return entry.first == key; });
        if (!chosen) {
            view.at("space").fail(fmt::format("\"{}\" in no rule of `schedule`", name),
                                  "a rule for it, used when nothing was tuned");
        }
    }
}

Kernel parse_kernel(const JsonView& view, const Scope& scope) {
    view.check_keys({"name", "family", "targets"}, {"doc", "when", "plan", "space", "schedule"});
    Kernel kernel;
    kernel.name = view.at("name").identifier();
    kernel.family = view.at("family").identifier();
    if (const auto doc = view.find("doc")) {
        doc->text();
    }
    for (const JsonView& target : view.at("targets").items(1, architectures().size())) {
        kernel.targets.push_back(target.one_of(architecture_names()));
        if (std::count(kernel.targets.begin(), kernel.targets.end(), kernel.targets.back()) > 1) {
            target.fail("each target once");
        }
    }
    std::set<std::string> names = scope.names();
    std::set<std::string> when_names = names;
    when_names.merge(scope.call_names());
    const auto when = view.find("when");
    kernel.when = when ? expression_over(*when, when_names, scope.range_hints()) : Expression::constant(1);
    if (const auto plan = view.find("plan")) {
        kernel.plan = parse_choices(*plan, names, scope.plan_hints());
    }
    parse_schedule(view, scope, std::move(names), kernel);
    return kernel;
}

void check_unique(const JsonView& view, const Kernel& kernel, const std::vector<Kernel>& others) {
    for (const Kernel& other : others) {
        for (const std::string& target : kernel.targets) {
            if (other.name == kernel.name &&
                std::find(other.targets.begin(), other.targets.end(), target) != other.targets.end()) {
                view.at("name").fail(fmt::format("\"{}\" for {} a second time", kernel.name, target),
                                     "one entry for each kernel and target");
            }
        }
    }
}

}  // namespace

void parse_specialize(const JsonView& view, Manifest& manifest) {
    std::string open;
    for (const auto& [name, entry] : view.members()) {
        if (manifest.find_dim(name) == nullptr) {
            std::vector<std::string> legal;
            for (const Dim& dim : manifest.dims) {
                legal.push_back(dim.name);
            }
            entry.fail(fmt::format("the dim \"{}\"", name), one_of_text(legal));
        }
        const Specialize parsed = parse_one_specialize(entry);
        if (parsed.kind != Specialize::Kind::exact && !open.empty()) {
            entry.fail(fmt::format("a second open dim beside \"{}\"", open), "exact: one dim is `bucket` or `runtime`");
        }
        if (parsed.kind != Specialize::Kind::exact) {
            open = name;
        }
        manifest.specialize.emplace(name, parsed);
    }
    for (const Dim& dim : manifest.dims) {
        if (manifest.specialize.count(dim.name) == 0) {
            view.fail(fmt::format("no entry for the dim \"{}\"", dim.name), "one for each dim");
        }
    }
    if (open.empty()) {
        view.fail("every dim exact", "one dim that is `bucket` or `runtime`");
    }
}

void parse_kernels(const JsonView& view, Manifest& manifest) {
    const Scope scope(manifest);
    for (const JsonView& entry : view.items(1, kMaxKernels)) {
        Kernel kernel = parse_kernel(entry, scope);
        check_unique(entry, kernel, manifest.kernels);
        manifest.kernels.push_back(std::move(kernel));
    }
}

}  // namespace tilejit::manifest
