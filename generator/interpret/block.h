/// \file One thread block of one kernel, interpreted.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "generator/interpret/interpret.h"
#include "generator/interpret/tile.h"

namespace tilejit::interpret {

/// Where a tensor of the program lies.
struct Memory {
    unsigned char* data = nullptr;
    std::vector<std::int64_t> extents;
    std::vector<std::int64_t> strides;  ///< elements
};

/// What all blocks share.
struct Environment {
    const ir::Program& program;
    std::vector<Memory> tensors;  ///< by tensor id
    std::vector<double> params;   ///< by parameter id
};

/// Runs the roles of a block one after the other.
class Block {
public:
    Block(const Environment& environment, const ir::Kernel& kernel);
    /// `coordinates` are those of the kernel's grid variables.
    void run(const std::vector<std::int64_t>& coordinates);

private:
    void visit(const std::vector<ir::Stmt>& body);
    void execute(const ir::Load& op);
    void execute(const ir::Store& op);
    void execute(const ir::SharedLoad& op);
    void execute(const ir::SharedStore& op);
    void execute(const ir::Constant& op);
    void execute(const ir::Parameter& op);
    void execute(const ir::Map& op);
    void execute(const ir::Reduce& op);
    void execute(const ir::Contract& op);
    void execute(const ir::Mma& op);
    void execute(const ir::Barrier& op);
    void execute(const ir::For& op);

    /// Calls `inside(tile offset, address, length, address step)` for the parts of runs that lie in the
    /// tensor.
    template <class Inside>
    void access(const std::vector<ir::AxisId>& axes, ir::TensorId tensor, const std::vector<ir::Span>& at,
                Inside&& inside);

    /// Carried tiles may list their axes in another order.
    void copy(ir::ValueId from, ir::ValueId to);
    std::vector<float>& fresh(ir::ValueId id);
    const std::vector<float>& held(ir::ValueId id) const { return tiles_[static_cast<std::size_t>(id)].elements; }
    const std::vector<ir::AxisId>& axes(ir::ValueId id) const {
        return environment_.program.values[static_cast<std::size_t>(id)].axes;
    }
    int extent(ir::AxisId axis) const { return environment_.program.axes[static_cast<std::size_t>(axis)].extent; }
    std::int64_t evaluate(const ir::Index& index) const;

    const Environment& environment_;
    const ir::Kernel& kernel_;
    std::vector<std::int64_t> variables_;
    std::vector<Tile> tiles_;
    std::vector<Tile> buffers_;
};

}  // namespace tilejit::interpret
