#include <algorithm>
#include <numeric>

#include "generator/emit/phrases.h"

namespace tilejit::emit {

int send_width(const ir::Program& program, const ir::Buffer& buffer, const tj::Layout& layout,
               const std::vector<ir::Span>& at) {
    internal_check(buffer.dtype == DType::f32 && buffer.block == 0 && !buffer.swizzled,
                   "what is sent to other blocks lies in rows of f32");
    if (layout.slot_count == 0) {
        return 1;
    }
    const tj::Piece& inner = layout.slot[0];
    std::int64_t common = std::gcd<std::int64_t>(inner.extent, 4);
    common = std::gcd(common, buffer.slot_bytes / 4);
    common = std::gcd(common, buffer.offset / 4);
    if (layout.covered(inner.axis) > program.axes[static_cast<std::size_t>(inner.axis)].extent) {
        common = std::gcd<std::int64_t>(common, program.axes[static_cast<std::size_t>(inner.axis)].extent);
    }
    bool contiguous = false;
    for (std::size_t d = 0; d < at.size(); ++d) {
        const std::int64_t stride = buffer.strides[d];
        common = std::gcd(common, stride * at[d].origin.constant);
        for (const auto& [var, coefficient] : at[d].origin.terms) {
            common = std::gcd(common, stride * coefficient);
        }
        for (const auto& [axis, step] : at[d].axes) {
            contiguous = contiguous || (axis == inner.axis && inner.step * step * stride == 1);
            const auto add = [&](const tj::Piece& piece) {
                common = piece.axis == axis ? std::gcd(common, piece.step * step * stride) : common;
            };
            std::for_each_n(layout.thread, layout.thread_count, add);
            std::for_each_n(layout.slot + 1, layout.slot_count - 1, add);
        }
    }
    return contiguous ? static_cast<int>(common) : 1;
}

}  // namespace tilejit::emit
