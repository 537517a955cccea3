/// \file Programs run on the CPU: numbers in the caller's memory out, faults of synchronisation as errors. The
/// `host` target.
///
/// A kernel runs one cluster of blocks at a time. Each copy of each role of its blocks is interrupted and
/// resumed by a scheduler; asynchronous copies are under way until the scheduler lets them land. The order
/// follows from the seed. Any program can run, as the author wrote it or lowered by any number of passes:
///   as written  channels are queues: a role waits until there is a tile, or a free slot
///   lowered     channels are copies, and barriers in shared memory with phases of arrivals and bytes
///
/// What the interpreter watches over, and reports as `ProtocolError`:
///   - barriers: used before they are prepared; more arrivals than they count; arrivals, bytes or waits of
///     another phase than the one that runs; phases still open at the end; roles that wait for ever;
///   - accesses to shared memory (and to global memory, if asked for) that are not ordered: between warps, and
///     between lanes of a warp that have not met since; by layouts and real addresses, so once shared memory
///     is planned;
///   - copies by the engine of what was written without a proxy fence, into blocks that have left, out of
///     blocks that leave before the engine has read;
///   - tensors that are no weights, touched before the wait for the kernels ahead.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "generator/ir/ir.h"

namespace tilejit::interpret {

struct TensorData {
    void* data = nullptr;
    std::int64_t row_stride = 0;  ///< elements between rows (second-to-last axis)
};

struct Bindings {
    std::map<std::string, TensorData> tensors;
    std::map<std::string, double> params;
    std::int64_t batch = 0;
};

struct Options {
    /// Of the schedule. 0: each role runs as far as it can, copies land when nothing else can happen. Others
    /// switch between roles at random wherever that may matter; of these, every third lets copies land late,
    /// too.
    std::uint64_t seed = 0;
    /// Clusters that share the tiles of a persistent kernel, at most.
    std::int64_t clusters = 2;
    /// Watch over global memory, too. Slow.
    bool check_global = false;
    /// Give each cluster of a persistent kernel tiles enough to use all slots several times: a wait for a free
    /// slot is needed only then. Tiles beyond the kernel's lie outside the tensors and change nothing.
    bool use_slots_again = false;
};

/// Runs every kernel of `program` on the calling thread. Workspaces are its own. Needs every tensor and
/// parameter of the program bound; tensors are CPU memory of the program's dtypes. Arithmetic is fp32 in the
/// order the program says.
void run(const ir::Program& program, const Bindings& bindings, const Options& options = {});

/// Elements of tensors by argument, in rows without gaps.
using ExactTensors = std::map<std::string, std::vector<std::uint64_t>>;

/// Runs `program` on integers modulo 2^61 - 1 (see `Exact` in domain.h): what the tensors hold that it writes.
/// Inputs are made from their names and element numbers. Two forms of a program whose results agree compute
/// the same terms, whatever their order.
ExactTensors run_exact(const ir::Program& program, const std::map<std::string, double>& params, std::int64_t batch,
                       const Options& options = {});

}  // namespace tilejit::interpret
