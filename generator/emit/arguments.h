/// \file The signature of a kernel: text and launch plan must agree on it.
#pragma once

#include <string>
#include <vector>

#include "generator/ir/ir.h"
#include "generator/launch_plan.h"

namespace tilejit::emit {

/// Pointers (each followed by its row stride if the kernel needs it) in order of first use, the
/// batch if the kernel needs it, parameters in the program's order, then maps for the copy engine in
/// order of first use, each distinct one once.
std::vector<KernelArg> arguments_of(const ir::Program& program, const ir::Kernel& kernel);

/// What an argument is called in the text. Several maps of one tensor are numbered.
std::string parameter_name(const std::vector<KernelArg>& args, const KernelArg& arg);

}  // namespace tilejit::emit
