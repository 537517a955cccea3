#include "generator/kernels/reference.h"

#include <fmt/format.h>

#include <mutex>

#include "tilejit/error.h"

namespace tilejit::kernels {
namespace {

/// Entries are never removed, and a map's nodes do not move: references to them stay valid.
struct Registry {
    std::mutex mutex;
    std::map<std::string, Reference> references{{"MHCPreFwdOp", mhc_pre_fwd_reference},
                                                {"MHCPostFwdOp", mhc_post_fwd_reference}};
};

Registry& registry() {
    static Registry instance;
    return instance;
}

}  // namespace

const Reference& find_reference(const std::string& op) {
    Registry& all = registry();
    const std::lock_guard lock(all.mutex);
    if (const auto found = all.references.find(op); found != all.references.end()) {
        return found->second;
    }
    std::string known;
    for (const auto& [name, reference] : all.references) {
        known += (known.empty() ? "" : ", ") + name;
    }
    throw OpNotAvailable(fmt::format("{} has no fp64 reference; these ops have one: {}", op, known));
}

void register_reference(const std::string& op, Reference reference) {
    Registry& all = registry();
    const std::lock_guard lock(all.mutex);
    if (!all.references.emplace(op, std::move(reference)).second) {
        throw ShapeError(op + " has an fp64 reference already; an op has one");
    }
}

const ReferenceTensor& reference_input(const ReferenceInputs& inputs, const std::string& op, const std::string& name) {
    const auto found = inputs.find(name);
    if (found == inputs.end()) {
        throw ShapeError(fmt::format("{}: the reference needs the input {}", op, name));
    }
    return found->second;
}

double reference_param(const ReferenceParams& params, const std::string& op, const std::string& name) {
    const auto found = params.find(name);
    if (found == params.end()) {
        throw ShapeError(fmt::format("{}: the reference needs the parameter {}", op, name));
    }
    return static_cast<double>(static_cast<float>(found->second));
}

}  // namespace tilejit::kernels
