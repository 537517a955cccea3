#include "generator/interpret/tile.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace tilejit::interpret {

Walk::Walk(const ir::Program& program, std::vector<ir::AxisId> axes) : program_(program), axes_(std::move(axes)) {
    for (const ir::AxisId axis : axes_) {
        extents_.push_back(program.axes[static_cast<std::size_t>(axis)].extent);
    }
}

void Walk::add_operand(const std::vector<ir::AxisId>& axes) {
    std::vector<std::ptrdiff_t> steps(axes_.size(), 0);
    std::ptrdiff_t stride = 1;
    for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis) {
        const auto at = std::find(axes_.begin(), axes_.end(), *axis);
        if (at != axes_.end()) {
            steps[static_cast<std::size_t>(at - axes_.begin())] = stride;
        }
        stride *= program_.axes[static_cast<std::size_t>(*axis)].extent;
    }
    steps_.push_back(std::move(steps));
}

std::size_t Walk::count() const {
    std::size_t product = 1;
    for (const int extent : extents_) {
        product *= static_cast<std::size_t>(extent);
    }
    return product;
}

bool Walk::advance(std::vector<int>& coord, std::vector<std::ptrdiff_t>& at) const {
    for (std::size_t axis = axes_.size(); axis-- > 1;) {
        const std::size_t outer = axis - 1;
        if (++coord[outer] < extents_[outer]) {
            for (std::size_t o = 0; o < steps_.size(); ++o) {
                at[o] += steps_[o][outer];
            }
            return true;
        }
        for (std::size_t o = 0; o < steps_.size(); ++o) {
            at[o] -= steps_[o][outer] * (extents_[outer] - 1);
        }
        coord[outer] = 0;
    }
    return false;
}

std::size_t elements_of(const ir::Program& program, const std::vector<ir::AxisId>& axes) {
    return Walk(program, axes).count();
}

float round_to_bf16(float value) {
    if (std::isnan(value)) {
        return value;
    }
    const auto bits = std::bit_cast<std::uint32_t>(value);
    return std::bit_cast<float>((bits + 0x7FFFU + ((bits >> 16U) & 1U)) & 0xFFFF0000U);
}

}  // namespace tilejit::interpret
