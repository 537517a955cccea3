/// \file Where the elements of shared tiles are, and which threads hold the elements of tiles in registers.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "generator/ir/ir.h"

namespace tilejit::interpret {

/// Shared memory is tracked in pieces of so many bytes: the smallest element.
inline constexpr std::int64_t kGranule = 2;

/// Where a buffer's slots and their elements are.
struct Placement {
    std::int64_t offset = 0;       ///< bytes
    std::int64_t slot_bytes = 0;   ///< from one slot to the next
    std::vector<int> granules;     ///< of a slot's elements, row-major, from the slot's start
    int granules_each = 1;         ///< of an element
    std::vector<int> index_steps;  ///< elements, row-major, between neighbours on each axis
    std::int64_t bytes() const { return static_cast<std::int64_t>(granules.size()) * granules_each * kGranule; }
    std::size_t first_granule(int slot) const {
        return static_cast<std::size_t>((offset + slot * slot_bytes) / kGranule);
    }
};

/// Where all buffers of a kernel are. Before `plan-shared` they lie dense, one after the other.
struct SharedPlan {
    SharedPlan(const ir::Program& program, const ir::Kernel& kernel);
    std::vector<Placement> buffers;
    std::size_t granules = 0;  ///< of the block
    bool placed = true;        ///< by `plan-shared`
};

/// One element of a tile in one warp's registers.
struct Holder {
    static constexpr int kSeveral = -1;
    std::uint32_t element = 0;
    std::int16_t warp = 0;
    std::int16_t lane = 0;  ///< or `kSeveral`
};

/// Which threads hold a tile's elements: all that do (they read), and one for each element (it writes).
struct Holders {
    std::vector<Holder> readers;
    std::vector<Holder> writers;
};
Holders holders_of(const ir::Program& program, const ir::Value& value);

/// For each element of a tile over `axes`, row-major: its element of the shared tile, relative to that of
/// the tile's first.
std::vector<std::uint32_t> shared_elements(const ir::Program& program, const std::vector<ir::AxisId>& axes,
                                           const Placement& placement, const std::vector<ir::Span>& at);

}  // namespace tilejit::interpret
