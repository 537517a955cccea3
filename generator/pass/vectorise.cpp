// before:  x1 = load x[32 t + token, 8 c + column]              y2 = read ring[turn][token, column]
// after:   x1 = load x[32 t + token, 8 c + column]  vector 8, checked {dimension 0}
//          y2 = read ring[turn][token, column]  vector 8
//
// An access is as wide as 16 bytes, the layout, the alignment of every term of the address and the
// edges allow. A dimension is checked when its largest index may pass its extent; an axis is checked
// when the layout covers more than its extent and the dimension's check does not catch that. Parts of
// shared tiles are inside them, but for padding. `plan-shared` keeps rows as aligned as accesses are wide.
#include <algorithm>
#include <numeric>

#include "generator/layout/layout.h"
#include "generator/pass/pass.h"

namespace tilejit::pass {
namespace {

class Vectoriser {
public:
    Vectoriser(const ir::Program& program, const ir::Kernel& kernel) : program_(program), kernel_(kernel) {}

    void visit(std::vector<ir::Stmt>& body) {
        for (ir::Stmt& stmt : body) {
            if (auto* load = std::get_if<ir::Load>(&stmt.op)) {
                load->access = choose(load->tensor, load->at, load->out);
            } else if (auto* store = std::get_if<ir::Store>(&stmt.op)) {
                store->access = choose(store->tensor, store->at, store->in);
            } else if (auto* read = std::get_if<ir::SharedLoad>(&stmt.op)) {
                read->access = choose_shared(read->buffer, read->at, read->out);
            } else if (auto* write = std::get_if<ir::SharedStore>(&stmt.op)) {
                write->access = choose_shared(write->buffer, write->at, write->in);
            } else if (auto* send = std::get_if<ir::SendTo>(&stmt.op)) {
                send->access = choose_shared(send->buffer, send->at, send->in);
            } else if (auto* inner = ir::body_of(stmt.op)) {
                visit(*inner);
            }
        }
    }

private:
    std::vector<ir::AxisId> padded(const ir::Value& value) const {
        std::vector<ir::AxisId> axes;
        for (const ir::AxisId axis : value.axes) {
            if (value.layout->covered(axis) > program_.axes[static_cast<std::size_t>(axis)].extent) {
                axes.push_back(axis);
            }
        }
        return axes;
    }

    ir::Access choose(ir::TensorId id, const std::vector<ir::Span>& at, ir::ValueId value_id) const {
        const ir::Tensor& tensor = program_.tensors[static_cast<std::size_t>(id)];
        const ir::Value& value = program_.values[static_cast<std::size_t>(value_id)];
        ir::Access access;
        for (std::size_t d = 0; d < at.size(); ++d) {
            access.checked.push_back(tensor.dims[d].open || last_index(at[d], *value.layout) >= tensor.dims[d].extent);
        }
        access.padded = padded(value);
        access.vector = width(tensor, at, value, access);
        return access;
    }

    std::int64_t last_index(const ir::Span& span, const tj::Layout& layout) const {
        std::int64_t last = span.origin.constant;
        for (const auto& [var, coefficient] : span.origin.terms) {
            const Extent& extent = program_.variables[static_cast<std::size_t>(var)].extent;
            if (extent.per > 0) {
                return INT64_MAX;
            }
            last += coefficient * std::max<std::int64_t>(extent.constant - 1, 0);
        }
        for (const auto& [axis, step] : span.axes) {
            last += static_cast<std::int64_t>(step) * (layout.covered(axis) - 1);
        }
        return last;
    }

    /// Neighbours in the first slots of a thread that its layout keeps together, at most 16 bytes; 1 when
    /// the first slots are no neighbours.
    std::int64_t together(const ir::Value& value, const std::vector<ir::AxisId>& padded) const {
        const tj::Layout& layout = *value.layout;
        if (layout.slot_count == 0 || layout.slot[0].step != 1) {
            return 1;
        }
        const tj::Piece& inner = layout.slot[0];
        std::int64_t common =
            std::gcd<std::int64_t>(inner.extent, 16 / static_cast<std::int64_t>(size_of(value.dtype)));
        if (std::find(padded.begin(), padded.end(), inner.axis) != padded.end()) {
            common = std::gcd<std::int64_t>(common, program_.axes[static_cast<std::size_t>(inner.axis)].extent);
        }
        for (const tj::Piece* piece = layout.thread; piece != layout.thread + layout.thread_count; ++piece) {
            common = piece->axis == inner.axis ? std::gcd<std::int64_t>(common, piece->step) : common;
        }
        for (const tj::Piece* piece = layout.slot + 1; piece < layout.slot + layout.slot_count; ++piece) {
            common = piece->axis == inner.axis ? std::gcd<std::int64_t>(common, piece->step) : common;
        }
        return common;
    }

    /// What `stride` times the parts of an index leave of `common`; parts on `inner` are the caller's.
    static std::int64_t aligned(std::int64_t common, std::int64_t stride, const ir::Span& span, ir::AxisId inner) {
        common = std::gcd(common, stride * span.origin.constant);
        for (const auto& [var, coefficient] : span.origin.terms) {
            common = std::gcd(common, stride * coefficient);
        }
        for (const auto& [axis, step] : span.axes) {
            common = axis == inner ? common : std::gcd(common, stride * step);
        }
        return common;
    }

    static int step_on(const ir::Span& span, ir::AxisId axis) {
        const auto found =
            std::find_if(span.axes.begin(), span.axes.end(), [&](const auto& term) { return term.first == axis; });
        return found == span.axes.end() ? 0 : found->second;
    }

    /// The largest power of two by which neighbouring elements can be accessed together.
    int width(const ir::Tensor& tensor, const std::vector<ir::Span>& at, const ir::Value& value,
              const ir::Access& access) const {
        std::int64_t common = together(value, access.padded);
        if (common == 1 || (tensor.kind != ir::Tensor::Kind::workspace && !program_.aligned)) {
            return 1;
        }
        const ir::AxisId inner = value.layout->slot[0].axis;
        std::int64_t apart = 0;
        for (std::size_t d = 0; d < at.size(); ++d) {
            // A row stride given by the caller is as aligned as a row without gaps.
            const std::int64_t stride = tensor.dims[d].stride * (tensor.dims[d].by_row ? tensor.row_elements : 1);
            common = aligned(common, stride, at[d], inner);
            const int step = step_on(at[d], inner);
            apart += stride * step;
            if (step > 0 && access.checked[d]) {
                // A vector is inside the tensor as a whole or not at all.
                common = std::gcd(common, tensor.dims[d].open ? 1 : tensor.dims[d].extent);
                common = std::gcd(common, at[d].origin.constant);
            }
        }
        return apart == 1 ? static_cast<int>(common) : 1;
    }

    ir::Access choose_shared(ir::BufferId id, const std::vector<ir::Span>& at, ir::ValueId value_id) const {
        const ir::Buffer& buffer = kernel_.buffers[static_cast<std::size_t>(id)];
        const ir::Value& value = program_.values[static_cast<std::size_t>(value_id)];
        ir::Access access;
        access.padded = padded(value);
        std::int64_t common = together(value, access.padded);
        if (common == 1 || step_on(at.back(), value.layout->slot[0].axis) != 1) {
            return access;
        }
        const ir::AxisId inner = value.layout->slot[0].axis;
        common = std::gcd<std::int64_t>(aligned(common, 1, at.back(), inner), buffer.block);
        for (std::size_t d = 0; d + 1 < at.size(); ++d) {
            if (step_on(at[d], inner) != 0) {
                return access;
            }
            // Strides of tiles that are no channel's are still open.
            common = buffer.strides.empty() ? common : aligned(common, buffer.strides[d], at[d], -1);
        }
        access.vector = static_cast<int>(common);
        return access;
    }

    const ir::Program& program_;
    const ir::Kernel& kernel_;
};

}  // namespace

void vectorise(ir::Program& program) {
    for (ir::Kernel& kernel : program.kernels) {
        for (ir::Role& role : kernel.roles) {
            Vectoriser(program, kernel).visit(role.body);
        }
    }
}

}  // namespace tilejit::pass
