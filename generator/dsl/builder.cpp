// Programs and tensors.
#include <fmt/format.h>

#include "generator/dsl/state.h"
#include "generator/generate.h"
#include "generator/ir/verify.h"

namespace tilejit::dsl {
Tensor Tensor::split(int dim, std::initializer_list<std::int64_t> extents, Where where) const {
    ir::Tensor copy = state_->program.tensors[static_cast<std::size_t>(id_)];
    if (dim < 0 || dim >= static_cast<int>(copy.dims.size())) {
        detail::State::fail(where, fmt::format("tensor '{}' has no dimension {}", copy.argument, dim));
    }
    const ir::Dim whole = copy.dims[static_cast<std::size_t>(dim)];
    std::int64_t product = 1;
    for (const std::int64_t extent : extents) {
        product *= extent;
    }
    if (whole.open || product != whole.extent) {
        detail::State::fail(
            where, fmt::format("dimension {} of '{}' has {} elements, cannot be split into {}", dim, copy.argument,
                               whole.open ? "an open number of" : std::to_string(whole.extent), product));
    }
    std::vector<ir::Dim> parts;
    std::int64_t stride = whole.stride;
    for (auto extent = std::rbegin(extents); extent != std::rend(extents); ++extent) {
        parts.insert(parts.begin(), {*extent, false, stride, whole.by_row});
        stride *= *extent;
    }
    copy.dims.erase(copy.dims.begin() + dim);
    copy.dims.insert(copy.dims.begin() + dim, parts.begin(), parts.end());
    if (copy.dims.size() > detail::kMaxDims) {
        detail::State::fail(where, fmt::format("a tensor may be split into at most {} dimensions, came {} of '{}'",
                                               detail::kMaxDims, copy.dims.size(), copy.argument));
    }
    state_->program.tensors.push_back(std::move(copy));
    return {state_, static_cast<int>(state_->program.tensors.size() - 1)};
}

ProgramBuilder::ProgramBuilder(const std::string& name, const Specialization& specialization)
    : state_(std::make_shared<detail::State>()) {
    ir::Program& program = state_->program;
    program.name = name;
    program.arch = specialization.arch;
    program.aligned = specialization.access == Access::aligned;
    program.batch_low = specialization.batch.low;
    program.batch_high = specialization.batch.high;
    if (specialization.batch.low == specialization.batch.high) {
        state_->exact_batch = specialization.batch.low;
    }
}

Size ProgramBuilder::batch() const { return state_->exact_batch ? Size(*state_->exact_batch) : Size(0, 1); }

Axis ProgramBuilder::axis(const std::string& name, std::int64_t extent, Where where) {
    if (extent < 1 || extent > 65536) {
        detail::State::fail(where, fmt::format("axis '{}' may have 1 to 65536 elements, came {}", name, extent));
    }
    state_->program.axes.push_back({name, static_cast<int>(extent)});
    return {static_cast<int>(state_->program.axes.size() - 1), static_cast<int>(extent)};
}

Tensor ProgramBuilder::tensor(int kind, const std::string& name, DType dtype, std::initializer_list<Size> dims,
                              Where where) {
    if (dims.size() < 1 || dims.size() > detail::kMaxDims) {
        detail::State::fail(where, fmt::format("a tensor has 1 to {} dimensions, '{}' came with {}", detail::kMaxDims,
                                               name, dims.size()));
    }
    ir::Tensor tensor{name, static_cast<ir::Tensor::Kind>(kind), false, dtype, {}, 1};
    const bool scratch = tensor.kind == ir::Tensor::Kind::workspace;
    std::int64_t stride = 1;
    for (auto size = std::rbegin(dims); size != std::rend(dims); ++size) {
        const bool first = size + 1 == std::rend(dims);
        if (size->per > 0 && !first) {
            detail::State::fail(where, fmt::format("only the first dimension of '{}' may be open", name));
        }
        const bool row = !scratch && tensor.dims.size() == 1;
        if (!scratch && tensor.dims.size() > 1) {
            detail::State::fail(where,
                                fmt::format("'{}': arguments have at most two dimensions; split() makes more", name));
        }
        tensor.dims.insert(tensor.dims.begin(),
                           {size->per > 0 ? 0 : size->constant, size->per > 0, row ? 1 : stride, row});
        stride *= size->constant;
        if (!first) {
            tensor.row_elements = stride;
        }
    }
    state_->program.tensors.push_back(std::move(tensor));
    return {state_, static_cast<int>(state_->program.tensors.size() - 1)};
}

Tensor ProgramBuilder::input(const std::string& name, DType dtype, std::initializer_list<Size> dims, Where where) {
    return tensor(static_cast<int>(ir::Tensor::Kind::input), name, dtype, dims, where);
}

Tensor ProgramBuilder::weights(const std::string& name, DType dtype, std::initializer_list<Size> dims, Where where) {
    Tensor made = input(name, dtype, dims, where);
    state_->program.tensors[static_cast<std::size_t>(made.id_)].weights = true;
    return made;
}

Tensor ProgramBuilder::output(const std::string& name, DType dtype, std::initializer_list<Size> dims, Where where) {
    return tensor(static_cast<int>(ir::Tensor::Kind::output), name, dtype, dims, where);
}

Tensor ProgramBuilder::workspace(const std::string& name, DType dtype, std::initializer_list<Size> dims, Where where) {
    return tensor(static_cast<int>(ir::Tensor::Kind::workspace), name, dtype, dims, where);
}

Param ProgramBuilder::param_f32(const std::string& name) {
    state_->program.params.push_back({name, false});
    return {static_cast<int>(state_->program.params.size() - 1)};
}

Param ProgramBuilder::param_i32(const std::string& name) {
    state_->program.params.push_back({name, true});
    return {static_cast<int>(state_->program.params.size() - 1)};
}

KernelBuilder ProgramBuilder::kernel(const std::string& name, Where where) {
    if (!state_->scopes.empty()) {
        detail::State::fail(where, "a kernel cannot be begun inside a role");
    }
    ir::Kernel& kernel = state_->program.kernels.emplace_back();
    kernel.name = state_->program.name + "_" + name;
    kernel.at = detail::State::location(where);
    return {state_, state_->kernel_id()};
}

ir::Program ProgramBuilder::finish() {
    ir::verify(state_->program);
    return std::move(state_->program);
}

}  // namespace tilejit::dsl
