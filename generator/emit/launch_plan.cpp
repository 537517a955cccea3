#include <algorithm>
#include <set>

#include "generator/emit/arguments.h"
#include "generator/emit/emit.h"

namespace tilejit::emit {
namespace {

class Uses {
public:
    Uses(const ir::Program& program, const ir::Kernel& kernel) : program_(program) {
        for (const ir::VarId var : kernel.grid) {
            batch_ = batch_ || program.variables[static_cast<std::size_t>(var)].extent.per > 0;
        }
        for (const ir::Role& role : kernel.roles) {
            visit(role.body);
        }
    }

    std::vector<KernelArg> arguments() const {
        std::vector<KernelArg> result;
        for (const std::string& name : tensors_) {
            result.push_back({KernelArg::Kind::pointer, name});
            if (rows_.contains(name)) {
                result.push_back({KernelArg::Kind::row_stride, name});
            }
        }
        if (batch_) {
            result.push_back({KernelArg::Kind::batch, ""});
        }
        for (const ir::ParamId id : params_) {
            const ir::Param& param = program_.params[static_cast<std::size_t>(id)];
            result.push_back({param.integer ? KernelArg::Kind::param_i32 : KernelArg::Kind::param_f32, param.name});
        }
        return result;
    }

private:
    void tensor(ir::TensorId id) {
        const ir::Tensor& tensor = program_.tensors[static_cast<std::size_t>(id)];
        if (std::find(tensors_.begin(), tensors_.end(), tensor.argument) == tensors_.end()) {
            tensors_.push_back(tensor.argument);
        }
        for (const ir::Dim& dim : tensor.dims) {
            batch_ = batch_ || dim.open;
            if (dim.by_row) {
                rows_.insert(tensor.argument);
            }
        }
    }

    void visit(const std::vector<ir::Stmt>& body) {
        for (const ir::Stmt& stmt : body) {
            if (const auto* load = std::get_if<ir::Load>(&stmt.op)) {
                tensor(load->tensor);
            } else if (const auto* store = std::get_if<ir::Store>(&stmt.op)) {
                tensor(store->tensor);
            } else if (const auto* parameter = std::get_if<ir::Parameter>(&stmt.op)) {
                params_.insert(parameter->param);
            } else if (const auto* loop = std::get_if<ir::For>(&stmt.op)) {
                if (loop->param) {
                    params_.insert(*loop->param);
                }
                visit(loop->body);
            }
        }
    }

    const ir::Program& program_;
    std::vector<std::string> tensors_;
    std::set<std::string> rows_;
    std::set<ir::ParamId> params_;
    bool batch_ = false;
};

}  // namespace

std::vector<KernelArg> arguments_of(const ir::Program& program, const ir::Kernel& kernel) {
    return Uses(program, kernel).arguments();
}

LaunchPlan launch_plan(const ir::Program& lowered) {
    LaunchPlan plan;
    for (const ir::Kernel& kernel : lowered.kernels) {
        KernelLaunch launch;
        launch.symbol = kernel.name;
        for (std::size_t i = 0; i < kernel.grid.size(); ++i) {
            launch.grid[i] = lowered.variables[static_cast<std::size_t>(kernel.grid[i])].extent;
        }
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
