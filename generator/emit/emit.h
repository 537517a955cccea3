/// \file A lowered program as CUDA text, and how to launch it.
#pragma once

#include <string>

#include "generator/ir/ir.h"
#include "generator/launch_plan.h"

namespace tilejit::emit {

/// One template call an operation, commented with the DSL line it came from. Depends on nothing but
/// the program.
std::string cuda_text(const ir::Program& lowered);

LaunchPlan launch_plan(const ir::Program& lowered);

}  // namespace tilejit::emit
