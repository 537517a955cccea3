/// \file Checks that a program is well formed. Faults that an author can cause throw
/// `GenerateError` with the DSL's file and line.
#pragma once

#include "generator/ir/ir.h"

namespace tilejit::ir {

/// Before and after every pass: ids are in range, values are defined once and before their use and
/// belong to one role, loops carry what they say, indices mention variables that are in scope.
void verify(const Program& program);

/// Part of `verify`, while channels are as written: each has one role that fills it or sends through it
/// and roles that use what it holds as often, each where its kind allows.
void verify_channels(const Kernel& kernel);

/// After layouts are assigned: every value has a layout that covers its tile, and every operation's
/// operands are held where it needs them; a mismatch prints both layouts.
void verify_layouts(const Program& program);

/// After barriers are inserted: no tile of shared memory is read or overwritten without a barrier
/// after the write or read before it, around loop back edges too.
void verify_barriers(const Program& program);

}  // namespace tilejit::ir
