#include "tools/tilejit/specialize.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "generator/manifest/targets.h"
#include "runtime/op/resolve.h"

namespace tilejit::cli {

void SpecializeFlags::add(CLI::App& app) {
    app.add_option("--target", target_, "an architecture (sm_90a), or host[:architecture]");
    app.add_option("--specialize", specialize_, "DIM=exact bakes that dimension in; DIM=range is the default")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    app.add_option("--access", access_,
                   "aligned: addresses in multiples of 16 bytes, rows as without gaps; element: of the element")
        ->check(CLI::IsMember({"aligned", "element"}));
    app.add_option("--param", params_, "name=value of a parameter that is compiled in; may come several times")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

std::string lowering_of(const std::string& target) {
    const std::string architectures = fmt::format("{}", fmt::join(manifest::architecture_names(), ", "));
    if (target.empty()) {
        throw UsageError("no --target given; expected host or one of " + architectures);
    }
    const TargetSet set = parse_target(target);
    if (set.kind == TargetSet::Kind::builtin) {
        throw UsageError(
            fmt::format("--target {} depends on a device; expected host or one of {}", target, architectures));
    }
    return set.arch;
}

SpecializeRequest SpecializeFlags::request(const manifest::Manifest& manifest, const manifest::Values& dims,
                                           const Dtypes& dtypes, const std::string& target) const {
    SpecializeRequest request;
    request.dims = dims;
    request.dtypes = dtypes;
    request.arch = lowering_of(target);
    request.access = access_ == "element" ? Access::element : Access::aligned;
    request.params = parse_assignments(params_, "--param");
    for (const std::string& text : specialize_) {
        if (text == manifest.open_dim() + "=exact") {
            request.exact_batch = true;
        } else if (text != manifest.open_dim() + "=range") {
            throw UsageError(
                fmt::format("--specialize is \"{0}\"; expected {1}=exact or {1}=range", text, manifest.open_dim()));
        }
    }
    return request;
}

nlohmann::json to_json(const Specialization& specialization) {
    return nlohmann::json::parse(canonical_text(specialization));
}

}  // namespace tilejit::cli
