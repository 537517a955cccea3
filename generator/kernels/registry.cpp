#include "generator/kernels/registry.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <mutex>

namespace tilejit::kernels {
namespace {

struct Registry {
    std::mutex mutex;
    std::map<std::string, KernelFunction> kernels{
        {"mhc_pre_fwd_single_pass", mhc_pre_fwd_single_pass},
        {"mhc_pre_fwd_two_pass", mhc_pre_fwd_two_pass},
        {"mhc_post_fwd_streaming", mhc_post_fwd_streaming},
    };
};

Registry& registry() {
    static Registry instance;
    return instance;
}

}  // namespace

const KernelFunction& find_kernel(const std::string& name) {
    const std::lock_guard lock(registry().mutex);
    const auto found = registry().kernels.find(name);
    if (found == registry().kernels.end()) {
        std::vector<std::string> names;
        for (const auto& [known, function] : registry().kernels) {
            names.push_back(known);
        }
        throw GenerateError(fmt::format("no kernel '{}' is registered; there are {}", name, fmt::join(names, ", ")));
    }
    return found->second;
}

void register_kernel(const std::string& name, KernelFunction function) {
    const std::lock_guard lock(registry().mutex);
    if (!registry().kernels.emplace(name, std::move(function)).second) {
        throw GenerateError(fmt::format("a kernel '{}' is registered already; choose another name", name));
    }
}

std::vector<std::string> kernel_names() {
    const std::lock_guard lock(registry().mutex);
    std::vector<std::string> names;
    for (const auto& [name, function] : registry().kernels) {
        names.push_back(name);
    }
    return names;
}

}  // namespace tilejit::kernels
