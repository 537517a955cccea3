#include "generator/pass/ring_storage.h"

#include <algorithm>
#include <numeric>

#include "generator/layout/layout.h"
#include "generator/manifest/targets.h"
#include "generator/pass/rewrite.h"

namespace tilejit::pass {
namespace {

constexpr int kEngineAlignment = 16;  ///< bytes
constexpr int kMaxBox = 256;          ///< elements a side
constexpr int kMaxBoxRank = 5;
constexpr int kSwizzledRow = 128;    ///< bytes
constexpr int kSwizzledSlot = 1024;  ///< what the swizzle repeats after
constexpr int kEngineSlot = 128;     ///< alignment of what the engine writes

int extent_of(const ir::Program& program, ir::AxisId axis) {
    return program.axes[static_cast<std::size_t>(axis)].extent;
}

bool multiple(const ir::Index& index, std::int64_t of) {
    return index.constant % of == 0 &&
           std::all_of(index.terms.begin(), index.terms.end(), [&](const auto& term) { return term.second % of == 0; });
}

bool box_fits(const ir::Program& program, const ir::Buffer& buffer, std::size_t tensor_rank) {
    const auto size = static_cast<int>(size_of(buffer.dtype));
    const int last = extent_of(program, buffer.axes.back());
    const bool blocked = buffer.block > 0;
    if (tensor_rank + (blocked ? 1 : 0) > kMaxBoxRank || last * size % kEngineAlignment != 0 ||
        (blocked ? last / buffer.block : last) > kMaxBox) {
        return false;
    }
    return std::all_of(buffer.axes.begin(), buffer.axes.end() - 1,
                       [&](ir::AxisId axis) { return extent_of(program, axis) <= kMaxBox; });
}

/// The copy of a whole slot by threads.
class PlainCopy {
public:
    PlainCopy(ir::Program& program, const ir::Kernel& kernel, const ir::Role& role, ir::BufferId buffer)
        : program_(program), buffer_(kernel.buffers[static_cast<std::size_t>(buffer)]) {
        axes_ = buffer_.axes;
        // Few enough to be in registers, enough to be under way at a time.
        constexpr int kBytes = 256;
        const int limit = kBytes / static_cast<int>(size_of(buffer_.dtype));
        while (axes_.size() > 1 && layout::from_spread(program_, axes_, spread(), 32 * role.warps).slots() > limit) {
            ir::For loop;
            loop.var = static_cast<ir::VarId>(program_.variables.size());
            loop.count = extent_of(program_, axes_.front());
            program_.variables.push_back(
                {program_.axes[static_cast<std::size_t>(axes_.front())].name, -1, {loop.count, 0}});
            turns_.emplace_back(axes_.front(), loop.var);
            loops_.push_back(loop);
            axes_.erase(axes_.begin());
        }
    }

    /// A register tile for what is copied in a turn.
    ir::ValueId value() {
        program_.values.push_back({buffer_.dtype, axes_, spread(), {}});
        return static_cast<ir::ValueId>(program_.values.size() - 1);
    }

    /// What a turn touches of the tensor.
    std::vector<ir::Span> in_tensor(std::vector<ir::Span> at) const {
        for (ir::Span& span : at) {
            for (const auto& [axis, var] : turns_) {
                const auto found = std::find_if(span.axes.begin(), span.axes.end(),
                                                [axis = axis](const auto& term) { return term.first == axis; });
                if (found != span.axes.end()) {
                    span.origin.terms.emplace_back(var, found->second);
                    std::sort(span.origin.terms.begin(), span.origin.terms.end());
                    span.axes.erase(found);
                }
            }
        }
        return at;
    }

    /// And of the slot.
    std::vector<ir::Span> in_slot() const {
        std::vector<ir::Span> at;
        for (const auto& [axis, var] : turns_) {
            at.push_back({{0, {{var, 1}}}, {}});
        }
        for (const ir::AxisId axis : axes_) {
            at.push_back({{}, {{axis, 1}}});
        }
        return at;
    }

    /// The loops around the copy.
    std::vector<ir::Op> in_loops(std::vector<ir::Op> ops, const ir::Location& at) {
        while (!loops_.empty()) {
            ir::For loop = std::move(loops_.back());
            loops_.pop_back();
            for (ir::Op& op : ops) {
                loop.body.push_back({std::move(op), at});
            }
            ops.clear();
            ops.emplace_back(std::move(loop));
        }
        return ops;
    }

private:
    ir::Spread spread() const {
        const int vector = program_.aligned ? 16 / static_cast<int>(size_of(buffer_.dtype)) : 1;
        return {axes_, axes_.back(), std::gcd(vector, extent_of(program_, axes_.back())), false};
    }

    ir::Program& program_;
    const ir::Buffer& buffer_;
    std::vector<ir::AxisId> axes_;  ///< of the register tile
    std::vector<std::pair<ir::AxisId, ir::VarId>> turns_;
    std::vector<ir::For> loops_;
};

}  // namespace

void place_ring(const ir::Program& program, ir::Buffer& buffer) {
    const auto size = static_cast<int>(size_of(buffer.dtype));
    const int last = extent_of(program, buffer.axes.back());
    const std::int64_t bytes = elements_of(program, buffer.axes) * size;
    buffer.strides = dense_strides(program, buffer.axes);
    buffer.swizzled = buffer.axes.size() > 1 && last * size % kSwizzledRow == 0;
    const int alignment = buffer.swizzled ? kSwizzledSlot : kEngineSlot;
    buffer.slot_bytes = (bytes + alignment - 1) / alignment * alignment;
    if (buffer.swizzled && last * size > kSwizzledRow) {
        const std::size_t row = buffer.axes.size() - 2;
        buffer.block = kSwizzledRow / size;
        buffer.block_stride = extent_of(program, buffer.axes[row]) * buffer.block;
        buffer.strides[row] = buffer.block;
    }
}

bool engine_serves(const ir::Program& program, const ir::Buffer& buffer, ir::TensorId id,
                   const std::vector<ir::Span>& at) {
    const ir::Tensor& tensor = program.tensors[static_cast<std::size_t>(id)];
    const auto size = static_cast<std::int64_t>(size_of(tensor.dtype));
    if (manifest::find_architecture(program.arch)->copy_engine == 0 ||
        (!program.aligned && tensor.kind != ir::Tensor::Kind::workspace) || !box_fits(program, buffer, at.size())) {
        return false;
    }
    std::vector<ir::AxisId> seen;
    for (std::size_t d = 0; d < at.size(); ++d) {
        const ir::Dim& dim = tensor.dims[d];
        const bool contiguous = dim.stride == 1 && !dim.by_row;
        const std::int64_t stride = dim.stride * (dim.by_row ? tensor.row_elements : 1);
        if (!contiguous && stride * size % kEngineAlignment != 0) {
            return false;
        }
        if (at[d].axes.size() > 1 || (at[d].axes.empty() && contiguous)) {
            return false;
        }
        for (const auto& [axis, step] : at[d].axes) {
            seen.push_back(axis);
            if (step != 1 || contiguous != (axis == buffer.axes.back())) {
                return false;
            }
        }
        if (contiguous && (!multiple(at[d].origin, buffer.block > 0 ? buffer.block : kEngineAlignment / size) ||
                           (buffer.block > 0 && dim.extent % buffer.block != 0))) {
            return false;
        }
    }
    return seen.size() == buffer.axes.size();
}

std::vector<ir::Op> plain_fill(ir::Program& program, const ir::Kernel& kernel, const ir::Role& role,
                               const ir::Fill& fill, const ir::Location& at) {
    const ir::Channel& channel = kernel.channels[static_cast<std::size_t>(fill.channel)];
    PlainCopy copy(program, kernel, role, channel.buffer);
    const ir::ValueId value = copy.value();
    return copy.in_loops({ir::Load{value, fill.tensor, copy.in_tensor(fill.at), {}},
                          ir::SharedStore{value, channel.buffer, fill.position, copy.in_slot(), {}}},
                         at);
}

std::vector<ir::Op> plain_drain(ir::Program& program, const ir::Kernel& kernel, const ir::Role& role,
                                const ir::Drain& drain, const ir::Location& at) {
    const ir::Channel& channel = kernel.channels[static_cast<std::size_t>(drain.channel)];
    PlainCopy copy(program, kernel, role, channel.buffer);
    const ir::ValueId value = copy.value();
    return copy.in_loops({ir::SharedLoad{value, channel.buffer, drain.position, copy.in_slot(), {}},
                          ir::Store{value, drain.tensor, copy.in_tensor(drain.at), {}}},
                         at);
}

}  // namespace tilejit::pass
