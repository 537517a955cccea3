// A ring {stream, token, column} of bf16 whose columns are cut into blocks of 64, filled from
// x[token, stream, column], is one box:
//
//     map dimension   64 of a block   token            block            stream
//     tensor stride   1               row              64               c_x
//     box             64              tokens           width / 64       streams
//     slot stride     1               64               64 * tokens      width * tokens
#include "generator/emit/tensor_map.h"

#include <fmt/format.h>

#include <algorithm>

namespace tilejit::emit {
namespace {

/// A dimension of the map, and where it is in a slot.
struct Entry {
    std::int64_t slot_stride = 0;
    TensorMap::Dim dim;
    ir::Index corner;
};

ir::Index divided(ir::Index index, std::int64_t by) {
    bool whole = index.constant % by == 0;
    index.constant /= by;
    for (auto& [var, coefficient] : index.terms) {
        whole = whole && coefficient % by == 0;
        coefficient /= by;
    }
    internal_check(whole, "a box of the copy engine begins at a whole block");
    return index;
}

class BoxMaker {
public:
    BoxMaker(const ir::Program& program, const ir::Kernel& kernel, ir::BufferId buffer, ir::TensorId tensor)
        : program_(program),
          buffer_(kernel.buffers[static_cast<std::size_t>(buffer)]),
          tensor_(program.tensors[static_cast<std::size_t>(tensor)]) {}

    EngineBox make(const std::vector<ir::Span>& at) {
        for (std::size_t d = 0; d < at.size(); ++d) {
            add(tensor_.dims[d], at[d]);
        }
        std::stable_sort(entries_.begin(), entries_.end(),
                         [](const Entry& a, const Entry& b) { return a.slot_stride < b.slot_stride; });
        check();
        EngineBox result;
        result.map.dtype = tensor_.dtype;
        result.map.swizzled = buffer_.swizzled;
        for (Entry& entry : entries_) {
            result.map.dims.push_back(entry.dim);
            result.corner.push_back(std::move(entry.corner));
        }
        return result;
    }

private:
    void add(const ir::Dim& dim, const ir::Span& span) {
        TensorMap::Dim box{dim.open ? 1 : dim.extent, dim.open, dim.stride, dim.by_row, 1};
        if (span.axes.empty()) {
            if (dim.open || dim.extent > 1) {
                entries_.push_back({INT64_MAX, box, span.origin});  // the slot has one element along it
            }
            return;
        }
        const auto [axis, step] = span.axes.front();
        internal_check(span.axes.size() == 1 && step == 1, "the copy engine takes neighbours along one axis");
        const auto found = std::find(buffer_.axes.begin(), buffer_.axes.end(), axis);
        internal_check(found != buffer_.axes.end(), "the copy engine fills a buffer along its own axes");
        const auto i = static_cast<std::size_t>(found - buffer_.axes.begin());
        const int extent = program_.axes[static_cast<std::size_t>(axis)].extent;
        if (buffer_.block == 0 || i + 1 < buffer_.axes.size()) {
            box.box = extent;
            entries_.push_back({buffer_.strides[i], box, span.origin});
            return;
        }
        internal_check(!dim.open && dim.extent % buffer_.block == 0 && extent % buffer_.block == 0 && dim.stride == 1,
                       "the copy engine takes whole blocks of the contiguous dimension");
        entries_.push_back({1, {buffer_.block, false, 1, dim.by_row, buffer_.block}, {}});
        entries_.push_back({buffer_.block_stride,
                            {dim.extent / buffer_.block, false, buffer_.block, dim.by_row, extent / buffer_.block},
                            divided(span.origin, buffer_.block)});
    }

    /// The engine fills a slot without gaps, from the innermost dimension on.
    void check() const {
        std::int64_t expected = 1;
        for (const Entry& entry : entries_) {
            internal_check(entry.dim.box == 1 || entry.slot_stride == expected,
                           "the copy engine fills a slot without gaps");
            expected *= entry.dim.box;
        }
        std::int64_t elements = 1;
        for (const ir::AxisId axis : buffer_.axes) {
            elements *= program_.axes[static_cast<std::size_t>(axis)].extent;
        }
        internal_check(expected == elements, "the copy engine fills a whole slot");
        internal_check(!entries_.empty() && entries_.size() <= 5, "the copy engine knows 1 to 5 dimensions");
        internal_check(entries_[0].dim.stride == 1 && !entries_[0].dim.by_row,
                       "the innermost dimension of a box is contiguous");
    }

    const ir::Program& program_;
    const ir::Buffer& buffer_;
    const ir::Tensor& tensor_;
    std::vector<Entry> entries_;
};

}  // namespace

EngineBox engine_box(const ir::Program& program, const ir::Kernel& kernel, ir::BufferId buffer, ir::TensorId tensor,
                     const std::vector<ir::Span>& at) {
    return BoxMaker(program, kernel, buffer, tensor).make(at);
}

}  // namespace tilejit::emit
