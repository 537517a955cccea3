#include "generator/interpret/block.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace tilejit::interpret {
namespace {

std::vector<ir::AxisId> outer_and(std::vector<ir::AxisId> outer, const std::vector<ir::AxisId>& inner) {
    std::erase_if(outer, [&](ir::AxisId axis) { return std::find(inner.begin(), inner.end(), axis) != inner.end(); });
    outer.insert(outer.end(), inner.begin(), inner.end());
    return outer;
}

float apply(ir::Function function, float a, float b, float c) {
    switch (function) {
        case ir::Function::to_f32:
            return a;
        case ir::Function::to_bf16:
            return round_to_bf16(a);
        case ir::Function::negate:
            return -a;
        case ir::Function::exp:
            return std::exp(a);
        case ir::Function::sqrt:
            return std::sqrt(a);
        case ir::Function::sigmoid:
            return 1.0F / (1.0F + std::exp(-a));
        case ir::Function::add:
            return a + b;
        case ir::Function::sub:
            return a - b;
        case ir::Function::mul:
            return a * b;
        case ir::Function::div:
            return a / b;
        case ir::Function::min:
            return std::fmin(a, b);
        case ir::Function::max:
            return std::fmax(a, b);
        case ir::Function::fma:
            return std::fma(a, b, c);
    }
    internal_check(false, "unknown function");
    return 0;
}

}  // namespace

Block::Block(const Environment& environment, const ir::Kernel& kernel)
    : environment_(environment),
      kernel_(kernel),
      variables_(environment.program.variables.size(), 0),
      tiles_(environment.program.values.size()),
      buffers_(kernel.buffers.size()) {}

void Block::run(const std::vector<std::int64_t>& coordinates) {
    for (std::size_t i = 0; i < coordinates.size(); ++i) {
        variables_[static_cast<std::size_t>(kernel_.grid[i])] = coordinates[i];
    }
    for (const ir::Role& role : kernel_.roles) {
        visit(role.body);
    }
}

void Block::visit(const std::vector<ir::Stmt>& body) {
    for (const ir::Stmt& stmt : body) {
        std::visit([this](const auto& op) { execute(op); }, stmt.op);
    }
}

std::vector<float>& Block::fresh(ir::ValueId id) {
    std::vector<float>& elements = tiles_[static_cast<std::size_t>(id)].elements;
    elements.assign(elements_of(environment_.program, axes(id)), 0.0F);
    return elements;
}

std::int64_t Block::evaluate(const ir::Index& index) const {
    std::int64_t sum = index.constant;
    for (const auto& [var, coefficient] : index.terms) {
        sum += coefficient * variables_[static_cast<std::size_t>(var)];
    }
    return sum;
}

template <class Inside>
void Block::access(const std::vector<ir::AxisId>& tile_axes, ir::TensorId tensor, const std::vector<ir::Span>& at,
                   Inside&& inside) {
    const Memory& memory = environment_.tensors[static_cast<std::size_t>(tensor)];
    Walk walk(environment_.program, tile_axes);
    walk.add_operand(tile_axes);
    std::vector<std::int64_t> origin;
    std::vector<std::vector<std::ptrdiff_t>> steps;
    std::int64_t base = 0;
    std::vector<std::ptrdiff_t> address(tile_axes.size(), 0);
    for (std::size_t d = 0; d < at.size(); ++d) {
        origin.push_back(evaluate(at[d].origin));
        base += origin.back() * memory.strides[d];
        std::vector<std::ptrdiff_t> step(tile_axes.size(), 0);
        for (const auto& [axis, factor] : at[d].axes) {
            const auto where = std::find(tile_axes.begin(), tile_axes.end(), axis) - tile_axes.begin();
            step[static_cast<std::size_t>(where)] = factor;
            address[static_cast<std::size_t>(where)] += factor * memory.strides[d];
        }
        walk.add_steps(step);
    }
    walk.add_steps(address);
    walk.runs([&](const auto& offsets, int length, const auto& step) {
        std::int64_t count = length;
        for (std::size_t d = 0; d < at.size(); ++d) {
            const std::int64_t room = memory.extents[d] - (origin[d] + offsets[d + 1]);
            const std::int64_t fits =
                step[d + 1] == 0 ? (room > 0 ? length : 0) : (room + step[d + 1] - 1) / step[d + 1];
            count = std::min(count, room <= 0 ? 0 : fits);
        }
        if (count > 0) {
            inside(offsets[0], base + offsets.back(), count, step.back(), step[0]);
        }
    });
}

void Block::execute(const ir::Load& op) {
    std::vector<float>& out = fresh(op.out);
    const Memory& memory = environment_.tensors[static_cast<std::size_t>(op.tensor)];
    const bool wide = environment_.program.tensors[static_cast<std::size_t>(op.tensor)].dtype == DType::f32;
    access(axes(op.out), op.tensor, op.at,
           [&](std::ptrdiff_t to, std::int64_t from, std::int64_t count, std::ptrdiff_t step, std::ptrdiff_t to_step) {
               for (std::int64_t i = 0; i < count; ++i) {
                   float value = 0;
                   if (wide) {
                       std::memcpy(&value, memory.data + 4 * (from + i * step), 4);
                   } else {
                       std::uint16_t bits = 0;
                       std::memcpy(&bits, memory.data + 2 * (from + i * step), 2);
                       value = std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16U);
                   }
                   out[static_cast<std::size_t>(to + i * to_step)] = value;
               }
           });
}

void Block::execute(const ir::Store& op) {
    const std::vector<float>& in = held(op.in);
    const Memory& memory = environment_.tensors[static_cast<std::size_t>(op.tensor)];
    const bool wide = environment_.program.tensors[static_cast<std::size_t>(op.tensor)].dtype == DType::f32;
    access(
        axes(op.in), op.tensor, op.at,
        [&](std::ptrdiff_t from, std::int64_t to, std::int64_t count, std::ptrdiff_t step, std::ptrdiff_t from_step) {
            for (std::int64_t i = 0; i < count; ++i) {
                const float value = in[static_cast<std::size_t>(from + i * from_step)];
                if (wide) {
                    std::memcpy(memory.data + 4 * (to + i * step), &value, 4);
                } else {
                    const auto bits = static_cast<std::uint16_t>(
                        std::isnan(value) ? 0x7FFFU : std::bit_cast<std::uint32_t>(value) >> 16U);
                    std::memcpy(memory.data + 2 * (to + i * step), &bits, 2);
                }
            }
        });
}

void Block::execute(const ir::SharedLoad& op) {
    tiles_[static_cast<std::size_t>(op.out)] = buffers_[static_cast<std::size_t>(op.buffer)];
}

void Block::execute(const ir::SharedStore& op) {
    buffers_[static_cast<std::size_t>(op.buffer)] = tiles_[static_cast<std::size_t>(op.in)];
}

void Block::execute(const ir::Constant& op) {
    std::vector<float>& out = fresh(op.out);
    std::fill(out.begin(), out.end(), op.value);
}

void Block::execute(const ir::Parameter& op) {
    fresh(op.out).front() = static_cast<float>(environment_.params[static_cast<std::size_t>(op.param)]);
}

void Block::execute(const ir::Map& op) {
    std::vector<float>& out = fresh(op.out);
    Walk walk(environment_.program, axes(op.out));
    walk.add_operand(axes(op.out));
    const float* data[3] = {nullptr, nullptr, nullptr};
    for (std::size_t a = 0; a < 3; ++a) {
        const ir::ValueId arg = op.args[std::min(a, op.args.size() - 1)];
        data[a] = held(arg).data();
        walk.add_operand(axes(arg));
    }
    walk.runs([&](const auto& at, int length, const auto& step) {
        for (int i = 0; i < length; ++i) {
            out[static_cast<std::size_t>(at[0] + i * step[0])] = apply(
                op.function, data[0][at[1] + i * step[1]], data[1][at[2] + i * step[2]], data[2][at[3] + i * step[3]]);
        }
    });
}

void Block::execute(const ir::Reduce& op) {
    std::vector<float>& out = fresh(op.out);
    const bool sum = op.reduction == ir::Reduction::sum;
    const float start = sum ? 0.0F : -std::numeric_limits<float>::infinity();
    std::fill(out.begin(), out.end(), start);
    Walk walk(environment_.program, outer_and(axes(op.in), op.axes));
    walk.add_operand(axes(op.in));
    walk.add_operand(axes(op.out));
    const std::vector<float>& in = held(op.in);
    walk.runs([&](const auto& at, int length, const auto& step) {
        for (int i = 0; i < length; ++i) {
            float& to = out[static_cast<std::size_t>(at[1] + i * step[1])];
            const float from = in[static_cast<std::size_t>(at[0] + i * step[0])];
            to = sum ? to + from : std::fmax(to, from);
        }
    });
}

void Block::execute(const ir::Contract& op) {
    std::vector<float>& out = fresh(op.out);
    Walk walk(environment_.program, outer_and(axes(op.out), {op.axis}));
    for (const ir::ValueId id : {op.out, op.a, op.b, op.init.value_or(op.out)}) {
        walk.add_operand(axes(id));
    }
    const std::vector<float>& a = held(op.a);
    const std::vector<float>& b = held(op.b);
    walk.runs([&](const auto& at, int length, const auto& step) {
        float sum = op.init ? held(*op.init)[static_cast<std::size_t>(at[3])] : 0.0F;
        for (int i = 0; i < length; ++i) {
            sum = std::fma(a[static_cast<std::size_t>(at[1] + i * step[1])],
                           b[static_cast<std::size_t>(at[2] + i * step[2])], sum);
        }
        out[static_cast<std::size_t>(at[0])] = sum;
    });
}

void Block::execute(const ir::Mma& op) {
    std::vector<float>& out = fresh(op.out);
    out = held(op.acc);
    std::vector<ir::AxisId> batch = axes(op.weights);
    std::erase_if(batch, [&](ir::AxisId axis) { return axis == op.chunk || axis == op.element || axis == op.m; });
    // k outermost, the tokens innermost: each product is exact in fp32, each sum rounds once.
    Walk walk(environment_.program, outer_and(batch, {op.chunk, op.element, op.m, op.n}));
    if (axes(op.acc) != axes(op.out)) {
        internal_check(false, "accumulator and result of mma differ in order");
    }
    walk.add_operand(axes(op.out));
    walk.add_operand(axes(op.weights));
    walk.add_operand(axes(op.tokens));
    const std::ptrdiff_t part_stride = [&] {
        std::ptrdiff_t stride = 1;
        for (auto axis = axes(op.out).rbegin(); *axis != op.part; ++axis) {
            stride *= extent(*axis);
        }
        return stride;
    }();
    const float* weights = held(op.weights).data();
    const float* tokens = held(op.tokens).data();
    walk.runs([&](const auto& at, int length, const auto& step) {
        const float weight = weights[at[1]];
        const float high = round_to_bf16(weight);
        const float low = round_to_bf16(weight - high);
        float* to_high = out.data() + at[0];
        float* to_low = to_high + part_stride;
        const float* from = tokens + at[2];
        for (int i = 0; i < length; ++i) {
            to_high[i * step[0]] += high * from[i * step[2]];
            to_low[i * step[0]] += low * from[i * step[2]];
        }
    });
}

void Block::execute(const ir::Barrier&) {}

void Block::copy(ir::ValueId from, ir::ValueId to) {
    if (axes(from) == axes(to)) {
        tiles_[static_cast<std::size_t>(to)] = tiles_[static_cast<std::size_t>(from)];
        return;
    }
    std::vector<float>& out = fresh(to);
    Walk walk(environment_.program, axes(to));
    walk.add_operand(axes(to));
    walk.add_operand(axes(from));
    walk.runs([&](const auto& at, int length, const auto& step) {
        for (int i = 0; i < length; ++i) {
            out[static_cast<std::size_t>(at[0] + i * step[0])] =
                held(from)[static_cast<std::size_t>(at[1] + i * step[1])];
        }
    });
}

void Block::execute(const ir::For& op) {
    const std::int64_t count =
        op.param ? static_cast<std::int64_t>(environment_.params[static_cast<std::size_t>(*op.param)]) : op.count;
    for (const ir::For::Carried& carried : op.carried) {
        copy(carried.init, carried.arg);
    }
    for (std::int64_t turn = 0; turn < count; ++turn) {
        variables_[static_cast<std::size_t>(op.var)] = turn;
        visit(op.body);
        for (const ir::For::Carried& carried : op.carried) {
            copy(carried.next, carried.arg);
        }
    }
    for (const ir::For::Carried& carried : op.carried) {
        copy(carried.arg, carried.out);
    }
}

}  // namespace tilejit::interpret
