// before:  x1 = load x[..] spread(token, column)      h2 = load h[..]        y3 = mul(x1, h2)
// after:   x1 : token, column on threads              h2 : what x1's layout leaves for h2's axes
//          y3 : as x1
//
// Spreads and atoms are the seeds. Layouts move forward from operands to results, and backward to
// tiles whose author gave none, until nothing changes. Nothing is converted: verify_layouts reports
// an operand that ended up elsewhere than it is needed.
#include <fmt/format.h>

#include <algorithm>

#include "generator/layout/layout.h"
#include "generator/pass/pass.h"

namespace tilejit::pass {
namespace {

using Axes = std::vector<ir::AxisId>;

Axes without(Axes axes, const Axes& removed) {
    std::erase_if(axes,
                  [&](ir::AxisId axis) { return std::find(removed.begin(), removed.end(), axis) != removed.end(); });
    return axes;
}

class Assigner {
public:
    Assigner(ir::Program& program, const ir::Kernel& kernel, const ir::Role& role)
        : program_(program), role_(role), threads_(32 * role.warps), first_thread_(kernel.first_thread(role)) {}

    void run() {
        seed(role_.body);
        settle();
        give_scalars_everywhere(role_.body);
        settle();
        backward_ = true;
        settle();
        number_threads(role_.body);
    }

private:
    ir::Value& value(ir::ValueId id) { return program_.values[static_cast<std::size_t>(id)]; }
    bool known(ir::ValueId id) { return value(id).layout.has_value(); }
    const tj::Layout& layout(ir::ValueId id) { return *value(id).layout; }
    int extent(ir::AxisId axis) const { return program_.axes[static_cast<std::size_t>(axis)].extent; }

    void give(ir::ValueId id, const tj::Layout& layout) {
        if (!known(id)) {
            value(id).layout = layout;
            changed_ = true;
        }
    }

    void settle() {
        do {
            changed_ = false;
            visit(role_.body);
        } while (changed_);
    }

    void seed(const std::vector<ir::Stmt>& body) {
        for (const ir::Stmt& stmt : body) {
            for (const ir::ValueId id : ir::outputs_of(stmt.op)) {
                if (value(id).spread) {
                    give(id, layout::from_spread(program_, value(id).axes, *value(id).spread, threads_));
                }
            }
            if (const auto* inner = ir::body_of(stmt.op)) {
                seed(*inner);
            }
        }
    }

    void give_scalars_everywhere(const std::vector<ir::Stmt>& body) {
        for (const ir::Stmt& stmt : body) {
            for (const ir::ValueId id : ir::outputs_of(stmt.op)) {
                if (value(id).axes.empty()) {
                    give(id, layout::everywhere(program_, {}, threads_));
                }
            }
            if (const auto* inner = ir::body_of(stmt.op)) {
                give_scalars_everywhere(*inner);
            }
        }
    }

    void visit(const std::vector<ir::Stmt>& body) {
        for (const ir::Stmt& stmt : body) {
            std::visit(ir::Overload{
                           [](const ir::OneOf<ir::Load, ir::SharedLoad, ir::Constant, ir::Parameter> auto&) {},
                           [](const ir::OneOf<ir::Store, ir::SharedStore, ir::SendTo> auto&) {},
                           [this](const ir::Map& op) { map(op); },
                           [this](const ir::Reduce& op) { reduce(op); },
                           [this](const ir::Contract& op) { contract(op); },
                           [this](const ir::Split& op) { along(op.in, op.out, op.part); },
                           [this](const ir::Select& op) { along(op.out, op.in, op.axis); },
                           [](const ir::Mma&) {},
                           [](const ir::ChannelUse auto&) {},
                           [](const ir::Synchronisation auto&) {},
                           [](const ir::EngineCopy auto&) {},
                           [this](const ir::For& op) { loop(op); },
                           [this](const ir::TileLoop& op) { visit(op.body); },
                       },
                       stmt.op);
        }
    }

    /// Layouts speak of threads of the role; here is where those are in the block.
    void number_threads(const std::vector<ir::Stmt>& body) {
        const auto number = [&](ir::ValueId id) {
            if (known(id)) {
                value(id).layout->first = first_thread_;
                value(id).layout->copies = role_.copies;
            }
        };
        for (const ir::Stmt& stmt : body) {
            for (const ir::ValueId id : ir::outputs_of(stmt.op)) {
                number(id);
            }
            if (const auto* loop = std::get_if<ir::For>(&stmt.op)) {
                for (const ir::For::Carried& carried : loop->carried) {
                    number(carried.arg);
                }
            }
            if (const auto* inner = ir::body_of(stmt.op)) {
                number_threads(*inner);
            }
        }
    }

    void map(const ir::Map& op) {
        if (!known(op.out)) {
            bool all = true;
            std::optional<tj::Layout> whole;
            for (const ir::ValueId arg : op.args) {
                all = all && known(arg);
                if (known(arg) && value(arg).axes.size() == value(op.out).axes.size()) {
                    whole = whole ? whole : layout(arg);
                }
            }
            if (!whole && all) {
                whole = layout(op.args.front());
                for (const ir::ValueId arg : op.args) {
                    whole = layout::merged(*whole, layout(arg));
                }
            }
            if (whole) {
                give(op.out, *whole);
            }
        }
        if (known(op.out)) {
            for (const ir::ValueId arg : op.args) {
                give(arg, layout::restricted(layout(op.out), value(arg).axes));
            }
        }
    }

    void reduce(const ir::Reduce& op) {
        if (known(op.in)) {
            give(op.out, layout::restricted(layout(op.in), without(value(op.in).axes, op.axes)));
        } else if (backward_ && known(op.out)) {
            // Nothing else says how the operand is held: each thread adds up what it needs.
            tj::Layout in = layout(op.out);
            for (auto axis = op.axes.rbegin(); axis != op.axes.rend(); ++axis) {
                in = layout::with_axis(in, *axis, extent(*axis));
            }
            give(op.in, in);
        }
    }

    void contract(const ir::Contract& op) {
        if (!known(op.a) && !known(op.b)) {
            return;
        }
        tj::Layout whole = known(op.a) ? layout(op.a) : layout(op.b);
        if (known(op.a) && known(op.b)) {
            whole = layout::merged(layout(op.b).thread_count > whole.thread_count ? layout(op.b) : whole,
                                   layout(op.b).thread_count > whole.thread_count ? layout(op.a) : layout(op.b));
        }
        for (const ir::ValueId operand : {op.a, op.b}) {
            for (const ir::AxisId axis : value(operand).axes) {
                if (!layout::has_axis(whole, axis)) {
                    whole = layout::with_axis(whole, axis, extent(axis));
                }
            }
        }
        give(op.a, layout::restricted(whole, value(op.a).axes));
        give(op.b, layout::restricted(whole, value(op.b).axes));
        give(op.out, layout::restricted(whole, value(op.out).axes));
        if (op.init) {
            give(*op.init, layout(op.out));
        }
    }

    /// `wide` is as `narrow`, with all of `axis` in each thread's registers.
    void along(ir::ValueId narrow, ir::ValueId wide, ir::AxisId axis) {
        if (known(wide)) {
            give(narrow, layout::restricted(layout(wide), value(narrow).axes));
        } else if (known(narrow)) {
            give(wide, layout::with_axis(layout(narrow), axis, extent(axis)));
        }
    }

    void loop(const ir::For& op) {
        for (const ir::For::Carried& carried : op.carried) {
            for (const ir::ValueId from : {carried.init, carried.arg, carried.next, carried.out}) {
                if (known(from)) {
                    for (const ir::ValueId to : {carried.init, carried.arg, carried.next, carried.out}) {
                        give(to, layout(from));
                    }
                    break;
                }
            }
        }
        visit(op.body);
    }

    ir::Program& program_;
    const ir::Role& role_;
    int threads_;
    int first_thread_;
    bool backward_ = false;  ///< through reductions too
    bool changed_ = false;
};

}  // namespace

void assign_layouts(ir::Program& program) {
    for (const ir::Kernel& kernel : program.kernels) {
        for (const ir::Role& role : kernel.roles) {
            Assigner(program, kernel, role).run();
        }
    }
}

}  // namespace tilejit::pass
