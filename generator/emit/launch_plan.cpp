#include <algorithm>

#include "generator/emit/arguments.h"
#include "generator/emit/emit.h"

namespace tilejit::emit {
namespace {

bool waits_for_dependencies(const std::vector<ir::Stmt>& body) {
    return std::any_of(body.begin(), body.end(), [](const ir::Stmt& stmt) {
        const auto* inner = ir::body_of(stmt.op);
        return std::holds_alternative<ir::DependencyWait>(stmt.op) ||
               (inner != nullptr && waits_for_dependencies(*inner));
    });
}

}  // namespace

LaunchPlan launch_plan(const ir::Program& lowered) {
    LaunchPlan plan;
    for (const ir::Kernel& kernel : lowered.kernels) {
        KernelLaunch launch;
        launch.symbol = kernel.name;
        for (std::size_t i = 0; i < kernel.grid.size(); ++i) {
            launch.grid[i] = lowered.variables[static_cast<std::size_t>(kernel.grid[i])].extent;
        }
        launch.tiles = kernel.tiles;
        launch.cluster = kernel.cluster;
        launch.programmatic = std::any_of(kernel.roles.begin(), kernel.roles.end(),
                                          [](const ir::Role& role) { return waits_for_dependencies(role.body); });
        launch.threads = kernel.threads();
        launch.shared_bytes = kernel.shared_bytes;
        launch.args = arguments_of(lowered, kernel);
        plan.launches.push_back(std::move(launch));
    }
    for (const ir::Tensor& tensor : lowered.tensors) {
        const bool known = std::any_of(plan.workspaces.begin(), plan.workspaces.end(),
                                       [&](const Workspace& w) { return w.name == tensor.argument; });
        if (tensor.kind == ir::Tensor::Kind::workspace && !known) {
            plan.workspaces.push_back(
                {tensor.argument, tensor.row_elements * static_cast<std::int64_t>(size_of(tensor.dtype))});
        }
    }
    return plan;
}

}  // namespace tilejit::emit
