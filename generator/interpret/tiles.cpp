#include "generator/interpret/tiles.h"

#include <algorithm>

namespace tilejit::interpret {
namespace {

std::vector<ir::AxisId> outer_and(std::vector<ir::AxisId> outer, const std::vector<ir::AxisId>& inner) {
    std::erase_if(outer, [&](ir::AxisId axis) { return std::find(inner.begin(), inner.end(), axis) != inner.end(); });
    outer.insert(outer.end(), inner.begin(), inner.end());
    return outer;
}

/// Elements between neighbours along `axis` of a row-major tile.
std::ptrdiff_t stride_of(const ir::Program& program, const std::vector<ir::AxisId>& axes, ir::AxisId wanted) {
    std::ptrdiff_t stride = 1;
    for (auto axis = axes.rbegin(); *axis != wanted; ++axis) {
        stride *= program.axes[static_cast<std::size_t>(*axis)].extent;
    }
    return stride;
}

std::size_t at_step(std::ptrdiff_t start, int i, std::ptrdiff_t step) {
    return static_cast<std::size_t>(start + i * step);
}

}  // namespace

template <class Domain>
typename Tiles<Domain>::Tile& Tiles<Domain>::fresh(ir::ValueId id) {
    Tile& tile = tiles_[static_cast<std::size_t>(id)];
    tile.assign(elements_of(program_, axes(id)), Domain::kZero);
    return tile;
}

template <class Domain>
void Tiles<Domain>::copy(ir::ValueId from, ir::ValueId to) {
    if (axes(from) == axes(to)) {
        tiles_[static_cast<std::size_t>(to)] = tiles_[static_cast<std::size_t>(from)];
        return;
    }
    Tile& out = fresh(to);
    const Tile& in = held(from);
    Walk walk(program_, axes(to));
    walk.add_operand(axes(to));
    walk.add_operand(axes(from));
    walk.runs([&](const auto& at, int length, const auto& step) {
        for (int i = 0; i < length; ++i) {
            out[at_step(at[0], i, step[0])] = in[at_step(at[1], i, step[1])];
        }
    });
}

template <class Domain>
void Tiles<Domain>::run(const ir::Constant& op) {
    Tile& out = fresh(op.out);
    std::fill(out.begin(), out.end(), Domain::constant(static_cast<double>(op.value)));
}

template <class Domain>
void Tiles<Domain>::run(const ir::Parameter& op) {
    fresh(op.out).front() = Domain::constant(params_[static_cast<std::size_t>(op.param)]);
}

template <class Domain>
void Tiles<Domain>::run(const ir::Map& op) {
    Tile& out = fresh(op.out);
    Walk walk(program_, axes(op.out));
    walk.add_operand(axes(op.out));
    const Element* data[3] = {nullptr, nullptr, nullptr};
    for (std::size_t a = 0; a < 3; ++a) {
        const ir::ValueId arg = op.args[std::min(a, op.args.size() - 1)];
        data[a] = held(arg).data();
        walk.add_operand(axes(arg));
    }
    walk.runs([&](const auto& at, int length, const auto& step) {
        for (int i = 0; i < length; ++i) {
            out[at_step(at[0], i, step[0])] = Domain::apply(op.function, data[0][at[1] + i * step[1]],
                                                            data[1][at[2] + i * step[2]], data[2][at[3] + i * step[3]]);
        }
    });
}

template <class Domain>
void Tiles<Domain>::run(const ir::Reduce& op) {
    Tile& out = fresh(op.out);
    const bool sum = op.reduction == ir::Reduction::sum;
    std::fill(out.begin(), out.end(), sum ? Domain::kZero : Domain::kLowest);
    Walk walk(program_, outer_and(axes(op.in), op.axes));
    walk.add_operand(axes(op.in));
    walk.add_operand(axes(op.out));
    const Tile& in = held(op.in);
    walk.runs([&](const auto& at, int length, const auto& step) {
        for (int i = 0; i < length; ++i) {
            Element& to = out[at_step(at[1], i, step[1])];
            const Element from = in[at_step(at[0], i, step[0])];
            to = sum ? Domain::add(to, from) : Domain::larger(to, from);
        }
    });
}

template <class Domain>
void Tiles<Domain>::run(const ir::Contract& op) {
    Tile& out = fresh(op.out);
    Walk walk(program_, outer_and(axes(op.out), {op.axis}));
    for (const ir::ValueId id : {op.out, op.a, op.b, op.init.value_or(op.out)}) {
        walk.add_operand(axes(id));
    }
    const Tile& a = held(op.a);
    const Tile& b = held(op.b);
    walk.runs([&](const auto& at, int length, const auto& step) {
        Element sum = op.init ? held(*op.init)[static_cast<std::size_t>(at[3])] : Domain::kZero;
        for (int i = 0; i < length; ++i) {
            sum = Domain::fma(a[at_step(at[1], i, step[1])], b[at_step(at[2], i, step[2])], sum);
        }
        out[static_cast<std::size_t>(at[0])] = sum;
    });
}

template <class Domain>
void Tiles<Domain>::run(const ir::Split& op) {
    Tile& out = fresh(op.out);
    Walk walk(program_, axes(op.in));
    walk.add_operand(axes(op.out));
    walk.add_operand(axes(op.in));
    const std::ptrdiff_t low = stride_of(program_, axes(op.out), op.part);
    const Tile& in = held(op.in);
    walk.runs([&](const auto& at, int length, const auto& step) {
        for (int i = 0; i < length; ++i) {
            const Element from = in[at_step(at[1], i, step[1])];
            out[at_step(at[0], i, step[0])] = Domain::high_part(from);
            out[at_step(at[0] + low, i, step[0])] = Domain::low_part(from);
        }
    });
}

template <class Domain>
void Tiles<Domain>::run(const ir::Select& op, std::int64_t index) {
    Tile& out = fresh(op.out);
    Walk walk(program_, axes(op.out));
    walk.add_operand(axes(op.out));
    walk.add_operand(axes(op.in));
    const std::ptrdiff_t start = index * stride_of(program_, axes(op.in), op.axis);
    const Tile& in = held(op.in);
    walk.runs([&](const auto& at, int length, const auto& step) {
        for (int i = 0; i < length; ++i) {
            out[at_step(at[0], i, step[0])] = in[at_step(start + at[1], i, step[1])];
        }
    });
}

template <class Domain>
void Tiles<Domain>::run(const ir::Mma& op) {
    copy(op.acc, op.out);
    Tile& out = tiles_[static_cast<std::size_t>(op.out)];
    // k outermost of what the operands do not share, the tokens innermost.
    Walk walk(program_, outer_and(axes(op.weights), {op.chunk, op.element, op.m, op.n}));
    walk.add_operand(axes(op.out));
    walk.add_operand(axes(op.weights));
    walk.add_operand(axes(op.tokens));
    const Element* weights = held(op.weights).data();
    const Element* tokens = held(op.tokens).data();
    walk.runs([&](const auto& at, int length, const auto& step) {
        const Element weight = weights[at[1]];
        Element* to = out.data() + at[0];
        const Element* from = tokens + at[2];
        for (int i = 0; i < length; ++i) {
            to[i * step[0]] = Domain::add_product(to[i * step[0]], weight, from[i * step[2]]);
        }
    });
}

template class Tiles<Real>;
template class Tiles<Exact>;

}  // namespace tilejit::interpret
