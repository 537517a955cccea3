/// What device templates do with layouts, done on the CPU for every operation of every lowered
/// program: an operand's matching slot holds the coordinates that are asked of it, and a reduction adds
/// each element once, in the order promised.
#include <array>
#include <set>

#include "generator/layout/layout.h"
#include "tests/generator/program_support.h"

namespace tilejit::test {
namespace {

using Axes = std::vector<ir::AxisId>;

/// Empty, or the first slot of `outer` whose match in `inner` lies elsewhere on `axes`.
std::string match_fault(const tj::Layout& outer, const tj::Layout& inner, const Axes& axes) {
    for (int slot = 0; slot < outer.slots(); ++slot) {
        const int match = matching_slot(outer, inner, slot);
        if (match < 0 || match >= inner.slots()) {
            return fmt::format("slot {} matches slot {} of {}", slot, match, inner.slots());
        }
        for (int thread = 0; thread < outer.threads; ++thread) {
            for (const ir::AxisId axis : axes) {
                if (outer.coord(axis, thread, slot) != inner.coord(axis, thread, match)) {
                    return fmt::format("thread {} slot {} axis {}: {} is asked for, {} is held", thread, slot, axis,
                                       outer.coord(axis, thread, slot), inner.coord(axis, thread, match));
                }
            }
        }
    }
    return "";
}

class Reduction {
public:
    Reduction(const ir::Program& program, const ir::Reduce& op)
        : program_(program),
          op_(op),
          in_(*value_of(program, op.in).layout),
          out_(*value_of(program, op.out).layout),
          rest_(value_of(program, op.out).axes) {}

    std::string fault() const {
        for (int thread = 0; thread < out_.threads; ++thread) {
            for (int slot = 0; slot < out_.slots(); ++slot) {
                if (const std::string text = one(thread, slot); !text.empty()) {
                    return fmt::format("thread {} slot {}: {}", thread, slot, text);
                }
            }
        }
        return "";
    }

private:
    /// The reduced coordinates that one lane adds into a slot, in its order.
    std::vector<std::vector<int>> added(int thread, int out_slot) const {
        std::vector<std::vector<int>> result;
        for (int slot = 0; slot < in_.slots(); ++slot) {
            if (matching_slot(in_, out_, slot) != out_slot) {
                continue;
            }
            std::vector<int> coords;
            bool counts = true;
            for (const ir::AxisId axis : op_.axes) {
                coords.push_back(in_.coord(axis, thread, slot));
                counts = counts && coords.back() < extent_of(program_, axis);
            }
            if (counts) {
                result.push_back(coords);
            }
        }
        return result;
    }

    std::string one(int thread, int slot) const {
        int mask = 0;
        for (int i = 0; i < in_.thread_count; ++i) {
            if (std::find(op_.axes.begin(), op_.axes.end(), in_.thread[i].axis) != op_.axes.end()) {
                mask |= (in_.thread[i].extent - 1) * in_.thread[i].stride;
            }
        }
        std::set<std::vector<int>> seen;
        std::size_t expected = 1;
        for (const ir::AxisId axis : op_.axes) {
            expected *= static_cast<std::size_t>(extent_of(program_, axis));
        }
        for (int lane = 0; lane < 32; ++lane) {
            if ((lane & ~mask) != 0) {
                continue;
            }
            const int other = thread ^ lane;
            for (const ir::AxisId axis : rest_) {
                if (out_.coord(axis, other, slot) != out_.coord(axis, thread, slot)) {
                    return fmt::format("lane {} holds another element of axis {}", other % 32, axis);
                }
            }
            const auto terms = added(other, slot);
            if (!std::is_sorted(terms.begin(), terms.end())) {
                return "terms are not added in ascending order";
            }
            for (const auto& term : terms) {
                if (!seen.insert(term).second) {
                    return "a term is added twice";
                }
            }
        }
        return seen.size() == expected ? "" : fmt::format("{} of {} terms are added", seen.size(), expected);
    }

    const ir::Program& program_;
    const ir::Reduce& op_;
    const tj::Layout& in_;
    const tj::Layout& out_;
    Axes rest_;
};

/// Checks the operations of programs, each distinct situation once.
class Operations {
public:
    void visit(const ir::Program& program) {
        for_all_statements(program, [&](const ir::Stmt& stmt) {
            INFO(stmt.at.file << ":" << stmt.at.line);
            if (const auto* map = std::get_if<ir::Map>(&stmt.op)) {
                for (const ir::ValueId arg : map->args) {
                    match(*value_of(program, map->out).layout, value_of(program, arg));
                }
            } else if (const auto* contract = std::get_if<ir::Contract>(&stmt.op)) {
                visit(program, *contract);
            } else if (const auto* reduce = std::get_if<ir::Reduce>(&stmt.op)) {
                // Dispatching on bytes is enough: equal layouts of equal extents behave equally.
                if (fresh(*value_of(program, reduce->in).layout, *value_of(program, reduce->out).layout,
                          extents(program, *reduce))) {
                    REQUIRE(Reduction(program, *reduce).fault() == "");
                }
            } else if (const auto* loop = std::get_if<ir::For>(&stmt.op)) {
                for (const ir::For::Carried& carried : loop->carried) {
                    const tj::Layout& held = *value_of(program, carried.arg).layout;
                    REQUIRE(*value_of(program, carried.init).layout == held);
                    REQUIRE(*value_of(program, carried.next).layout == held);
                    REQUIRE(*value_of(program, carried.out).layout == held);
                }
            }
        });
    }

    std::size_t distinct() const { return seen_.size(); }

private:
    static std::vector<int> extents(const ir::Program& program, const ir::Reduce& op) {
        std::vector<int> result;
        for (const ir::AxisId axis : op.axes) {
            result.insert(result.end(), {axis, extent_of(program, axis)});
        }
        return result;
    }

    void visit(const ir::Program& program, const ir::Contract& op) {
        // The template counts the terms in a digit above the result's slots.
        tj::Layout outer = *value_of(program, op.out).layout;
        REQUIRE(outer.slot_count < tj::Layout::kMaxPieces);
        outer.slot[outer.slot_count] = {op.axis, extent_of(program, op.axis), 1, outer.slots()};
        ++outer.slot_count;
        match(outer, value_of(program, op.a));
        match(outer, value_of(program, op.b));
        if (op.init) {
            match(*value_of(program, op.out).layout, value_of(program, *op.init));
        }
    }

    void match(const tj::Layout& outer, const ir::Value& inner) {
        if (fresh(outer, *inner.layout, inner.axes)) {
            REQUIRE(match_fault(outer, *inner.layout, inner.axes) == "");
        }
    }

    bool fresh(const tj::Layout& outer, const tj::Layout& inner, const std::vector<int>& more) {
        std::vector<int> key;
        for (const tj::Layout* layout : {&outer, &inner}) {
            key.insert(key.end(), {layout->threads, layout->thread_count, layout->slot_count});
            for (int i = 0; i < layout->thread_count; ++i) {
                const tj::Piece& p = layout->thread[i];
                key.insert(key.end(), {p.axis, p.extent, p.step, p.stride});
            }
            for (int i = 0; i < layout->slot_count; ++i) {
                const tj::Piece& p = layout->slot[i];
                key.insert(key.end(), {p.axis, p.extent, p.step, p.stride});
            }
        }
        key.insert(key.end(), more.begin(), more.end());
        return seen_.insert(key).second;
    }

    std::set<std::vector<int>> seen_;
};

TEST_CASE("every operand of the mHC kernels is held where its operation needs it") {
    Operations operations;
    for_all_specializations([&](const Specialization& spec) {
        INFO(canonical_text(spec));
        operations.visit(lower(spec));
    });
    CHECK(operations.distinct() > 100);
}

TEST_CASE("the check of matching slots sees faults") {
    const tj::Layout outer{32, 1, {{0, 32, 1, 1}}, 1, {{1, 4, 1, 1}}};
    CHECK(match_fault(outer, outer, {0, 1}) == "");
    const tj::Layout other_step{32, 1, {{0, 32, 1, 1}}, 1, {{1, 4, 2, 1}}};
    CHECK(match_fault(outer, other_step, {0, 1}) != "");
    const tj::Layout other_threads{32, 1, {{0, 16, 1, 1}}, 1, {{1, 4, 1, 1}}};
    CHECK(match_fault(outer, other_threads, {0, 1}) == "thread 16 slot 0 axis 0: 16 is asked for, 0 is held");
    CHECK(match_fault(outer, other_threads, {1}) == "");
}

}  // namespace
}  // namespace tilejit::test
