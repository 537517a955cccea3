#include "generator/layout/layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>

namespace tilejit::layout {
namespace {

bool contains(const std::vector<ir::AxisId>& axes, ir::AxisId axis) {
    return std::find(axes.begin(), axes.end(), axis) != axes.end();
}

void add_thread(tj::Layout& layout, const tj::Piece& piece) {
    internal_check(layout.thread_count < tj::Layout::kMaxPieces, "too many pieces in a layout");
    layout.thread[layout.thread_count++] = piece;
}

void add_slots(tj::Layout& layout, ir::AxisId axis, int extent, int step) {
    if (extent == 1) {
        return;
    }
    internal_check(layout.slot_count < tj::Layout::kMaxPieces, "too many pieces in a layout");
    const int stride = layout.slots();
    layout.slot[layout.slot_count++] = {axis, extent, step, stride};
}

std::string pieces_text(const ir::Program& program, const tj::Piece* pieces, int count, bool strides) {
    std::string text;
    for (int i = 0; i < count; ++i) {
        text += fmt::format("{}{}:{}x{}", i > 0 ? " " : "", program.axes[static_cast<std::size_t>(pieces[i].axis)].name,
                            pieces[i].extent, pieces[i].step);
        text += strides ? fmt::format("@{}", pieces[i].stride) : "";
    }
    return text;
}

/// Pieces on `axes`, without slot strides, in a canonical order.
std::vector<std::array<int, 4>> canonical(const tj::Piece* pieces, int count, const std::vector<ir::AxisId>& axes,
                                          bool strides) {
    std::vector<std::array<int, 4>> result;
    for (int i = 0; i < count; ++i) {
        if (contains(axes, pieces[i].axis)) {
            result.push_back({pieces[i].axis, pieces[i].extent, pieces[i].step, strides ? pieces[i].stride : 0});
        }
    }
    std::sort(result.begin(), result.end());
    return result;
}

}  // namespace

tj::Layout from_spread(const ir::Program& program, const std::vector<ir::AxisId>& axes, const ir::Spread& spread,
                       int threads) {
    tj::Layout layout{};
    layout.threads = threads;
    const auto extent_of = [&](ir::AxisId axis) {
        const int extent = program.axes[static_cast<std::size_t>(axis)].extent;
        return axis == spread.vector_axis ? (extent + spread.vector - 1) / spread.vector : extent;
    };
    const auto step_of = [&](ir::AxisId axis) { return axis == spread.vector_axis ? spread.vector : 1; };
    if (spread.vector_axis >= 0) {
        add_slots(layout, spread.vector_axis, spread.vector, 1);
    }
    int stride = 1;
    for (auto axis = spread.over.rbegin(); axis != spread.over.rend(); ++axis) {
        const int extent = extent_of(*axis);
        int dealt = std::min(extent, threads / stride);
        if (spread.lanes && axis == spread.over.rbegin()) {
            dealt = std::min<int>(static_cast<int>(std::bit_ceil(static_cast<unsigned>(extent))), 32);
        }
        if (dealt > 1) {
            add_thread(layout, {*axis, dealt, step_of(*axis), stride});
        }
        add_slots(layout, *axis, (extent + dealt - 1) / dealt, dealt * step_of(*axis));
        stride *= dealt;
    }
    for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis) {
        if (!contains(spread.over, *axis)) {
            add_slots(layout, *axis, extent_of(*axis), step_of(*axis));
        }
    }
    return layout;
}

tj::Layout everywhere(const ir::Program& program, const std::vector<ir::AxisId>& axes, int threads) {
    return from_spread(program, axes, {}, threads);
}

tj::Layout restricted(const tj::Layout& layout, const std::vector<ir::AxisId>& axes) {
    tj::Layout result{};
    result.threads = layout.threads;
    for (int i = 0; i < layout.thread_count; ++i) {
        if (contains(axes, layout.thread[i].axis)) {
            add_thread(result, layout.thread[i]);
        }
    }
    for (int i = 0; i < layout.slot_count; ++i) {
        if (contains(axes, layout.slot[i].axis)) {
            add_slots(result, layout.slot[i].axis, layout.slot[i].extent, layout.slot[i].step);
        }
    }
    return result;
}

tj::Layout with_axis(tj::Layout layout, ir::AxisId axis, int extent) {
    add_slots(layout, axis, extent, 1);
    return layout;
}

tj::Layout merged(tj::Layout a, const tj::Layout& b) {
    const tj::Layout first = a;
    for (int i = 0; i < b.thread_count; ++i) {
        if (!has_axis(first, b.thread[i].axis)) {
            add_thread(a, b.thread[i]);
        }
    }
    for (int i = 0; i < b.slot_count; ++i) {
        if (!has_axis(first, b.slot[i].axis)) {
            add_slots(a, b.slot[i].axis, b.slot[i].extent, b.slot[i].step);
        }
    }
    return a;
}

bool serves(const tj::Layout& outer, const tj::Layout& inner, const std::vector<ir::AxisId>& axes) {
    return outer.threads == inner.threads &&
           canonical(outer.thread, outer.thread_count, axes, true) ==
               canonical(inner.thread, inner.thread_count, axes, true) &&
           canonical(outer.slot, outer.slot_count, axes, false) == canonical(inner.slot, inner.slot_count, axes, false);
}

bool ascending(const tj::Layout& layout, const std::vector<ir::AxisId>& axes) {
    const auto rank = [&](const tj::Piece& piece) {
        const auto at = std::find(axes.begin(), axes.end(), piece.axis);
        return std::pair(-(at - axes.begin()), piece.step);
    };
    std::pair<std::ptrdiff_t, int> last{-static_cast<std::ptrdiff_t>(axes.size()), 0};
    for (int i = 0; i < layout.slot_count; ++i) {
        if (contains(axes, layout.slot[i].axis)) {
            if (rank(layout.slot[i]) < last) {
                return false;
            }
            last = rank(layout.slot[i]);
        }
    }
    return true;
}

bool independent(const tj::Layout& layout) {
    std::vector<tj::Piece> pieces(layout.thread, layout.thread + layout.thread_count);
    std::sort(pieces.begin(), pieces.end(), [](const auto& a, const auto& b) { return a.stride < b.stride; });
    int digits = 1;
    for (const tj::Piece& piece : pieces) {
        if (piece.stride % digits != 0) {
            return false;
        }
        digits = piece.stride * piece.extent;
    }
    return digits <= layout.threads;
}

bool has_axis(const tj::Layout& layout, ir::AxisId axis) {
    return std::any_of(layout.thread, layout.thread + layout.thread_count,
                       [axis](const tj::Piece& piece) { return piece.axis == axis; }) ||
           std::any_of(layout.slot, layout.slot + layout.slot_count,
                       [axis](const tj::Piece& piece) { return piece.axis == axis; });
}

std::string describe(const ir::Program& program, const tj::Layout& layout) {
    return fmt::format("{} threads({}) slots({})", layout.threads,
                       pieces_text(program, layout.thread, layout.thread_count, true),
                       pieces_text(program, layout.slot, layout.slot_count, false));
}

}  // namespace tilejit::layout
