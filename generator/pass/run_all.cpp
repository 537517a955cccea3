#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "generator/ir/flow.h"
#include "generator/ir/verify.h"
#include "generator/pass/pass.h"

namespace tilejit::pass {
namespace {

struct Pass {
    const char* name;
    void (*run)(ir::Program&);
    void (*check)(const ir::Program&);  ///< besides `ir::verify`; may be null
};

constexpr Pass kPasses[] = {
    {"lower-collectives", lower_collectives, nullptr},
    {"lower-rings", lower_rings, nullptr},
    {"insert-dependency-waits", insert_dependency_waits, nullptr},
    {"choose-atoms", choose_atoms, nullptr},
    {"assign-layouts", assign_layouts, ir::verify_layouts},
    {"vectorise", vectorise, nullptr},
    {"insert-barriers", insert_barriers, ir::verify_barriers},
    {"plan-shared", plan_shared, nullptr},
};

}  // namespace

const std::vector<std::string>& names() {
    static const std::vector<std::string> kNames = [] {
        std::vector<std::string> names;
        for (const Pass& pass : kPasses) {
            names.emplace_back(pass.name);
        }
        return names;
    }();
    return kNames;
}

ir::Program run_all(ir::Program program, std::string_view stop_after) {
    if (!stop_after.empty() && std::find(names().begin(), names().end(), stop_after) == names().end()) {
        throw GenerateError(fmt::format("unknown pass '{}'; the passes are {}", stop_after, fmt::join(names(), ", ")));
    }
    ir::verify(program);
    ir::verify_flow(program);
    for (const Pass& pass : kPasses) {
        pass.run(program);
        ir::verify(program);
        if (pass.check != nullptr) {
            pass.check(program);
        }
        if (stop_after == pass.name) {
            break;
        }
    }
    return program;
}

}  // namespace tilejit::pass
