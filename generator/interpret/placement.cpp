#include "generator/interpret/placement.h"

#include <algorithm>

#include "generator/interpret/tile.h"

namespace tilejit::interpret {
namespace {

constexpr std::int64_t kSwizzleBytes = 1024;

/// 16-byte units of each 1024 bytes exchanged, as `Buffer::swizzled` says.
std::int64_t swizzled(std::int64_t byte) { return byte ^ (((byte >> 7) & 7) << 4); }

std::vector<int> row_major(const ir::Program& program, const std::vector<ir::AxisId>& axes) {
    std::vector<int> steps(axes.size(), 1);
    for (std::size_t i = axes.size(); i-- > 1;) {
        steps[i - 1] = steps[i] * program.axes[static_cast<std::size_t>(axes[i])].extent;
    }
    return steps;
}

Placement place(const ir::Program& program, const ir::Buffer& buffer, std::int64_t free) {
    Placement placement;
    placement.index_steps = row_major(program, buffer.axes);
    const std::vector<int>& strides = buffer.strides.empty() ? placement.index_steps : buffer.strides;
    const auto size = static_cast<std::int64_t>(size_of(buffer.dtype));
    placement.granules_each = static_cast<int>(size / kGranule);
    const std::size_t count = elements_of(program, buffer.axes);
    std::int64_t last = 0;
    for (std::size_t e = 0; e < count; ++e) {
        std::int64_t element = 0;
        for (std::size_t a = 0; a < buffer.axes.size(); ++a) {
            const int extent = program.axes[static_cast<std::size_t>(buffer.axes[a])].extent;
            const int coordinate = static_cast<int>(e) / placement.index_steps[a] % extent;
            const bool cut = buffer.block > 0 && a + 1 == buffer.axes.size();
            element += cut ? coordinate / buffer.block * buffer.block_stride + coordinate % buffer.block
                           : coordinate * strides[a];
        }
        const std::int64_t byte = buffer.swizzled ? swizzled(element * size) : element * size;
        placement.granules.push_back(static_cast<int>(byte / kGranule));
        last = std::max(last, byte + size);
    }
    const std::int64_t unit = buffer.swizzled ? kSwizzleBytes : 16;
    placement.slot_bytes = buffer.slot_bytes > 0 ? buffer.slot_bytes : (last + unit - 1) / unit * unit;
    placement.offset = buffer.offset >= 0 ? buffer.offset : (free + unit - 1) / unit * unit;
    internal_check(placement.offset % unit == 0 || !buffer.swizzled, "a swizzled tile is not aligned to 1024 bytes");
    return placement;
}

}  // namespace

SharedPlan::SharedPlan(const ir::Program& program, const ir::Kernel& kernel) {
    std::int64_t end = 0;
    for (const ir::Buffer& buffer : kernel.buffers) {
        buffers.push_back(place(program, buffer, end));
        placed = placed && buffer.offset >= 0;
        const int slots = std::max(buffer.slots, 1);
        // The last slot may be shorter than the distance between slots, or longer when that is wrong.
        const Placement& last = buffers.back();
        const int furthest = last.granules.empty() ? 0 : *std::max_element(last.granules.begin(), last.granules.end());
        end = std::max(end, last.offset + (slots - 1) * last.slot_bytes +
                                std::max(last.slot_bytes, (furthest + last.granules_each) * kGranule));
    }
    granules = static_cast<std::size_t>((end + kGranule - 1) / kGranule);
}

Holders holders_of(const ir::Program& program, const ir::Value& value) {
    const tj::Layout& layout = *value.layout;
    const std::vector<int> steps = row_major(program, value.axes);
    Holders holders;
    const int slots = layout.slots();
    for (int thread = 0; thread < layout.threads; ++thread) {
        const bool owner = layout.owner(thread);
        for (int slot = 0; slot < slots; ++slot) {
            int element = 0;
            bool inside = true;
            for (std::size_t a = 0; a < value.axes.size(); ++a) {
                const int coordinate = layout.coord(value.axes[a], thread, slot);
                inside = inside && coordinate < program.axes[static_cast<std::size_t>(value.axes[a])].extent;
                element += coordinate * steps[a];
            }
            if (!inside) {
                continue;
            }
            const Holder holder{static_cast<std::uint32_t>(element), static_cast<std::int16_t>(thread / 32),
                                static_cast<std::int16_t>(thread % 32)};
            holders.readers.push_back(holder);
            if (owner) {
                holders.writers.push_back(holder);
            }
        }
    }
    // Lanes of one warp that hold the same element become one reader.
    const auto same = [](const Holder& a, const Holder& b) { return a.element == b.element && a.warp == b.warp; };
    std::stable_sort(holders.readers.begin(), holders.readers.end(), [](const Holder& a, const Holder& b) {
        return a.element != b.element ? a.element < b.element : a.warp < b.warp;
    });
    std::vector<Holder> merged;
    for (const Holder& holder : holders.readers) {
        if (!merged.empty() && same(merged.back(), holder)) {
            if (merged.back().lane != holder.lane) {
                merged.back().lane = Holder::kSeveral;
            }
        } else {
            merged.push_back(holder);
        }
    }
    holders.readers = std::move(merged);
    return holders;
}

std::vector<std::uint32_t> shared_elements(const ir::Program& program, const std::vector<ir::AxisId>& axes,
                                           const Placement& placement, const std::vector<ir::Span>& at) {
    Walk walk(program, axes);
    std::vector<std::ptrdiff_t> steps(axes.size(), 0);
    for (std::size_t d = 0; d < at.size(); ++d) {
        for (const auto& [axis, factor] : at[d].axes) {
            const auto where = std::find(axes.begin(), axes.end(), axis) - axes.begin();
            steps[static_cast<std::size_t>(where)] += static_cast<std::ptrdiff_t>(factor) * placement.index_steps[d];
        }
    }
    walk.add_steps(steps);
    std::vector<std::uint32_t> elements;
    elements.reserve(walk.count());
    walk.runs([&](const auto& offsets, int length, const auto& step) {
        for (int i = 0; i < length; ++i) {
            elements.push_back(static_cast<std::uint32_t>(offsets[0] + i * step[0]));
        }
    });
    return elements;
}

}  // namespace tilejit::interpret
