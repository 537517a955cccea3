/// \file Global memory: where tensors lie, and which of their elements an access touches.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "generator/interpret/tile.h"

namespace tilejit::interpret {

/// Where a tensor of the program lies.
struct Memory {
    unsigned char* data = nullptr;
    std::vector<std::int64_t> extents;
    std::vector<std::int64_t> strides;  ///< elements
    bool wide = false;                  ///< f32
};

/// What all blocks share.
struct Environment {
    const ir::Program& program;
    std::int64_t batch = 0;
    std::vector<Memory> tensors;  ///< by tensor id
    std::vector<double> params;   ///< by parameter id
};

/// The part of a tensor that an operation accesses now.
struct TensorPart {
    ir::TensorId tensor = -1;
    const std::vector<ir::Span>* at = nullptr;
    std::vector<std::int64_t> origins;  ///< of the spans
};

/// For a tile over `axes`, calls `inside(tile offset, element of the tensor's memory, count, memory step,
/// tile step)` for the parts of runs that lie in the tensor.
template <class Inside>
void for_each_inside(const Environment& environment, const std::vector<ir::AxisId>& axes, const TensorPart& part,
                     Inside&& inside) {
    const Memory& memory = environment.tensors[static_cast<std::size_t>(part.tensor)];
    const std::vector<ir::Span>& at = *part.at;
    Walk walk(environment.program, axes);
    walk.add_operand(axes);
    std::int64_t base = 0;
    std::vector<std::ptrdiff_t> address(axes.size(), 0);
    for (std::size_t d = 0; d < at.size(); ++d) {
        base += part.origins[d] * memory.strides[d];
        std::vector<std::ptrdiff_t> step(axes.size(), 0);
        for (const auto& [axis, factor] : at[d].axes) {
            const auto where = std::find(axes.begin(), axes.end(), axis) - axes.begin();
            step[static_cast<std::size_t>(where)] = factor;
            address[static_cast<std::size_t>(where)] += factor * memory.strides[d];
        }
        walk.add_steps(step);
    }
    walk.add_steps(address);
    walk.runs([&](const auto& offsets, int length, const auto& step) {
        std::int64_t count = length;
        for (std::size_t d = 0; d < at.size(); ++d) {
            const std::int64_t room = memory.extents[d] - (part.origins[d] + offsets[d + 1]);
            const std::int64_t fits =
                step[d + 1] == 0 ? (room > 0 ? length : 0) : (room + step[d + 1] - 1) / step[d + 1];
            count = std::min(count, room <= 0 ? 0 : fits);
        }
        if (count > 0) {
            inside(offsets[0], base + offsets.back(), count, step.back(), step[0]);
        }
    });
}

}  // namespace tilejit::interpret
