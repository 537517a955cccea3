/// \file The `host` target: a lowered program run on CPU tensors by the interpreter.
#pragma once

#include <span>

#include "generator/ir/ir.h"
#include "runtime/op/validate.h"
#include "tilejit/op.h"

namespace tilejit {

/// Runs `program` on the calling thread. Tensors have their memory.
void run_on_host(const ir::Program& program, std::span<const CheckedTensor> tensors, const Params& params,
                 std::int64_t batch);

}  // namespace tilejit
