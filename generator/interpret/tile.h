/// \file Walking over the elements of tiles.
#pragma once

#include <cstddef>
#include <vector>

#include "generator/ir/ir.h"

namespace tilejit::interpret {

/// Axes to walk over, last fastest, with the step that each of several operands takes along them.
class Walk {
public:
    Walk(const ir::Program& program, std::vector<ir::AxisId> axes);

    /// Adds an operand: a row-major tile over `axes`, which stands still along others.
    void add_operand(const std::vector<ir::AxisId>& axes);
    /// Adds an operand with explicit steps per walked axis.
    void add_steps(std::vector<std::ptrdiff_t> steps) { steps_.push_back(std::move(steps)); }

    std::size_t count() const;
    const std::vector<ir::AxisId>& axes() const { return axes_; }
    int extent(std::size_t axis) const { return extents_[axis]; }

    /// Calls `body(offsets, length, steps)` for each run along the last axis: the offsets of the
    /// operands at its start, its length, and the operands' steps along it.
    template <class Body>
    void runs(Body&& body) const {
        const std::size_t operands = steps_.size();
        std::vector<std::ptrdiff_t> at(operands, 0);
        std::vector<std::ptrdiff_t> last(operands, 0);
        std::vector<int> coord(axes_.size(), 0);
        const int length = axes_.empty() ? 1 : extents_.back();
        for (std::size_t o = 0; o < operands; ++o) {
            last[o] = axes_.empty() ? 0 : steps_[o].back();
        }
        while (true) {
            body(at, length, last);
            if (!advance(coord, at)) {
                return;
            }
        }
    }

private:
    bool advance(std::vector<int>& coord, std::vector<std::ptrdiff_t>& at) const;

    const ir::Program& program_;
    std::vector<ir::AxisId> axes_;
    std::vector<int> extents_;
    std::vector<std::vector<std::ptrdiff_t>> steps_;
};

/// The number of elements of a tile with these axes.
std::size_t elements_of(const ir::Program& program, const std::vector<ir::AxisId>& axes);

float round_to_bf16(float value);

}  // namespace tilejit::interpret
