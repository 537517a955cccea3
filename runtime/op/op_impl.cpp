#include "runtime/op/op_impl.h"

#include <algorithm>
#include <exception>

#include "generator/manifest/targets.h"
#include "runtime/op/allocate.h"
#include "runtime/op/host_run.h"
#include "runtime/op/params.h"
#include "tilejit/error.h"

namespace tilejit {

/// One call while it is being checked and run.
struct Op::Impl::Call {
    std::vector<CheckedTensor> tensors;  ///< given ones, then outputs to allocate
    std::shared_ptr<const Geometry> geometry;
    Device device;
    std::int64_t batch = 0;
    Stream stream = nullptr;
};

Op::Impl::Impl(std::shared_ptr<const manifest::Manifest> manifest, const Params& params, std::string_view target,
               std::shared_ptr<Runtime> runtime)
    : manifest_(std::move(manifest)),
      params_(check_params(*manifest_, params)),
      target_(target),
      runtime_(std::move(runtime)),
      table_(*manifest_) {
    if (!target_.empty()) {
        parse_target(target_);
    }
    for (const auto& [name, value] : params_) {
        launch_params_.push_back({name, value});
    }
}

TargetSet Op::Impl::current_set(Device device) {
    const std::lock_guard lock(settle_mutex_);
    return settled_ ? *settled_ : choose_set(target_, device);
}

void Op::Impl::settle(const TargetSet& set) {
    const std::lock_guard lock(settle_mutex_);
    if (!settled_) {
        settled_ = set;
    }
}

std::vector<CheckedTensor> Op::Impl::check_given(const CallTensors& tensors) const {
    std::vector<CheckedTensor> result;
    result.reserve(manifest_->inputs.size() + manifest_->outputs.size());
    for (std::size_t i = 0; i < tensors.inputs.size(); ++i) {
        if (tensors.inputs[i] != nullptr) {
            result.push_back(check_layout(*manifest_, manifest_->inputs[i], false, *tensors.inputs[i]));
        }
    }
    for (std::size_t i = 0; i < tensors.outputs.size(); ++i) {
        if (tensors.outputs[i] != nullptr) {
            result.push_back(check_layout(*manifest_, manifest_->outputs[i], true, *tensors.outputs[i]));
        }
    }
    return result;
}

/// New outputs keep the leading axes of the inputs when all inputs with a batch have the same.
void Op::Impl::add_missing_outputs(Call& call) const {
    std::optional<std::vector<std::int64_t>> leading;
    for (const CheckedTensor& tensor : call.tensors) {
        if (!tensor.is_output && !tensor.spec->shape.empty() && tensor.spec->shape[0].text() == manifest_->open_dim()) {
            leading = !leading || *leading == tensor.leading ? tensor.leading : std::vector<std::int64_t>{};
        }
    }
    for (std::size_t i = 0; i < manifest_->outputs.size(); ++i) {
        const manifest::Tensor& spec = manifest_->outputs[i];
        const bool given = std::any_of(call.tensors.begin(), call.tensors.end(),
                                       [&](const CheckedTensor& tensor) { return tensor.spec == &spec; });
        if (given) {
            continue;
        }
        TensorView view = TensorView::contiguous(nullptr, spec.dtype.in(call.geometry->dtypes),
                                                 at_batch(call.geometry->outputs[i], call.batch), call.device);
        CheckedTensor& added = call.tensors.emplace_back(check_layout(*manifest_, spec, true, view));
        if (leading && spec.shape[0].text() == manifest_->open_dim()) {
            added.leading = *leading;
        }
    }
}

std::vector<Tensor> Op::Impl::allocate_outputs(Call& call, const CallTensors& given) {
    std::vector<Tensor> result;
    for (std::size_t i = 0; i < manifest_->outputs.size(); ++i) {
        if (given.outputs[i] != nullptr) {
            result.push_back(Tensor::borrow(*given.outputs[i]));
            continue;
        }
        const auto at = std::find_if(call.tensors.begin(), call.tensors.end(), [&](const CheckedTensor& tensor) {
            return tensor.spec == &manifest_->outputs[i];
        });
        std::vector<std::int64_t> shape = at->shape;
        if (!at->leading.empty()) {
            shape.erase(shape.begin());
            shape.insert(shape.begin(), at->leading.begin(), at->leading.end());
        }
        result.push_back(TensorAccess::empty(runtime_, at->dtype, std::move(shape), call.device, call.stream));
        at->data = result.back().data();
    }
    return result;
}

SpecializeRequest Op::Impl::request(const Geometry& geometry, std::int64_t batch, Access access) const {
    SpecializeRequest result;
    result.dims = geometry.dims;
    result.dims[manifest_->open_dim()] = batch;
    result.dtypes = geometry.dtypes;
    result.access = access;
    for (const manifest::Param& param : manifest_->params) {
        if (param.bind == manifest::Bind::compile) {
            result.params[param.name] = params_.at(param.name);
        }
    }
    return result;
}

ReadyKernel Op::Impl::make_ready(const Geometry& geometry, const TargetSet& set, Device device, Access access,
                                 std::int64_t batch, Stream stream) {
    ReadyKernel result{set, device, access, {}, nullptr, nullptr};
    SpecializeRequest wanted = request(geometry, batch, access);
    if (device.kind == Device::Kind::cpu) {
        wanted.arch = set.arch;
        const Specialization specialization = specialize(*manifest_, wanted);
        result.range = specialization.batch;
        result.lowered = std::make_shared<const ir::Program>(lower(specialization));
        return result;
    }
    DeviceContext& context = runtime_->device(device.index);
    const int capability = context.compute_capability();
    const ResolvedArch arch = resolve_arch(set, capability / 10, capability % 10, device);
    wanted.arch = arch.lowering;
    const Specialization specialization = specialize(*manifest_, wanted);
    result.range = specialization.batch;
    result.program = runtime_->load(context, *manifest_, specialization, arch.compile, stream);
    return result;
}

std::shared_ptr<const ReadyKernel> Op::Impl::ready(const Geometry& geometry, const TargetSet& set, Device device,
                                                   Access access, std::int64_t batch, Stream stream) {
    if (auto known = table_.find(geometry, set, device, access, batch)) {
        return known;
    }
    auto made = std::make_shared<const ReadyKernel>(make_ready(geometry, set, device, access, batch, stream));
    table_.add(geometry, made);
    return made;
}

void Op::Impl::run(const Call& call, const ReadyKernel& kernel, const WorkspaceView& workspace) const {
    if (kernel.lowered) {
        run_on_host(*kernel.lowered, call.tensors, params_, call.batch);
        return;
    }
    std::vector<LaunchTensor> tensors;
    tensors.reserve(call.tensors.size());
    for (const CheckedTensor& tensor : call.tensors) {
        tensors.push_back({tensor.spec->name, reinterpret_cast<std::uintptr_t>(tensor.data), tensor.row_stride});
    }
    const DeviceContext& device = kernel.program->device();
    const ContextScope scope(device.api(), device.context());
    launch(*kernel.program, {.tensors = tensors,
                             .params = launch_params_,
                             .batch = call.batch,
                             .workspace = reinterpret_cast<std::uintptr_t>(workspace.data),
                             .stream = call.stream});
}

std::vector<Tensor> Op::Impl::call(const CallTensors& given, Stream stream, const WorkspaceView& workspace) {
    Call call;
    call.stream = stream;
    call.tensors = check_given(given);
    call.device = check_devices(*manifest_, call.tensors);
    call.geometry = table_.solve(call.tensors, call.batch);
    const TargetSet set = current_set(call.device);
    check_memory(set, call.device, manifest_->op);
    if (call.batch > 0) {
        check_memory_of(*manifest_, call.tensors);
    }
    add_missing_outputs(call);
    if (call.batch == 0) {
        settle(set);
        return allocate_outputs(call, given);
    }
    const auto kernel = ready(*call.geometry, set, call.device, access_of(call.tensors), call.batch, stream);
    if (kernel->program) {
        check_grid(kernel->program->plan(), call.batch);
        if (workspace.data != nullptr) {
            check_workspace(*manifest_, workspace.data, workspace.bytes,
                            tilejit::workspace_bytes(kernel->program->plan(), call.batch), call.tensors);
        }
    }
    std::vector<Tensor> outputs = allocate_outputs(call, given);
    run(call, *kernel, workspace);
    settle(set);
    return outputs;
}

Access Op::Impl::contiguous_access(const Geometry& geometry, std::int64_t batch) const {
    std::vector<CheckedTensor> tensors;
    const auto add = [&](const manifest::Tensor& spec, const std::vector<std::int64_t>& shape, bool is_output) {
        const TensorView view =
            TensorView::contiguous(nullptr, spec.dtype.in(geometry.dtypes), at_batch(shape, batch), Device::cpu());
        tensors.push_back(check_layout(*manifest_, spec, is_output, view));
    };
    for (std::size_t i = 0; i < manifest_->inputs.size(); ++i) {
        add(manifest_->inputs[i], geometry.inputs[i], false);
    }
    for (std::size_t i = 0; i < manifest_->outputs.size(); ++i) {
        add(manifest_->outputs[i], geometry.outputs[i], true);
    }
    return access_of(tensors);
}

void Op::Impl::prepare(const Dims& dims, Device device, const Dtypes& dtypes) {
    const TargetSet set = current_set(device);
    check_memory(set, device, manifest_->op);
    const std::string& open = manifest_->open_dim();
    std::vector<std::int64_t> batches;
    if (const auto given = dims.find(open); given != dims.end()) {
        batches.push_back(given->second);
    } else {
        const manifest::Dim* dim = manifest_->find_dim(open);
        std::int64_t low = std::max<std::int64_t>(dim->min, 1);
        batches.push_back(low);
        for (const std::int64_t bound : manifest_->specialize.at(open).buckets) {
            low = bound + 1;
            if (bound >= dim->min && low <= dim->max) {
                batches.push_back(low);
            }
        }
    }
    for (const std::int64_t batch : batches) {
        manifest::Values values(dims.begin(), dims.end());
        values[open] = batch;
        const auto geometry = table_.of_dims(values, dtypes);
        if (batch > 0) {
            ready(*geometry, set, device, contiguous_access(*geometry, batch), batch, nullptr);
        }
    }
}

std::size_t Op::Impl::workspace_bytes(const Dims& dims, Device device, const Dtypes& dtypes) {
    const TargetSet set = current_set(device);
    check_memory(set, device, manifest_->op);
    const std::string& open = manifest_->open_dim();
    const auto geometry = table_.of_dims(manifest::Values(dims.begin(), dims.end()), dtypes);
    const std::int64_t batch = dims.at(open);
    if (device.kind == Device::Kind::cpu || batch == 0) {
        return 0;
    }
    const int capability = runtime_->device(device.index).compute_capability();
    const ResolvedArch arch = resolve_arch(set, capability / 10, capability % 10, device);
    std::optional<std::size_t> most;
    std::exception_ptr refused;
    for (const Access access : {Access::aligned, Access::element}) {
        SpecializeRequest wanted = request(*geometry, batch, access);
        wanted.arch = arch.lowering;
        try {
            const LaunchPlan plan = generate(specialize(*manifest_, wanted)).plan;
            most = std::max(most.value_or(0), tilejit::workspace_bytes(plan, batch));
        } catch (const OpNotAvailable&) {
            refused = std::current_exception();  // kernels may serve one access only
        }
    }
    if (!most) {
        std::rethrow_exception(refused);
    }
    return *most;
}

}  // namespace tilejit
