#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <cstring>
#include <map>
#include <set>

#include "generator/emit/arguments.h"
#include "generator/emit/emit.h"
#include "generator/ir/print.h"

namespace tilejit::emit {
namespace {

std::string float_text(float value) {
    if (!std::isfinite(value)) {
        std::uint32_t bits = 0;
        std::memcpy(&bits, &value, sizeof(bits));
        return fmt::format("__uint_as_float({:#010x}U)", bits);
    }
    return ir::hex_text(value) + "F";
}

const char* type_text(DType dtype) { return dtype == DType::f32 ? "tj::f32" : "tj::bf16"; }

std::string piece_text(const tj::Piece* pieces, int count) {
    std::string text;
    for (int i = 0; i < count; ++i) {
        text += fmt::format("{}{{{}, {}, {}, {}}}", i > 0 ? ", " : "", pieces[i].axis, pieces[i].extent, pieces[i].step,
                            pieces[i].stride);
    }
    return fmt::format("{{{}}}", text);
}

std::string list(const std::vector<int>& numbers) { return fmt::format("{{{}}}", fmt::join(numbers, ", ")); }

/// Compile-time constants of the text, each distinct one written once and named by its kind.
class Constants {
public:
    std::string name(const char* prefix, const char* type, const std::string& value) {
        const std::string body = fmt::format("static constexpr {} value{};", type, value);
        for (const auto& [known_name, known_body] : entries_) {
            if (known_body == body) {
                return known_name;
            }
        }
        std::string fresh = fmt::format("{}{}", prefix, ++count_[prefix[0]]);
        entries_.emplace_back(fresh, body);
        return fresh;
    }

    std::string text() const {
        std::string result;
        for (const auto& [name, body] : entries_) {
            result += fmt::format("struct {} {{\n    {}\n}};\n", name, body);
        }
        return result;
    }

private:
    std::vector<std::pair<std::string, std::string>> entries_;
    std::map<char, int> count_;
};

class KernelText {
public:
    KernelText(const ir::Program& program, const ir::Kernel& kernel, Constants& constants)
        : program_(program), kernel_(kernel), constants_(constants) {}

    std::string run() {
        line(fmt::format("extern \"C\" __global__ void __launch_bounds__({}, {}) {}({}) {{", kernel_.threads(),
                         kernel_.min_blocks, kernel_.name, signature()));
        ++indent_;
        for (std::size_t i = 0; i < kernel_.grid.size(); ++i) {
            line(fmt::format("const tj::i64 {} = tj::block<{}>();", variable(kernel_.grid[i]), i));
        }
        for (const ir::Role& role : kernel_.roles) {
            line(fmt::format("// role {}: {} warps", role.name, role.warps));
            find_needed_tiles(role.body);
            block(role.body);
        }
        --indent_;
        line("}");
        return std::move(text_);
    }

private:
    void line(const std::string& text) {
        text_ += std::string(4 * static_cast<std::size_t>(indent_), ' ') + text + "\n";
    }

    const ir::Value& value(ir::ValueId id) const { return program_.values[static_cast<std::size_t>(id)]; }
    const ir::Tensor& tensor(ir::TensorId id) const { return program_.tensors[static_cast<std::size_t>(id)]; }
    int extent(ir::AxisId id) const { return program_.axes[static_cast<std::size_t>(id)].extent; }
    std::string variable(ir::VarId id) const {
        return fmt::format("{}_{}", program_.variables[static_cast<std::size_t>(id)].name, id);
    }

    std::string signature() const {
        std::vector<std::string> parts;
        for (const KernelArg& arg : arguments_of(program_, kernel_)) {
            switch (arg.kind) {
                case KernelArg::Kind::pointer:
                    parts.push_back(pointer(arg.name));
                    break;
                case KernelArg::Kind::row_stride:
                    parts.push_back(fmt::format("tj::i64 {}_row", arg.name));
                    break;
                case KernelArg::Kind::batch:
                    parts.emplace_back("tj::i64 batch");
                    break;
                case KernelArg::Kind::param_f32:
                    parts.push_back(fmt::format("tj::f32 {}", arg.name));
                    break;
                case KernelArg::Kind::param_i32:
                    parts.push_back(fmt::format("tj::i32 {}", arg.name));
                    break;
            }
        }
        return fmt::format("{}", fmt::join(parts, ", "));
    }

    std::string pointer(const std::string& argument) const {
        for (const ir::Tensor& candidate : program_.tensors) {
            if (candidate.argument == argument) {
                return fmt::format("{}{}* {}", candidate.kind == ir::Tensor::Kind::input ? "const " : "",
                                   type_text(candidate.dtype), argument);
            }
        }
        throw InternalError("internal error: an argument without a tensor");
    }

    // `layout`, `view` and `buffer` number constants in the order of their calls: one call a statement,
    // for C++ leaves the order of arguments open.
    std::string layout(ir::ValueId id) {
        const tj::Layout& l = *value(id).layout;
        return constants_.name(
            "Layout", "tj::Layout",
            fmt::format("{{{}, {}, {}, {}, {}}}", l.threads, l.thread_count, piece_text(l.thread, l.thread_count),
                        l.slot_count, piece_text(l.slot, l.slot_count)));
    }

    std::string view(ir::TensorId id, const std::vector<ir::Span>& at, const ir::Access& access) {
        std::vector<std::string> dims;
        for (std::size_t d = 0; d < at.size(); ++d) {
            const ir::Dim& dim = tensor(id).dims[d];
            std::vector<int> axes;
            std::vector<int> steps;
            for (const auto& [axis, step] : at[d].axes) {
                axes.push_back(axis);
                steps.push_back(step);
            }
            dims.push_back(fmt::format("{{{}, {}, {}, {}, {}, {}}}", dim.stride, dim.by_row, bool{access.checked[d]},
                                       axes.size(), list(axes), list(steps)));
        }
        std::vector<int> extents;
        for (const ir::AxisId axis : access.padded) {
            extents.push_back(extent(axis));
        }
        return constants_.name("View", "tj::View",
                               fmt::format("{{{}, {{{}}}, {}, {}, {}}}", at.size(), fmt::join(dims, ", "),
                                           access.padded.size(), list(access.padded), list(extents)));
    }

    std::string buffer(ir::BufferId id) {
        const ir::Buffer& b = kernel_.buffers[static_cast<std::size_t>(id)];
        std::vector<int> extents;
        for (const ir::AxisId axis : b.axes) {
            extents.push_back(extent(axis));
        }
        return constants_.name("Buffer", "tj::SharedTile",
                               fmt::format("{{{}, {}, {}, {}, {}}}", b.offset, b.axes.size(), list(b.axes),
                                           list(extents), list(b.strides)));
    }

    /// `x, x_row, {origin}, {extent}`
    std::string place(ir::TensorId id, const std::vector<ir::Span>& at) const {
        const ir::Tensor& t = tensor(id);
        bool by_row = false;
        std::vector<std::string> origin;
        std::vector<std::string> extents;
        for (std::size_t d = 0; d < at.size(); ++d) {
            by_row = by_row || t.dims[d].by_row;
            origin.push_back(index(at[d].origin));
            extents.push_back(t.dims[d].open ? "batch" : std::to_string(t.dims[d].extent));
        }
        const std::string dims = fmt::format("tj::At<{}>", at.size());
        return fmt::format("{}, {}, {}{{{{{}}}}}, {}{{{{{}}}}}", t.argument, by_row ? t.argument + "_row" : "0", dims,
                           fmt::join(origin, ", "), dims, fmt::join(extents, ", "));
    }

    std::string index(const ir::Index& i) const {
        std::string text;
        for (const auto& [var, coefficient] : i.terms) {
            text += fmt::format("{}{}{}", text.empty() ? "" : " + ", variable(var),
                                coefficient == 1 ? "" : fmt::format(" * {}", coefficient));
        }
        if (i.constant != 0 || text.empty()) {
            text += fmt::format("{}{}", text.empty() ? "" : " + ", i.constant);
        }
        return text;
    }

    void block(const std::vector<ir::Stmt>& body) {
        for (const ir::Stmt& stmt : body) {
            print(stmt);
        }
    }

    void print(const ir::Stmt& stmt) {
        const std::string where = fmt::format("  // {}:{}", stmt.at.file, stmt.at.line);
        const auto define = [&](ir::ValueId out, const std::string& call) {
            line(fmt::format("const auto v{} = {};", out, call) + where);
        };
        std::visit(ir::Overload{
                       [&](const ir::Load& op) {
                           const std::string held = layout(op.out);
                           define(op.out,
                                  fmt::format("tj::load<{}, {}, {}>({})", held, view(op.tensor, op.at, op.access),
                                              op.access.vector, place(op.tensor, op.at)));
                       },
                       [&](const ir::Store& op) {
                           line(fmt::format("tj::store<{}, {}>({}, v{});", view(op.tensor, op.at, op.access),
                                            op.access.vector, place(op.tensor, op.at), op.in) +
                                where);
                       },
                       [&](const ir::SharedLoad& op) {
                           const std::string held = layout(op.out);
                           define(op.out, fmt::format("tj::read<{}, {}, {}>()", type_text(value(op.out).dtype), held,
                                                      buffer(op.buffer)));
                       },
                       [&](const ir::SharedStore& op) {
                           line(fmt::format("tj::share<{}>(v{});", buffer(op.buffer), op.in) + where);
                       },
                       [&](const ir::Constant& op) { number(op.out, float_text(op.value), where); },
                       [&](const ir::Parameter& op) {
                           number(op.out, program_.params[static_cast<std::size_t>(op.param)].name, where);
                       },
                       [&](const ir::Map& op) {
                           std::vector<std::string> args;
                           for (const ir::ValueId arg : op.args) {
                               args.push_back(operand(arg));
                           }
                           define(op.out, fmt::format("tj::map<tj::fn::{}, {}>({})", ir::name_of(op.function),
                                                      layout(op.out), fmt::join(args, ", ")));
                       },
                       [&](const ir::Reduce& op) { reduce(op, where); },
                       [&](const ir::Contract& op) { contract(op, where); },
                       [&](const ir::Mma& op) {
                           define(op.out, fmt::format("tj::mma<{}, {}>(v{}, v{}, v{})", extent(op.m) / 8,
                                                      extent(op.n) / 8, op.weights, op.tokens, op.acc));
                       },
                       [&](const ir::Barrier&) { line("tj::barrier();" + where); },
                       [&](const ir::For& op) { loop(op, where); },
                   },
                   stmt.op);
    }

    /// Numbers are written where element-wise operations use them; other operations need a tile.
    void number(ir::ValueId id, const std::string& text, const std::string& where) {
        numbers_[id] = text;
        if (needs_tile_.contains(id)) {
            line(fmt::format("const auto v{} = tj::fill<{}>({});", id, layout(id), text) + where);
        }
    }

    std::string operand(ir::ValueId id) const {
        const auto known = numbers_.find(id);
        return known != numbers_.end() ? known->second : fmt::format("v{}", id);
    }

    void find_needed_tiles(const std::vector<ir::Stmt>& body) {
        for (const ir::Stmt& stmt : body) {
            if (const auto* contract = std::get_if<ir::Contract>(&stmt.op)) {
                needs_tile_.insert({contract->a, contract->b});
            } else if (!std::holds_alternative<ir::Map>(stmt.op)) {
                for (const ir::ValueId id : ir::inputs_of(stmt.op)) {
                    needs_tile_.insert(id);
                }
            }
            if (const auto* loop = std::get_if<ir::For>(&stmt.op)) {
                for (const ir::For::Carried& carried : loop->carried) {
                    needs_tile_.insert(carried.next);
                }
                find_needed_tiles(loop->body);
            }
        }
    }

    void reduce(const ir::Reduce& op, const std::string& where) {
        std::vector<int> extents;
        for (const ir::AxisId axis : op.axes) {
            extents.push_back(extent(axis));
        }
        const std::string over = constants_.name(
            "Over", "tj::Over", fmt::format("{{{}, {}, {}}}", op.axes.size(), list(op.axes), list(extents)));
        line(fmt::format("const auto v{} = tj::reduce<tj::fn::{}, {}, {}>(v{});", op.out,
                         op.reduction == ir::Reduction::sum ? "sum" : "largest", layout(op.out), over, op.in) +
             where);
    }

    void contract(const ir::Contract& op, const std::string& where) {
        const std::string init = op.init ? operand(*op.init) : float_text(0.0F);
        line(fmt::format("const auto v{} = tj::contract<{}, {}, {}>(v{}, v{}, {});", op.out, layout(op.out), op.axis,
                         extent(op.axis), op.a, op.b, init) +
             where);
    }

    void loop(const ir::For& op, const std::string& where) {
        for (const ir::For::Carried& carried : op.carried) {
            line(fmt::format("auto v{} = v{};", carried.out, carried.init));
        }
        const std::string count =
            op.param ? program_.params[static_cast<std::size_t>(*op.param)].name : std::to_string(op.count);
        line("#pragma unroll 1");
        line(fmt::format("for (int {0} = 0; {0} < {1}; ++{0}) {{", variable(op.var), count) + where);
        ++indent_;
        for (const ir::For::Carried& carried : op.carried) {
            line(fmt::format("const auto& v{} = v{};", carried.arg, carried.out));
        }
        block(op.body);
        for (const ir::For::Carried& carried : op.carried) {
            line(fmt::format("v{} = v{};", carried.out, carried.next));
        }
        --indent_;
        line("}");
    }

    const ir::Program& program_;
    const ir::Kernel& kernel_;
    Constants& constants_;
    std::map<ir::ValueId, std::string> numbers_;
    std::set<ir::ValueId> needs_tile_;
    std::string text_;
    int indent_ = 0;
};

}  // namespace

std::string cuda_text(const ir::Program& lowered) {
    Constants constants;
    std::string kernels;
    for (const ir::Kernel& kernel : lowered.kernels) {
        kernels += "\n" + KernelText(lowered, kernel, constants).run();
    }
    std::string text = fmt::format("// {} for {}\n#include \"tile.h\"\n\n// Axes:", lowered.name, lowered.arch);
    for (std::size_t i = 0; i < lowered.axes.size(); ++i) {
        text += fmt::format("{} {} {} ({})", i > 0 ? "," : "", i, lowered.axes[i].name, lowered.axes[i].extent);
    }
    return text + "\n\n" + constants.text() + kernels;
}

}  // namespace tilejit::emit
