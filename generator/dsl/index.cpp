#include <fmt/format.h>

#include <algorithm>

#include "generator/dsl/state.h"

namespace tilejit::dsl {

Size ceil_div(Size size, std::int64_t divisor) {
    if (size.per > 0) {
        return {size.constant, size.per * divisor};
    }
    return {(size.constant + divisor - 1) / divisor};
}

namespace {

template <class Id, class Factor>
void add_terms(std::vector<std::pair<Id, Factor>>& to, const std::vector<std::pair<Id, Factor>>& from) {
    for (const auto& [id, factor] : from) {
        const auto same = std::find_if(to.begin(), to.end(), [id = id](const auto& term) { return term.first == id; });
        if (same != to.end()) {
            same->second += factor;
        } else {
            to.emplace_back(id, factor);
        }
    }
}

}  // namespace

Index operator+(Index a, const Index& b) {
    a.constant += b.constant;
    add_terms(a.variables, b.variables);
    add_terms(a.axes, b.axes);
    return a;
}

Index operator*(std::int64_t factor, Index index) {
    index.constant *= factor;
    for (auto& term : index.variables) {
        term.second *= factor;
    }
    for (auto& term : index.axes) {
        term.second = static_cast<int>(term.second * factor);
    }
    return index;
}

Spread Spread::vector(Axis axis, int elements) const {
    Spread result = *this;
    result.vector_axis = axis.id;
    result.width = elements;
    return result;
}

Spread Spread::lanes() const {
    Spread result = *this;
    result.whole_lanes = true;
    return result;
}

Spread spread(std::initializer_list<Axis> over) {
    Spread result;
    for (const Axis& axis : over) {
        result.over.push_back(axis.id);
    }
    return result;
}

namespace detail {

ir::Index State::index(const Index& index) {
    ir::Index result{index.constant, index.variables};
    std::sort(result.terms.begin(), result.terms.end());
    return result;
}

void State::spread(ir::ValueId id, const Spread& spread, Where where) {
    std::vector<ir::AxisId> axes = value(id).axes;
    for (const ir::AxisId axis : spread.over) {
        const auto at = std::find(axes.begin(), axes.end(), axis);
        if (at == axes.end()) {
            fail(where, fmt::format("a spread deals each axis of the tile {} once at most, came '{}' {}", describe(id),
                                    axis_name(axis), has(value(id).axes, axis) ? "twice" : "besides"));
        }
        axes.erase(at);
    }
    if (spread.vector_axis >= 0 && !has(value(id).axes, spread.vector_axis)) {
        fail(where, fmt::format("a thread cannot hold neighbours on '{}': the tile is {}",
                                axis_name(spread.vector_axis), describe(id)));
    }
    if (spread.width < 1) {
        fail(where, fmt::format("a thread holds 1 neighbour or more, came {}", spread.width));
    }
    value(id).spread = ir::Spread{spread.over, spread.vector_axis, spread.width, spread.whole_lanes};
}

std::vector<ir::AxisId> united(const std::vector<ir::AxisId>& a, const std::vector<ir::AxisId>& b) {
    std::vector<ir::AxisId> result = a;
    for (const ir::AxisId axis : b) {
        if (!has(result, axis)) {
            result.push_back(axis);
        }
    }
    return result;
}

bool has(const std::vector<ir::AxisId>& axes, ir::AxisId axis) {
    return std::find(axes.begin(), axes.end(), axis) != axes.end();
}

bool same_axes(const std::vector<ir::AxisId>& a, const std::vector<ir::AxisId>& b) {
    return a.size() == b.size() && std::is_permutation(a.begin(), a.end(), b.begin());
}

}  // namespace detail
}  // namespace tilejit::dsl
