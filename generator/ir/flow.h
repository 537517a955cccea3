/// \file What must happen before what, among the uses of a kernel's channels.
///
/// The graph is over one turn of the loop over tiles, inner loops written out. An edge from u to v of d
/// turns says: u of turn t happens before v of turn t + d. Edges are the order within a role; its next
/// turn; fill or send before acquire; reads before an update, an update before reads of it; and the last
/// release of a slot before its next fill, which is as many positions later as the ring has stages.
/// Exchanges have no such edge: that a slot of one is free when it is sent to must follow from the rest.
#pragma once

#include "generator/ir/ir.h"

namespace tilejit::ir {

/// Throws `GenerateError` when roles of a kernel would wait for each other for ever: a cycle of edges
/// without a turn between. For channels as written.
void verify_flow(const Program& program);

/// The fewest slots with which no block sends to a slot of an exchange that is not yet free: of a
/// reduce_scatter those of one owner, of an all_gather those of each block. Throws `GenerateError` when no
/// number is safe. For channels as written.
int least_slots(const Kernel& kernel, ChannelId exchange);

}  // namespace tilejit::ir
