#include "tools/mutants/cases.h"

#include <fmt/format.h>

#include <algorithm>

#include "generator/kernels/registry.h"
#include "generator/manifest/library.h"

namespace tilejit::mutants {

std::string Case::name() const {
    std::string text = fmt::format("{} {}{}", kernel, arch, access == Access::element ? " element" : "");
    for (const auto& [dim, value] : dims) {
        text += fmt::format(" {}={}", dim, value);
    }
    return text;
}

ir::Program Case::program() const {
    SpecializeRequest request;
    request.dims = dims;
    request.arch = arch;
    request.access = access;
    request.kernel = kernel;
    request.schedule = schedule;
    return lower(specialize(manifest::find_manifest(op), request));
}

std::vector<Case> cases() {
    const std::string pre = "MHCPreFwdOp";
    const std::string post = "MHCPostFwdOp";
    std::vector<Case> all;
    for (const char* arch : {"sm_80", "sm_90a"}) {
        // Nine streams are three groups, which share tiles in shared memory in turn; above 16, lanes hold rows.
        all.push_back({pre, "mhc_pre_fwd_two_pass", arch, {{"batch", 5}, {"n", 9}, {"c_x", 40}}});
        all.push_back({pre, "mhc_pre_fwd_two_pass", arch, {{"batch", 3}, {"n", 17}, {"c_x", 7}}, Access::element});
        for (const Access access : {Access::aligned, Access::element}) {
            all.push_back({post, "mhc_post_fwd_streaming", arch, {{"batch", 5}, {"n", 4}, {"c_x", 40}}, access});
        }
    }
    for (const std::int64_t n : {1, 2, 4}) {
        all.push_back({pre, "mhc_pre_fwd_single_pass", "sm_90a", {{"batch", 20}, {"n", n}, {"c_x", 640}}});
    }
    const Values few{{"stages", 2}};
    all.push_back({pre, "mhc_pre_fwd_single_pass", "sm_90a", {{"batch", 50}, {"n", 4}, {"c_x", 1280}}, {}, few});
    all.push_back({pre, "mhc_pre_fwd_single_pass", "sm_100a", {{"batch", 9}, {"n", 3}, {"c_x", 960}}, {}, few});
    for (const std::string& kernel : kernels::kernel_names()) {
        const bool covered =
            std::any_of(all.begin(), all.end(), [&](const Case& each) { return each.kernel == kernel; });
        internal_check(covered, fmt::format("no mutants are made of kernel {}", kernel).c_str());
    }
    return all;
}

}  // namespace tilejit::mutants
