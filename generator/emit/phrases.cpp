#include "generator/emit/phrases.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "generator/emit/arguments.h"

namespace tilejit::emit {
namespace {

std::string piece_text(const tj::Piece* pieces, int count) {
    std::string text;
    for (int i = 0; i < count; ++i) {
        text += fmt::format("{}{{{}, {}, {}, {}}}", i > 0 ? ", " : "", pieces[i].axis, pieces[i].extent, pieces[i].step,
                            pieces[i].stride);
    }
    return fmt::format("{{{}}}", text);
}

std::string list(const std::vector<int>& numbers) { return fmt::format("{{{}}}", fmt::join(numbers, ", ")); }

std::string at_text(const std::vector<std::string>& numbers) {
    return fmt::format("tj::At<{}>{{{{{}}}}}", numbers.size(), fmt::join(numbers, ", "));
}

/// `{stride, by_row, checked, count, {axes}, {steps}}`
std::string dim_text(std::int64_t stride, bool by_row, bool checked, const ir::Span& span) {
    std::vector<int> axes;
    std::vector<int> steps;
    for (const auto& [axis, step] : span.axes) {
        axes.push_back(axis);
        steps.push_back(step);
    }
    return fmt::format("{{{}, {}, {}, {}, {}, {}}}", stride, by_row, checked, axes.size(), list(axes), list(steps));
}

bool is_zero(const ir::Index& index) { return index.constant == 0 && index.terms.empty(); }

/// The barriers that other blocks send to.
void find_remote(const std::vector<ir::Stmt>& body, std::set<ir::SyncId>& found) {
    for (const ir::Stmt& stmt : body) {
        if (const auto* send = std::get_if<ir::SendTo>(&stmt.op)) {
            found.insert(send->sync);
        }
        if (const auto* inner = ir::body_of(stmt.op)) {
            find_remote(*inner, found);
        }
    }
}

/// The number of the first copy's named barrier: those of the roles before it take up to it. A role that
/// is the block needs none.
int first_barrier(const ir::Kernel& kernel, const ir::Role& role) {
    if (kernel.threads() == 32 * role.warps) {
        return 0;
    }
    int number = 1;
    for (const ir::Role& before : kernel.roles) {
        if (&before == &role) {
            break;
        }
        number += before.warps > 1 ? before.copies : 0;
    }
    return number;
}

}  // namespace

const char* type_text(DType dtype) { return dtype == DType::f32 ? "tj::f32" : "tj::bf16"; }

Phrases::Phrases(const ir::Program& program, const ir::Kernel& kernel, Constants& constants)
    : program_(program), kernel_(kernel), constants_(constants), args_(arguments_of(program, kernel)) {
    for (const ir::Role& role : kernel.roles) {
        find_remote(role.body, remote_);
    }
}

std::string Phrases::signature() const {
    std::vector<std::string> parts;
    for (const KernelArg& arg : args_) {
        const std::string name = parameter_name(args_, arg);
        switch (arg.kind) {
            case KernelArg::Kind::pointer:
                parts.push_back(pointer(arg.name));
                break;
            case KernelArg::Kind::row_stride:
            case KernelArg::Kind::batch:
                parts.push_back("tj::i64 " + name);
                break;
            case KernelArg::Kind::param_f32:
                parts.push_back("tj::f32 " + name);
                break;
            case KernelArg::Kind::param_i32:
                parts.push_back("tj::i32 " + name);
                break;
            case KernelArg::Kind::tensor_map:
                parts.push_back("const __grid_constant__ tj::TensorMap " + name);
                break;
        }
    }
    return fmt::format("{}", fmt::join(parts, ", "));
}

std::string Phrases::pointer(const std::string& argument) const {
    for (const ir::Tensor& candidate : program_.tensors) {
        if (candidate.argument == argument) {
            return fmt::format("{}{}* {}", candidate.kind == ir::Tensor::Kind::input ? "const " : "",
                               type_text(candidate.dtype), argument);
        }
    }
    throw InternalError("internal error: an argument without a tensor");
}

std::string Phrases::variable(ir::VarId id) const {
    return fmt::format("{}_{}", program_.variables[static_cast<std::size_t>(id)].name, id);
}

std::string Phrases::index(const ir::Index& index) const {
    std::string text;
    for (const auto& [var, coefficient] : index.terms) {
        text += fmt::format("{}{}{}", text.empty() ? "" : " + ", variable(var),
                            coefficient == 1 ? "" : fmt::format(" * {}", coefficient));
    }
    if (index.constant != 0 || text.empty()) {
        text += fmt::format("{}{}", text.empty() ? "" : " + ", index.constant);
    }
    return text;
}

std::string Phrases::extent(const Extent& extent) {
    if (extent.per <= 0) {
        return std::to_string(extent.constant);
    }
    return extent.per == 1 ? "batch" : fmt::format("(batch + {}) / {}", extent.per - 1, extent.per);
}

std::string Phrases::origin(const std::vector<ir::Span>& at) const {
    std::vector<ir::Index> origins;
    for (const ir::Span& span : at) {
        origins.push_back(span.origin);
    }
    return corner(origins);
}

std::string Phrases::corner(const std::vector<ir::Index>& at) const {
    std::vector<std::string> numbers;
    for (const ir::Index& i : at) {
        numbers.push_back(index(i));
    }
    return at_text(numbers);
}

std::string Phrases::place(ir::TensorId id, const std::vector<ir::Span>& at) const {
    const ir::Tensor& t = program_.tensors[static_cast<std::size_t>(id)];
    const bool by_row = std::any_of(t.dims.begin(), t.dims.end(), [](const ir::Dim& dim) { return dim.by_row; });
    std::vector<std::string> extents;
    for (const ir::Dim& dim : t.dims) {
        extents.push_back(dim.open ? "batch" : std::to_string(dim.extent));
    }
    return fmt::format("{}, {}, {}, {}", t.argument, by_row ? t.argument + "_row" : "0", origin(at), at_text(extents));
}

std::string Phrases::slot_place(const ir::Index& position, const std::vector<ir::Span>& at) const {
    const bool begin = std::all_of(at.begin(), at.end(), [](const ir::Span& span) { return is_zero(span.origin); });
    if (!begin) {
        return fmt::format("{}, {}", index(position), origin(at));
    }
    return is_zero(position) ? "" : index(position);
}

std::string Phrases::map(ir::TensorId id, const TensorMap& map) const {
    const std::string& argument = program_.tensors[static_cast<std::size_t>(id)].argument;
    return parameter_name(args_, {KernelArg::Kind::tensor_map, argument, map});
}

std::string Phrases::layout(ir::ValueId id) {
    const tj::Layout& l = *value(id).layout;
    const std::string role = l.first > 0 || l.copies > 1 ? fmt::format(", {}, {}", l.first, l.copies) : std::string();
    return constants_.value(
        "Layout", "tj::Layout",
        fmt::format("{{{}, {}, {}, {}, {}{}}}", l.threads, l.thread_count, piece_text(l.thread, l.thread_count),
                    l.slot_count, piece_text(l.slot, l.slot_count), role));
}

std::string Phrases::view_of(const std::vector<std::string>& dims, const std::vector<ir::AxisId>& padded) {
    std::vector<int> extents;
    for (const ir::AxisId axis : padded) {
        extents.push_back(extent(axis));
    }
    return constants_.value("View", "tj::View",
                            fmt::format("{{{}, {{{}}}, {}, {}, {}}}", dims.size(), fmt::join(dims, ", "), padded.size(),
                                        list(padded), list(extents)));
}

std::string Phrases::view(ir::TensorId id, const std::vector<ir::Span>& at, const ir::Access& access) {
    const ir::Tensor& tensor = program_.tensors[static_cast<std::size_t>(id)];
    std::vector<std::string> dims;
    for (std::size_t d = 0; d < at.size(); ++d) {
        dims.push_back(dim_text(tensor.dims[d].stride, tensor.dims[d].by_row, access.checked[d], at[d]));
    }
    return view_of(dims, access.padded);
}

std::string Phrases::slot_view(ir::BufferId id, const std::vector<ir::Span>& at, const ir::Access& access) {
    const ir::Buffer& buffer = kernel_.buffers[static_cast<std::size_t>(id)];
    std::vector<std::string> dims;
    for (std::size_t d = 0; d < at.size(); ++d) {
        dims.push_back(dim_text(buffer.strides[d], false, false, at[d]));
    }
    return view_of(dims, access.padded);
}

std::string Phrases::buffer(ir::BufferId id) {
    const ir::Buffer& b = kernel_.buffers[static_cast<std::size_t>(id)];
    return constants_.name(
        "Buffer",
        fmt::format("    using type = {};\n    static constexpr tj::Buffer value{{{}, {}, {}, {}, {}, {}, {}}};\n",
                    type_text(b.dtype), b.offset, b.slots, b.every, b.slot_bytes, b.block, b.block_stride, b.swizzled));
}

std::string Phrases::sync(ir::SyncId id) {
    const ir::Sync& s = kernel_.syncs[static_cast<std::size_t>(id)];
    return constants_.value(
        "Sync", "tj::Sync",
        fmt::format("{{{}, {}, {}, {}, {}}}", s.offset, s.slots, s.every, s.arrivals, remote_.contains(id)));
}

std::string Phrases::role(const ir::Role& role) {
    return constants_.value("Role", "tj::Role",
                            fmt::format("{{{}, {}, {}, {}}}", kernel_.first_thread(role), 32 * role.warps, role.copies,
                                        first_barrier(kernel_, role)));
}

std::string Phrases::over(const std::vector<ir::AxisId>& axes) {
    std::vector<int> extents;
    for (const ir::AxisId axis : axes) {
        extents.push_back(extent(axis));
    }
    return constants_.value("Over", "tj::Over", fmt::format("{{{}, {}, {}}}", axes.size(), list(axes), list(extents)));
}

}  // namespace tilejit::emit
