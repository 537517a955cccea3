#include "generator/emit/arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "generator/emit/tensor_map.h"

namespace tilejit::emit {
namespace {

class Uses {
public:
    Uses(const ir::Program& program, const ir::Kernel& kernel) : program_(program), kernel_(kernel) {
        for (const ir::VarId var : kernel.grid) {
            batch_ = batch_ || program.variables[static_cast<std::size_t>(var)].extent.per > 0;
        }
        batch_ = batch_ || (kernel.tiles && kernel.tiles->per > 0);
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
        result.insert(result.end(), maps_.begin(), maps_.end());
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

    void copy(const ir::EngineCopy auto& op) {
        const KernelArg arg{KernelArg::Kind::tensor_map, program_.tensors[static_cast<std::size_t>(op.tensor)].argument,
                            engine_box(program_, kernel_, op.buffer, op.tensor, op.at).map};
        if (std::find(maps_.begin(), maps_.end(), arg) == maps_.end()) {
            maps_.push_back(arg);
        }
    }

    void visit(const std::vector<ir::Stmt>& body) {
        for (const ir::Stmt& stmt : body) {
            if (const auto* load = std::get_if<ir::Load>(&stmt.op)) {
                tensor(load->tensor);
            } else if (const auto* store = std::get_if<ir::Store>(&stmt.op)) {
                tensor(store->tensor);
            } else if (const auto* in = std::get_if<ir::CopyIn>(&stmt.op)) {
                copy(*in);
            } else if (const auto* out = std::get_if<ir::CopyOut>(&stmt.op)) {
                copy(*out);
            } else if (const auto* parameter = std::get_if<ir::Parameter>(&stmt.op)) {
                params_.insert(parameter->param);
            } else if (const auto* loop = std::get_if<ir::For>(&stmt.op); loop != nullptr && loop->param) {
                params_.insert(*loop->param);
            }
            if (const auto* inner = ir::body_of(stmt.op)) {
                visit(*inner);
            }
        }
    }

    const ir::Program& program_;
    const ir::Kernel& kernel_;
    std::vector<std::string> tensors_;
    std::set<std::string> rows_;
    std::set<ir::ParamId> params_;
    std::vector<KernelArg> maps_;
    bool batch_ = false;
};

}  // namespace

std::vector<KernelArg> arguments_of(const ir::Program& program, const ir::Kernel& kernel) {
    return Uses(program, kernel).arguments();
}

std::string parameter_name(const std::vector<KernelArg>& args, const KernelArg& arg) {
    switch (arg.kind) {
        case KernelArg::Kind::row_stride:
            return arg.name + "_row";
        case KernelArg::Kind::batch:
            return "batch";
        case KernelArg::Kind::tensor_map: {
            int before = 0;
            for (const KernelArg& other : args) {
                if (other == arg) {
                    break;
                }
                before += other.kind == arg.kind && other.name == arg.name ? 1 : 0;
            }
            return before == 0 ? arg.name + "_map" : fmt::format("{}_map{}", arg.name, before + 1);
        }
        case KernelArg::Kind::pointer:
        case KernelArg::Kind::param_f32:
        case KernelArg::Kind::param_i32:
            break;
    }
    return arg.name;
}

}  // namespace tilejit::emit
