/// \file The tiles that a role holds in registers, and arithmetic on them.
#pragma once

#include <vector>

#include "generator/interpret/domain.h"

namespace tilejit::interpret {

/// Whole tiles, row-major over their axes; bf16 elements are held exactly as floats.
template <class Domain>
class Tiles {
public:
    using Element = typename Domain::Element;
    using Tile = std::vector<Element>;

    Tiles(const ir::Program& program, const std::vector<double>& params)
        : program_(program), params_(params), tiles_(program.values.size()) {}

    /// The tile of a value, zeroed.
    Tile& fresh(ir::ValueId id);
    const Tile& held(ir::ValueId id) const { return tiles_[static_cast<std::size_t>(id)]; }
    const std::vector<ir::AxisId>& axes(ir::ValueId id) const {
        return program_.values[static_cast<std::size_t>(id)].axes;
    }
    /// Carried tiles may list their axes in another order.
    void copy(ir::ValueId from, ir::ValueId to);

    void run(const ir::Constant& op);
    void run(const ir::Parameter& op);
    void run(const ir::Map& op);
    void run(const ir::Reduce& op);
    void run(const ir::Contract& op);
    void run(const ir::Split& op);
    void run(const ir::Mma& op);
    /// `index` is what `op.at` is now.
    void run(const ir::Select& op, std::int64_t index);

private:
    const ir::Program& program_;
    const std::vector<double>& params_;
    std::vector<Tile> tiles_;
};

}  // namespace tilejit::interpret
