// before:  x1 = load x[32 t + token, 8 c + column]
// after:   x1 = load x[32 t + token, 8 c + column]  vector 8, checked {dimension 0}
//
// An access is as wide as 16 bytes, the layout, the alignment of every term of the address and the
// edges allow. A dimension is checked when its largest index may pass its extent; an axis is checked
// when the layout covers more than its extent and the dimension's check does not catch that.
#include <algorithm>
#include <numeric>

#include "generator/layout/layout.h"
#include "generator/pass/pass.h"

namespace tilejit::pass {
namespace {

class Vectoriser {
public:
    explicit Vectoriser(ir::Program& program) : program_(program) {}

    void visit(std::vector<ir::Stmt>& body) {
        for (ir::Stmt& stmt : body) {
            if (auto* load = std::get_if<ir::Load>(&stmt.op)) {
                load->access = choose(load->tensor, load->at, load->out);
            } else if (auto* store = std::get_if<ir::Store>(&stmt.op)) {
                store->access = choose(store->tensor, store->at, store->in);
            } else if (auto* inner = ir::body_of(stmt.op)) {
                visit(*inner);
            }
        }
    }

private:
    ir::Access choose(ir::TensorId id, const std::vector<ir::Span>& at, ir::ValueId value_id) const {
        const ir::Tensor& tensor = program_.tensors[static_cast<std::size_t>(id)];
        const ir::Value& value = program_.values[static_cast<std::size_t>(value_id)];
        ir::Access access;
        for (std::size_t d = 0; d < at.size(); ++d) {
            access.checked.push_back(tensor.dims[d].open || last_index(at[d], *value.layout) >= tensor.dims[d].extent);
        }
        for (const ir::AxisId axis : value.axes) {
            if (value.layout->covered(axis) > program_.axes[static_cast<std::size_t>(axis)].extent) {
                access.padded.push_back(axis);
            }
        }
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

    /// The largest power of two by which neighbouring elements can be accessed together.
    int width(const ir::Tensor& tensor, const std::vector<ir::Span>& at, const ir::Value& value,
              const ir::Access& access) const {
        const bool aligned = tensor.kind == ir::Tensor::Kind::workspace || program_.aligned;
        const tj::Layout& layout = *value.layout;
        if (!aligned || layout.slot_count == 0 || layout.slot[0].step != 1) {
            return 1;
        }
        const tj::Piece& inner = layout.slot[0];
        std::int64_t common =
            std::gcd<std::int64_t>(inner.extent, 16 / static_cast<std::int64_t>(size_of(tensor.dtype)));
        for (const ir::AxisId axis : access.padded) {
            if (axis == inner.axis) {
                common = std::gcd<std::int64_t>(common, program_.axes[static_cast<std::size_t>(axis)].extent);
            }
        }
        bool contiguous = false;
        for (std::size_t d = 0; d < at.size(); ++d) {
            // A row stride given by the caller is as aligned as a row without gaps.
            const std::int64_t stride = tensor.dims[d].stride * (tensor.dims[d].by_row ? tensor.row_elements : 1);
            common = std::gcd(common, stride * at[d].origin.constant);
            for (const auto& [var, coefficient] : at[d].origin.terms) {
                common = std::gcd(common, stride * coefficient);
            }
            for (const auto& [axis, step] : at[d].axes) {
                if (axis != inner.axis) {
                    common = std::gcd(common, stride * step);
                    continue;
                }
                contiguous = stride * step == 1;
                if (access.checked[d]) {
                    // A vector is inside the tensor as a whole or not at all.
                    common = std::gcd(common, tensor.dims[d].open ? 1 : tensor.dims[d].extent);
                    common = std::gcd(common, at[d].origin.constant);
                }
                for (const tj::Piece* piece = layout.thread; piece != layout.thread + layout.thread_count; ++piece) {
                    common = piece->axis == axis ? std::gcd<std::int64_t>(common, piece->step) : common;
                }
                for (const tj::Piece* piece = layout.slot + 1; piece < layout.slot + layout.slot_count; ++piece) {
                    common = piece->axis == axis ? std::gcd<std::int64_t>(common, piece->step) : common;
                }
            }
        }
        return contiguous ? static_cast<int>(common) : 1;
    }

    ir::Program& program_;
};

}  // namespace

void vectorise(ir::Program& program) {
    for (ir::Kernel& kernel : program.kernels) {
        for (ir::Role& role : kernel.roles) {
            Vectoriser(program).visit(role.body);
        }
    }
}

}  // namespace tilejit::pass
