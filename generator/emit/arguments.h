/// \file The signature of a kernel: text and launch plan must agree on it.
#pragma once

#include <vector>

#include "generator/ir/ir.h"
#include "generator/launch_plan.h"

namespace tilejit::emit {

/// Pointers (each followed by its row stride if the kernel needs it) in order of first use, the
/// batch if the kernel needs it, then parameters in the program's order.
std::vector<KernelArg> arguments_of(const ir::Program& program, const ir::Kernel& kernel);

}  // namespace tilejit::emit
