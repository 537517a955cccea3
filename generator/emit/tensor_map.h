/// \file What a copy by the copy engine moves, as the engine counts.
#pragma once

#include <vector>

#include "generator/ir/ir.h"
#include "generator/launch_plan.h"

namespace tilejit::emit {

struct EngineBox {
    TensorMap map;
    std::vector<ir::Index> corner;  ///< where the box begins, per dimension of the map
};

/// The box of `tensor` at `at` whose elements, in the engine's order, fill a slot of the buffer from its
/// start. The pass that chose the engine has seen to it that there is one.
EngineBox engine_box(const ir::Program& program, const ir::Kernel& kernel, ir::BufferId buffer, ir::TensorId tensor,
                     const std::vector<ir::Span>& at);

}  // namespace tilejit::emit
