/// \file The passes, in the order in which `lower` runs them. Each takes a program that verifies and
/// leaves one that verifies.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "generator/ir/ir.h"

namespace tilejit::pass {

/// Replaces exchanges between blocks by stores to their memory and waits for what arrives.
void lower_collectives(ir::Program& program);

/// Replaces rings by copies, and the arrivals and waits that keep filling and reading apart.
void lower_rings(ir::Program& program);

/// Lets kernels with weights begin early, up to where they need what ran before them.
void insert_dependency_waits(ir::Program& program);

/// Gives the operands and results of tensor-core products the layouts of the instruction.
void choose_atoms(ir::Program& program);

/// Gives every value its layout: from the author's spreads, forward through operations, and
/// backward to tiles that no spread was given for.
void assign_layouts(ir::Program& program);

/// Chooses the width of each access to global memory and the edges that need predicates.
void vectorise(ir::Program& program);

/// Puts a barrier between conflicting accesses of a role to shared memory.
void insert_barriers(ir::Program& program);

/// Chooses strides without bank conflicts and places the shared tiles.
void plan_shared(ir::Program& program);

/// The names of the passes, in order.
const std::vector<std::string>& names();

/// All of them, with verification after each; stops after the pass named, if one is.
/// Throws `GenerateError` for an unknown name.
ir::Program run_all(ir::Program program, std::string_view stop_after = {});

}  // namespace tilejit::pass
