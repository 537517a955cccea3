#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "generator/ir/verify.h"
#include "generator/pass/pass.h"

namespace tilejit::pass {

const std::vector<std::string>& names() {
    static const std::vector<std::string> kNames{"choose-atoms", "assign-layouts", "vectorise", "insert-barriers",
                                                 "plan-shared"};
    return kNames;
}

ir::Program run_all(ir::Program program, std::string_view stop_after) {
    if (!stop_after.empty() && std::find(names().begin(), names().end(), stop_after) == names().end()) {
        throw GenerateError(fmt::format("unknown pass '{}'; the passes are {}", stop_after, fmt::join(names(), ", ")));
    }
    ir::verify(program);
    choose_atoms(program);
    ir::verify(program);
    if (stop_after == "choose-atoms") {
        return program;
    }
    assign_layouts(program);
    ir::verify(program);
    ir::verify_layouts(program);
    if (stop_after == "assign-layouts") {
        return program;
    }
    vectorise(program);
    ir::verify(program);
    if (stop_after == "vectorise") {
        return program;
    }
    insert_barriers(program);
    ir::verify(program);
    ir::verify_barriers(program);
    if (stop_after == "insert-barriers") {
        return program;
    }
    plan_shared(program);
    ir::verify(program);
    return program;
}

}  // namespace tilejit::pass
