/// \file The DSL kernels by name. A manifest's kernel entry names one.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "generator/generate.h"

namespace tilejit::kernels {

/// Writes the program of a specialisation in the DSL.
using KernelFunction = std::function<ir::Program(const Specialization&)>;

/// Throws `GenerateError` naming the kernels that exist.
const KernelFunction& find_kernel(const std::string& name);

/// Adds a kernel of the embedding program. Throws `GenerateError` when the name is taken. Thread-safe.
void register_kernel(const std::string& name, KernelFunction function);

std::vector<std::string> kernel_names();

// The in-tree kernels.
ir::Program mhc_pre_fwd_single_pass(const Specialization& spec);
ir::Program mhc_pre_fwd_two_pass(const Specialization& spec);
ir::Program mhc_post_fwd_streaming(const Specialization& spec);

}  // namespace tilejit::kernels
