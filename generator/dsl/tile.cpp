// Tile expressions: each checks its operands and appends one operation.
#include <fmt/format.h>

#include <algorithm>

#include "generator/dsl/state.h"

namespace tilejit::dsl {
namespace detail {

State& State::of(const std::vector<const Operand*>& operands) {
    for (const Operand* operand : operands) {
        if (operand->tile_.state_ != nullptr) {
            return *operand->tile_.state_;
        }
    }
    fail(where(*operands.front()), "expected a tile, came only numbers");
}

ir::ValueId State::use(const Operand& operand) {
    if (operand.tile_.state_ != nullptr) {
        return operand.tile_.id_;
    }
    const ir::ValueId id = add_value(DType::f32, {}, operand.where_);
    append(ir::Constant{id, operand.value_}, operand.where_);
    return id;
}

std::string State::describe(ir::ValueId id) const {
    std::string text{tilejit::name_of(value(id).dtype)};
    text += "[";
    for (std::size_t i = 0; i < value(id).axes.size(); ++i) {
        text += (i > 0 ? ", " : "") + axis_name(value(id).axes[i]);
    }
    return text + "]";
}

Tile State::map(ir::Function function, const std::vector<const Operand*>& operands) {
    State& state = of(operands);
    const Where at = where(*operands.front());
    ir::Map map{-1, function, {}};
    std::vector<ir::AxisId> axes;
    for (const Operand* operand : operands) {
        map.args.push_back(state.use(*operand));
        axes = united(axes, state.value(map.args.back()).axes);
    }
    const DType from = function == ir::Function::to_f32 ? DType::bf16 : DType::f32;
    for (const ir::ValueId arg : map.args) {
        if (state.value(arg).dtype != from) {
            fail(at, fmt::format("{} expects {} operands, came {}; convert with to_f32 or to_bf16",
                                 ir::name_of(function), tilejit::name_of(from), state.describe(arg)));
        }
    }
    map.out = state.add_value(function == ir::Function::to_bf16 ? DType::bf16 : DType::f32, axes, at);
    state.append(map, at);
    return state.tile(map.out);
}

Tile State::reduce(const Operand& a, std::vector<ir::AxisId> axes, ir::Reduction reduction) {
    State& state = of({&a});
    const ir::ValueId in = state.use(a);
    if (state.value(in).dtype != DType::f32) {
        fail(where(a), fmt::format("reductions expect f32, came {}; convert with to_f32", state.describe(in)));
    }
    if (axes.size() > kMaxReducedAxes) {
        fail(where(a),
             fmt::format("a reduction may be over at most {} axes at a time, came {}", kMaxReducedAxes, axes.size()));
    }
    std::vector<ir::AxisId> rest = state.value(in).axes;
    for (const ir::AxisId axis : axes) {
        if (!has(rest, axis)) {
            fail(where(a), fmt::format("cannot reduce over axis '{}': the tile is {}", state.axis_name(axis),
                                       state.describe(in)));
        }
        rest.erase(std::find(rest.begin(), rest.end(), axis));
    }
    const ir::ValueId out = state.add_value(DType::f32, rest, where(a));
    state.append(ir::Reduce{out, in, std::move(axes), reduction}, where(a));
    return state.tile(out);
}

Tile State::contract(const Operand& a, const Operand& b, Axis axis, const Operand* init) {
    State& state = of({&a, &b});
    ir::Contract op{-1, state.use(a), state.use(b), std::nullopt, axis.id};
    for (const ir::ValueId id : {op.a, op.b}) {
        if (state.value(id).dtype != DType::f32 || !has(state.value(id).axes, axis.id)) {
            fail(where(a), fmt::format("contract expects f32 operands with axis '{}', came {}",
                                       state.axis_name(axis.id), state.describe(id)));
        }
    }
    std::vector<ir::AxisId> axes = united(state.value(op.a).axes, state.value(op.b).axes);
    axes.erase(std::find(axes.begin(), axes.end(), axis.id));
    op.out = state.add_value(DType::f32, axes, where(a));
    if (init != nullptr) {
        op.init = state.use(*init);
        if (!same_axes(state.value(*op.init).axes, axes)) {
            fail(where(a), fmt::format("contract gives {}, its start value is {}", state.describe(op.out),
                                       state.describe(*op.init)));
        }
    }
    state.append(op, where(a));
    return state.tile(op.out);
}

Tile State::split(const Operand& a, Axis part) {
    State& state = of({&a});
    const ir::ValueId in = state.use(a);
    if (state.value(in).dtype != DType::f32 || part.extent != 2 || has(state.value(in).axes, part.id)) {
        fail(where(a), fmt::format("split expects an f32 tile and a new axis of 2 parts, came {} and '{}' of {}",
                                   state.describe(in), state.axis_name(part.id), part.extent));
    }
    std::vector<ir::AxisId> axes = state.value(in).axes;
    axes.push_back(part.id);
    const ir::ValueId out = state.add_value(DType::bf16, axes, where(a));
    state.append(ir::Split{out, in, part.id}, where(a));
    return state.tile(out);
}

Tile State::select(const Operand& a, Axis axis, const Index& at) {
    State& state = of({&a});
    const ir::ValueId in = state.use(a);
    std::vector<ir::AxisId> axes = state.value(in).axes;
    if (!has(axes, axis.id) || !at.axes.empty()) {
        fail(where(a), fmt::format("select expects an axis of the tile and a place on it, came '{}' of {}",
                                   state.axis_name(axis.id), state.describe(in)));
    }
    std::erase(axes, axis.id);
    const ir::ValueId out = state.add_value(state.value(in).dtype, axes, where(a));
    state.append(ir::Select{out, in, axis.id, index(at)}, where(a));
    return state.tile(out);
}

Tile State::mma(const Operand& weights, const Operand& tokens, Axis chunk, Axis element, Axis part,
                const Operand& acc) {
    State& state = of({&weights, &tokens, &acc});
    ir::Mma op{-1, state.use(weights), state.use(tokens), state.use(acc), chunk.id, element.id, part.id, -1, -1};
    const auto& w = state.value(op.weights);
    const auto& t = state.value(op.tokens);
    const Where at = where(weights);
    if (w.dtype != DType::bf16 || !has(w.axes, part.id) || t.dtype != DType::bf16 || chunk.extent != 4 ||
        element.extent != 8 || part.extent != 2) {
        fail(at, fmt::format("mma expects weights split along the axis of parts, bf16 tokens, and axes of 4 chunks, "
                             "8 elements and 2 parts; came {}, {}, {}, {} and {}",
                             state.describe(op.weights), state.describe(op.tokens), chunk.extent, element.extent,
                             part.extent));
    }
    for (const auto* operand : {&w, &t}) {
        if (!has(operand->axes, chunk.id) || !has(operand->axes, element.id)) {
            fail(at, "mma: both operands need the chunk and the element axis");
        }
    }
    const auto only = [&](const ir::Value& mine, const ir::Value& other, const char* what) {
        ir::AxisId found = -1;
        for (const ir::AxisId axis : mine.axes) {
            if (axis != part.id && !has(other.axes, axis)) {
                if (found >= 0) {
                    fail(at, fmt::format("mma: {} may have one axis of their own, came {} and {}", what,
                                         state.describe(op.weights), state.describe(op.tokens)));
                }
                found = axis;
            }
        }
        if (found < 0 || state.program.axes[static_cast<std::size_t>(found)].extent % 8 != 0) {
            fail(at, fmt::format("mma: {} need an axis of their own whose extent is a multiple of 8", what));
        }
        return found;
    };
    op.m = only(w, t, "weights");
    op.n = only(t, w, "tokens");
    std::vector<ir::AxisId> expected;
    for (const ir::AxisId axis : w.axes) {
        if (axis != chunk.id && axis != element.id && axis != part.id && axis != op.m) {
            expected.push_back(axis);
        }
    }
    expected.insert(expected.end(), {op.part = part.id, op.m, op.n});
    if (!same_axes(state.value(op.acc).axes, expected)) {
        fail(at, fmt::format("mma: the accumulator {} does not have the axes of the product", state.describe(op.acc)));
    }
    op.out = state.add_value(DType::f32, state.value(op.acc).axes, at);
    state.append(op, at);
    return state.tile(op.out);
}

}  // namespace detail

using detail::State;
using F = ir::Function;

Tile operator+(const Operand& a, const Operand& b) { return State::map(F::add, {&a, &b}); }
Tile operator-(const Operand& a, const Operand& b) { return State::map(F::sub, {&a, &b}); }
Tile operator*(const Operand& a, const Operand& b) { return State::map(F::mul, {&a, &b}); }
Tile operator/(const Operand& a, const Operand& b) { return State::map(F::div, {&a, &b}); }
Tile operator-(const Operand& a) { return State::map(F::negate, {&a}); }
Tile min(const Operand& a, const Operand& b) { return State::map(F::min, {&a, &b}); }
Tile max(const Operand& a, const Operand& b) { return State::map(F::max, {&a, &b}); }
Tile fma(const Operand& a, const Operand& b, const Operand& c) { return State::map(F::fma, {&a, &b, &c}); }
Tile exp(const Operand& a) { return State::map(F::exp, {&a}); }
Tile sqrt(const Operand& a) { return State::map(F::sqrt, {&a}); }
Tile sigmoid(const Operand& a) { return State::map(F::sigmoid, {&a}); }
Tile reciprocal(const Operand& a) { return State::map(F::reciprocal, {&a}); }
Tile to_f32(const Operand& a) { return State::map(F::to_f32, {&a}); }
Tile to_bf16(const Operand& a) { return State::map(F::to_bf16, {&a}); }

Tile sum(const Operand& a, std::initializer_list<Axis> axes) {
    std::vector<ir::AxisId> ids;
    for (const Axis& axis : axes) {
        ids.push_back(axis.id);
    }
    return State::reduce(a, std::move(ids), ir::Reduction::sum);
}

Tile sum(const Operand& a, Axis axis) { return State::reduce(a, {axis.id}, ir::Reduction::sum); }
Tile largest(const Operand& a, Axis axis) { return State::reduce(a, {axis.id}, ir::Reduction::max); }
Tile contract(const Operand& a, const Operand& b, Axis axis) { return State::contract(a, b, axis, nullptr); }

Tile contract(const Operand& a, const Operand& b, Axis axis, const Operand& init) {
    return State::contract(a, b, axis, &init);
}

Tile split(const Operand& a, Axis part) { return State::split(a, part); }
Tile select(const Operand& a, Axis axis, const Index& at) { return State::select(a, axis, at); }

Tile mma(const Operand& weights, const Operand& tokens, Axis chunk, Axis element, Axis part, const Operand& acc) {
    return State::mma(weights, tokens, chunk, element, part, acc);
}

}  // namespace tilejit::dsl
