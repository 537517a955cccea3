/// \file Planning layouts: building them from an author's spread, restricting them to fewer axes,
/// comparing and printing them. The layout itself is `templates/layout.h`.
#pragma once

#include <string>
#include <vector>

#include "generator/ir/ir.h"
#include "templates/layout.h"

namespace tilejit::layout {

/// The layout that `spread` asks for, over a role of `threads`.
tj::Layout from_spread(const ir::Program& program, const std::vector<ir::AxisId>& axes, const ir::Spread& spread,
                       int threads);

/// Every thread holds the whole tile.
tj::Layout everywhere(const ir::Program& program, const std::vector<ir::AxisId>& axes, int threads);

/// What remains of `layout` for a tile that has only `axes`; threads that differed on other axes
/// hold copies.
tj::Layout restricted(const tj::Layout& layout, const std::vector<ir::AxisId>& axes);

/// `layout` with `axis` added, all of it in each thread's registers.
tj::Layout with_axis(tj::Layout layout, ir::AxisId axis, int extent);

/// The pieces of `a`, and those of `b` on axes that `a` lacks.
tj::Layout merged(tj::Layout a, const tj::Layout& b);

/// True when a tile of layout `inner` and `axes` can be an operand of an operation over `outer`:
/// each thread already holds what it needs.
bool serves(const tj::Layout& outer, const tj::Layout& inner, const std::vector<ir::AxisId>& axes);

/// True when slots in ascending order visit `axes` in ascending order, the first axis slowest.
bool ascending(const tj::Layout& layout, const std::vector<ir::AxisId>& axes);

/// True when each piece of the threads takes digits of its own of the thread's number, so that every
/// combination of their coordinates is held by a thread.
bool independent(const tj::Layout& layout);

bool has_axis(const tj::Layout& layout, ir::AxisId axis);

/// `threads(token:8x1@4 ...) slots(column:8x1 ...)`: extent x step @ stride of each piece.
std::string describe(const ir::Program& program, const tj::Layout& layout);

/// How many times as long as without bank conflicts the slowest instruction of an access to part of a slot
/// takes: the most words of one bank that threads which are served together address. These are the whole warp
/// for accesses of 4 bytes or less, a half of it for 8 and a quarter for 16.
int bank_conflicts(const ir::Program& program, const ir::Buffer& buffer, const std::vector<ir::Span>& at,
                   const ir::Value& value, int vector);

}  // namespace tilejit::layout
