/// \file How a ring's slots lie in shared memory, and whether the copy engine can move them.
#pragma once

#include "generator/ir/ir.h"

namespace tilejit::pass {

/// Rows of the last axis that are multiples of 128 bytes are cut into blocks of that length, one below the
/// other, and swizzled: the copy engine can write it so, and eight neighbours of a column or of a row are
/// in different banks. Other rows follow each other without gaps.
void place_ring(const ir::Program& program, ir::Buffer& buffer);

/// True when the copy engine can move part of a tensor to or from a slot: the target has one, addresses and
/// strides are multiples of 16 bytes, and the part is a box of at most 256 a side, its innermost side the
/// ring's last axis.
bool engine_serves(const ir::Program& program, const ir::Buffer& buffer, ir::TensorId id,
                   const std::vector<ir::Span>& at);

/// What the threads of a role do instead: loads from the tensor and stores to the slot, or the other way,
/// in a loop over leading axes so that few elements are in registers at a time.
std::vector<ir::Op> plain_fill(ir::Program& program, const ir::Kernel& kernel, const ir::Role& role,
                               const ir::Fill& fill, const ir::Location& at);
std::vector<ir::Op> plain_drain(ir::Program& program, const ir::Kernel& kernel, const ir::Role& role,
                                const ir::Drain& drain, const ir::Location& at);

}  // namespace tilejit::pass
