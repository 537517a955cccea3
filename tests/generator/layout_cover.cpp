/// Every tile of every lowered program, thread by thread and slot by slot: nothing is missing, and one
/// thread owns each element.
#include <set>
#include <sstream>

#include "generator/layout/layout.h"
#include "tests/generator/program_support.h"

namespace tilejit::test {
namespace {

/// The coordinate by taking a number apart digit by digit. Slot pieces must be a mixed radix, the
/// first fastest; thread pieces may leave gaps.
int slot_coord_by_digits(const tj::Layout& layout, ir::AxisId axis, int number) {
    int coord = 0;
    for (int i = 0; i < layout.slot_count; ++i) {
        coord += layout.slot[i].axis == axis ? number % layout.slot[i].extent * layout.slot[i].step : 0;
        number /= layout.slot[i].extent;
    }
    return coord;
}

class Cover {
public:
    Cover(const tj::Layout& layout, const std::vector<int>& axes, const std::vector<int>& extents)
        : layout_(layout), axes_(axes), extents_(extents) {
        std::size_t size = 1;
        for (const int extent : extents) {
            size *= static_cast<std::size_t>(extent);
        }
        holders_.assign(size, 0);
        owners_.assign(size, 0);
    }

    /// Empty, or the first fault.
    std::string fault() {
        bool copies = false;
        for (int thread = 0; thread < layout_.threads; ++thread) {
            copies = copies || !layout_.owner(thread);
            for (int slot = 0; slot < layout_.slots(); ++slot) {
                visit(thread, slot);
            }
        }
        if (copies != layout_.replicated()) {
            return "replicated() does not tell whether there are copies";
        }
        for (std::size_t i = 0; i < holders_.size(); ++i) {
            if (owners_[i] != 1) {
                return fmt::format("element {} has {} owners and {} holders", i, owners_[i], holders_[i]);
            }
        }
        return fault_;
    }

private:
    void visit(int thread, int slot) {
        std::size_t index = 0;
        bool inside = true;
        for (std::size_t a = 0; a < axes_.size(); ++a) {
            const int coord = layout_.coord(axes_[a], thread, slot);
            const int by_digits =
                layout_.thread_coord(axes_[a], thread) + slot_coord_by_digits(layout_, axes_[a], slot);
            if (coord != by_digits || coord < 0 || coord >= layout_.covered(axes_[a])) {
                fault_ = fmt::format("thread {} slot {}: coordinate {} of axis {}, by digits {}, covered {}", thread,
                                     slot, coord, axes_[a], by_digits, layout_.covered(axes_[a]));
            }
            inside = inside && coord < extents_[a];
            index = index * static_cast<std::size_t>(extents_[a]) + static_cast<std::size_t>(coord);
        }
        if (inside) {
            ++holders_[index];
            owners_[index] += layout_.owner(thread) ? 1 : 0;
        }
    }

    const tj::Layout& layout_;
    const std::vector<int>& axes_;
    const std::vector<int>& extents_;
    std::vector<int> holders_;
    std::vector<int> owners_;
    std::string fault_;
};

std::string key_of(const tj::Layout& layout, const std::vector<int>& extents) {
    std::ostringstream key;
    key << layout.threads;
    for (int i = 0; i < layout.thread_count; ++i) {
        const tj::Piece& p = layout.thread[i];
        key << " t" << p.axis << ',' << p.extent << ',' << p.step << ',' << p.stride;
    }
    for (int i = 0; i < layout.slot_count; ++i) {
        const tj::Piece& p = layout.slot[i];
        key << " s" << p.axis << ',' << p.extent << ',' << p.step << ',' << p.stride;
    }
    for (const int extent : extents) {
        key << ' ' << extent;
    }
    return key.str();
}

TEST_CASE("one thread and slot owns each element of every tile of the mHC kernels") {
    std::set<std::string> seen;
    for_all_specializations([&](const Specialization& spec) {
        const ir::Program program = lower(spec);
        for (const ir::Value& value : program.values) {
            REQUIRE(value.layout);
            std::vector<int> extents;
            for (const ir::AxisId axis : value.axes) {
                extents.push_back(extent_of(program, axis));
            }
            // Axis numbers enter the key through the pieces.
            if (seen.insert(key_of(*value.layout, extents)).second) {
                const std::string fault = Cover(*value.layout, value.axes, extents).fault();
                INFO(canonical_text(spec) << "\n" << layout::describe(program, *value.layout));
                REQUIRE(fault == "");
            }
        }
    });
    CHECK(seen.size() > 100);
}

TEST_CASE("the check of owners sees faults") {
    const std::vector<int> axes{0};
    const tj::Layout good{32, 1, {{0, 32, 1, 1}}, 1, {{0, 2, 32, 1}}};
    CHECK(Cover(good, axes, {64}).fault() == "");
    const tj::Layout short_of_one = {32, 1, {{0, 32, 1, 1}}, 0, {}};
    CHECK(Cover(short_of_one, axes, {33}).fault() == "element 32 has 0 owners and 0 holders");
    const tj::Layout overlapping = {32, 1, {{0, 32, 1, 1}}, 1, {{0, 2, 16, 1}}};
    CHECK(Cover(overlapping, axes, {48}).fault() == "element 16 has 2 owners and 2 holders");
    const tj::Layout copies = {64, 1, {{0, 32, 1, 1}}, 0, {}};
    CHECK(Cover(copies, axes, {32}).fault() == "");
    const tj::Layout not_radix = {32, 1, {{0, 32, 1, 1}}, 1, {{0, 2, 32, 2}}};
    CHECK(Cover(not_radix, axes, {64}).fault() != "");
}

}  // namespace
}  // namespace tilejit::test
