/// \file Ops run by the interpreter as the command line wants them: in another order, or with a fault.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "generator/manifest/manifest.h"
#include "tilejit/op.h"
#include "tilejit/tensor.h"

namespace tilejit::cli {

using HostTensors = std::map<std::string, Tensor>;

struct LoweredRun {
    std::string arch;                      ///< whose lowering runs
    std::uint64_t seed = 0;                ///< of the schedule
    std::optional<std::size_t> drop_sync;  ///< the synchronisation to leave out
};

/// Runs the op's kernels on CPU tensors without gaps; `params` are complete. A synchronisation that is left
/// out is printed to standard error. Throws `UsageError` saying how many there are, `ProtocolError`.
HostTensors run_lowered(const manifest::Manifest& manifest, const Params& params, const HostTensors& inputs,
                        const LoweredRun& options);

}  // namespace tilejit::cli
