// What the DSL's handles share: errors, scopes, views.
#include "generator/dsl/state.h"

#include <fmt/format.h>

#include <cstring>

namespace tilejit::dsl::detail {

ir::Location State::location(Where where) {
    // The base name only: generated text must not depend on where the sources lie.
    const char* slash = std::strrchr(where.file, '/');
    return {slash != nullptr ? slash + 1 : where.file, where.line};
}

void State::fail(Where where, const std::string& what) {
    const ir::Location at = location(where);
    throw GenerateError(fmt::format("{}:{}: {}", at.file, at.line, what));
}

ir::Kernel& State::kernel(int id, Where where) {
    if (id != kernel_id()) {
        fail(where, fmt::format("kernel '{}' was finished when '{}' was begun",
                                program.kernels[static_cast<std::size_t>(id)].name, kernel().name));
    }
    return kernel();
}

void State::append(ir::Op op, Where where) {
    if (scopes.empty()) {
        fail(where, "tile operations belong in the body of a role");
    }
    scopes.back().body->push_back({std::move(op), location(where)});
}

ir::ValueId State::add_value(DType dtype, std::vector<ir::AxisId> axes, Where where) {
    if (axes.size() > tj::Layout::kMaxPieces / 2 + 1U) {
        fail(where,
             fmt::format("a tile may have at most {} axes, came {}", tj::Layout::kMaxPieces / 2 + 1, axes.size()));
    }
    program.values.push_back({dtype, std::move(axes), std::nullopt, std::nullopt});
    return static_cast<ir::ValueId>(program.values.size() - 1);
}

std::vector<ir::Span> State::spans(const View& view, Where where) const {
    if (view.of != View::Of::tensor) {
        fail(where, "expected part of a tensor in global memory, came part of a tile in shared memory");
    }
    const ir::Tensor& tensor = program.tensors[static_cast<std::size_t>(view.id)];
    if (view.at.size() != tensor.dims.size()) {
        fail(where, fmt::format("tensor '{}' has {} dimensions, came {} indices", tensor.argument, tensor.dims.size(),
                                view.at.size()));
    }
    return spans(view.at, where);
}

std::vector<ir::Span> State::spans(const std::vector<Index>& indices, Where where) {
    std::vector<ir::Span> result;
    for (const Index& at : indices) {
        if (at.axes.size() > kMaxIndexAxes) {
            fail(where, fmt::format("an index may mention at most {} axes, came {}", kMaxIndexAxes, at.axes.size()));
        }
        result.push_back({index(at), at.axes});
    }
    return result;
}

std::vector<ir::AxisId> State::axes_of(const std::vector<ir::Span>& spans, Where where) const {
    std::vector<ir::AxisId> axes;
    for (const ir::Span& span : spans) {
        for (const auto& [axis, step] : span.axes) {
            if (has(axes, axis)) {
                fail(where, fmt::format("axis '{}' indexes two dimensions", axis_name(axis)));
            }
            axes.push_back(axis);
        }
    }
    return axes;
}

Tile State::load(const View& view, const Spread* wanted, Where where) {
    if (view.of != View::Of::tensor) {
        return load_shared(view, wanted, where);
    }
    ir::Load load{-1, view.id, spans(view, where), {}};
    load.out = add_value(program.tensors[static_cast<std::size_t>(view.id)].dtype, axes_of(load.at, where), where);
    if (wanted != nullptr) {
        spread(load.out, *wanted, where);
    }
    append(load, where);
    return tile(load.out);
}

}  // namespace tilejit::dsl::detail
