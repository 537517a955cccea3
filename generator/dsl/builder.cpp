// Programs, kernels, roles, tensors: everything that is not an expression over tiles.
#include <fmt/format.h>

#include <cstring>

#include "generator/dsl/state.h"
#include "generator/generate.h"
#include "generator/ir/verify.h"

namespace tilejit::dsl {
namespace detail {

ir::Location State::location(Where where) {
    // The base name only: generated text must not depend on where the sources lie.
    const char* slash = std::strrchr(where.file, '/');
    return {slash != nullptr ? slash + 1 : where.file, where.line};
}

void State::fail(Where where, const std::string& what) {
    const ir::Location at = location(where);
    throw GenerateError(fmt::format("{}:{}: {}", at.file, at.line, what));
}

ir::Kernel& State::kernel(int id, Where where) {
    if (id != kernel_id()) {
        fail(where, fmt::format("kernel '{}' was finished when '{}' was begun",
                                program.kernels[static_cast<std::size_t>(id)].name, kernel().name));
    }
    return kernel();
}

void State::append(ir::Op op, Where where) {
    if (blocks.empty()) {
        fail(where, "tile operations belong in the body of a role");
    }
    blocks.back()->push_back({std::move(op), location(where)});
}

ir::ValueId State::add_value(DType dtype, std::vector<ir::AxisId> axes, Where where) {
    if (axes.size() > tj::Layout::kMaxPieces / 2 + 1U) {
        fail(where,
             fmt::format("a tile may have at most {} axes, came {}", tj::Layout::kMaxPieces / 2 + 1, axes.size()));
    }
    program.values.push_back({dtype, std::move(axes), std::nullopt, std::nullopt});
    return static_cast<ir::ValueId>(program.values.size() - 1);
}

std::vector<ir::Span> State::spans(const View& view, Where where) const {
    const ir::Tensor& tensor = program.tensors[static_cast<std::size_t>(view.tensor)];
    if (view.at.size() != tensor.dims.size()) {
        fail(where, fmt::format("tensor '{}' has {} dimensions, came {} indices", tensor.argument, tensor.dims.size(),
                                view.at.size()));
    }
    std::vector<ir::Span> result;
    for (const Index& at : view.at) {
        if (at.axes.size() > kMaxIndexAxes) {
            fail(where, fmt::format("an index may mention at most {} axes, came {}", kMaxIndexAxes, at.axes.size()));
        }
        result.push_back({index(at), at.axes});
    }
    return result;
}

std::vector<ir::AxisId> State::axes_of(const std::vector<ir::Span>& spans, Where where) const {
    std::vector<ir::AxisId> axes;
    for (const ir::Span& span : spans) {
        for (const auto& [axis, step] : span.axes) {
            if (has(axes, axis)) {
                fail(where, fmt::format("axis '{}' indexes two dimensions", axis_name(axis)));
            }
            axes.push_back(axis);
        }
    }
    return axes;
}

Tile State::load(const View& view, const Spread* wanted, Where where) {
    ir::Load load{-1, view.tensor, spans(view, where), {}};
    load.out = add_value(program.tensors[static_cast<std::size_t>(view.tensor)].dtype, axes_of(load.at, where), where);
    if (wanted != nullptr) {
        spread(load.out, *wanted, where);
    }
    append(load, where);
    return tile(load.out);
}

}  // namespace detail

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

Tile Shared::read(Where where) const { return read(Spread{{}, -2, 1, false}, where); }

Tile Shared::read(const Spread& spread, Where where) const {
    if (kernel_ != state_->kernel_id()) {
        detail::State::fail(where, "a shared tile is used outside its kernel");
    }
    const ir::Buffer& buffer = state_->kernel().buffers[static_cast<std::size_t>(id_)];
    const ir::ValueId out = state_->add_value(buffer.dtype, buffer.axes, where);
    if (spread.vector_axis != -2) {
        state_->spread(out, spread, where);
    }
    state_->append(ir::SharedLoad{out, id_}, where);
    return state_->tile(out);
}

Tile RoleBuilder::load(const View& view, Where where) { return state_->load(view, nullptr, where); }

Tile RoleBuilder::load(const View& view, const Spread& spread, Where where) {
    return state_->load(view, &spread, where);
}

void RoleBuilder::store(const Operand& tile, const View& view) {
    const Where where = detail::State::where(tile);
    ir::Store store{state_->use(tile), view.tensor, state_->spans(view, where), {}};
    const ir::Tensor& tensor = state_->program.tensors[static_cast<std::size_t>(view.tensor)];
    if (tensor.kind == ir::Tensor::Kind::input) {
        detail::State::fail(where, fmt::format("'{}' is an input and cannot be stored to", tensor.argument));
    }
    if (tensor.dtype != state_->value(store.in).dtype ||
        !detail::same_axes(state_->axes_of(store.at, where), state_->value(store.in).axes)) {
        detail::State::fail(where,
                            fmt::format("the tile {} does not fit this part of '{}' ({})", state_->describe(store.in),
                                        tensor.argument, tilejit::name_of(tensor.dtype)));
    }
    state_->append(store, where);
}

Shared RoleBuilder::share(const std::string& name, const Operand& tile) {
    const ir::ValueId in = state_->use(tile);
    auto& buffers = state_->kernel().buffers;
    buffers.push_back({name, state_->value(in).dtype, state_->value(in).axes, {}, -1});
    const int id = static_cast<int>(buffers.size() - 1);
    state_->append(ir::SharedStore{in, id}, detail::State::where(tile));
    return {state_, state_->kernel_id(), id};
}

Tile RoleBuilder::fill(std::initializer_list<Axis> axes, float value, Where where) {
    std::vector<ir::AxisId> ids;
    for (const Axis& axis : axes) {
        ids.push_back(axis.id);
    }
    const ir::ValueId out = state_->add_value(DType::f32, ids, where);
    state_->append(ir::Constant{out, value}, where);
    return state_->tile(out);
}

Tile RoleBuilder::scalar(Param param, Where where) {
    const ir::ValueId out = state_->add_value(DType::f32, {}, where);
    state_->append(ir::Parameter{out, param.id}, where);
    return state_->tile(out);
}

std::vector<Tile> RoleBuilder::carry(const std::string& name, std::int64_t count, Param param,
                                     const std::vector<Tile>& init,
                                     const std::function<std::vector<Tile>(Index, const std::vector<Tile>&)>& body,
                                     Where where) {
    ir::For loop;
    loop.var = static_cast<ir::VarId>(state_->program.variables.size());
    loop.count = count;
    if (param.id >= 0) {
        loop.param = param.id;
    }
    state_->program.variables.push_back({name, -1, {count, 0}});
    std::vector<Tile> args;
    for (const Tile& tile : init) {
        const ir::Value like = state_->value(detail::State::id_of(tile));
        const ir::ValueId arg = state_->add_value(like.dtype, like.axes, where);
        loop.carried.push_back({detail::State::id_of(tile), arg, -1, -1});
        args.push_back(state_->tile(arg));
    }
    Index turn;
    turn.variables = {{loop.var, 1}};
    state_->blocks.push_back(&loop.body);
    const std::vector<Tile> next = body(turn, args);
    state_->blocks.pop_back();
    std::vector<Tile> out;
    for (std::size_t i = 0; i < loop.carried.size(); ++i) {
        ir::For::Carried& carried = loop.carried[i];
        carried.next = detail::State::id_of(next[i]);
        const ir::Value like = state_->value(carried.arg);
        if (!detail::same_axes(state_->value(carried.next).axes, like.axes) ||
            state_->value(carried.next).dtype != like.dtype) {
            detail::State::fail(where, fmt::format("loop '{}' carries {} and returns {}", name,
                                                   state_->describe(carried.arg), state_->describe(carried.next)));
        }
        carried.out = state_->add_value(like.dtype, like.axes, where);
        out.push_back(state_->tile(carried.out));
    }
    state_->append(std::move(loop), where);
    return out;
}

void RoleBuilder::loop(const std::string& name, std::int64_t count, const std::function<void(Index)>& body,
                       Where where) {
    carry(
        name, count, {}, {},
        [&](const Index& turn, const std::vector<Tile>&) {
            body(turn);
            return std::vector<Tile>{};
        },
        where);
}

Tile RoleBuilder::loop(const std::string& name, Param count, Tile init, const std::function<Tile(Tile)>& body,
                       Where where) {
    return carry(
               name, 0, count, {init},
               [&](const Index&, const std::vector<Tile>& in) { return std::vector<Tile>{body(in.front())}; }, where)
        .front();
}

Index KernelBuilder::blocks(const std::string& name, Size count, Where where) {
    ir::Kernel& kernel = state_->kernel(id_, where);
    // A batch of 0 that is baked in launches nothing.
    if (count.per <= 0 && count.constant < (state_->exact_batch == 0 ? 0 : 1)) {
        detail::State::fail(where, fmt::format("a grid needs at least 1 block, came {} '{}'", count.constant, name));
    }
    if (kernel.grid.size() == 3) {
        detail::State::fail(where, "a grid has at most three dimensions");
    }
    const int id = static_cast<int>(state_->program.variables.size());
    const Extent extent{count.per > 0 ? 1 : count.constant, count.per};
    state_->program.variables.push_back({name, static_cast<int>(kernel.grid.size()), extent});
    kernel.grid.push_back(id);
    Index index;
    index.variables = {{id, 1}};
    return index;
}

void KernelBuilder::min_blocks(int count, Where where) { state_->kernel(id_, where).min_blocks = count; }

void KernelBuilder::role(const std::string& name, RoleOptions options, const std::function<void(RoleBuilder&)>& body,
                         Where where) {
    if (options.warps < 1 || options.warps > 32) {
        detail::State::fail(where, fmt::format("role '{}' may have 1 to 32 warps, came {}", name, options.warps));
    }
    ir::Kernel& kernel = state_->kernel(id_, where);
    ir::Role role{name, options.warps, {}};
    RoleBuilder builder(state_.get());
    state_->blocks.push_back(&role.body);
    body(builder);
    state_->blocks.pop_back();
    kernel.roles.push_back(std::move(role));
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
    ir::Tensor tensor{name, static_cast<ir::Tensor::Kind>(kind), dtype, {}, 1};
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
    if (!state_->blocks.empty()) {
        detail::State::fail(where, "a kernel cannot be begun inside a role");
    }
    state_->program.kernels.push_back(
        {state_->program.name + "_" + name, {}, {}, {}, 0, 1, detail::State::location(where)});
    return {state_, state_->kernel_id()};
}

ir::Program ProgramBuilder::finish() {
    ir::verify(state_->program);
    return std::move(state_->program);
}

}  // namespace tilejit::dsl
