/// \file What passes that replace statements share.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "generator/ir/ir.h"

namespace tilejit::pass {

/// What stands for a statement; nothing to keep it.
using Replacement = std::optional<std::vector<ir::Op>>;

/// Replaces statements of a body, those in its loops too. What comes in is where the statement was.
void rewrite(std::vector<ir::Stmt>& body, const std::function<Replacement(const ir::Stmt&)>& replacement);

/// The number of a new barrier.
ir::SyncId add_sync(ir::Kernel& kernel, const std::string& name, int slots, int every, int arrivals);

/// Elements of a tile with these axes.
std::int64_t elements_of(const ir::Program& program, const std::vector<ir::AxisId>& axes);

/// Strides of a tile without gaps, the last axis fastest.
std::vector<int> dense_strides(const ir::Program& program, const std::vector<ir::AxisId>& axes);

}  // namespace tilejit::pass
