/// \file The generator's front door: manifest and shape in, CUDA source out. Pure: no environment,
/// no locale, no clock, no device.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "generator/ir/ir.h"
#include "generator/launch_plan.h"
#include "generator/manifest/manifest.h"

namespace tilejit {

/// Named integers: dimensions, plan or schedule values.
using manifest::Values;

/// The batches one kernel serves, both ends included.
struct BatchRange {
    static constexpr std::int64_t kNoLimit = INT64_MAX;
    std::int64_t low = 1;
    std::int64_t high = kNoLimit;
    bool operator==(const BatchRange&) const = default;
};

/// How tensors may be accessed. `aligned`: every base address is a multiple of 16 bytes, and every row
/// stride is a multiple of the largest power of two, at most 16 bytes, that divides a row's bytes; so
/// tensors without gaps need only an aligned address. `element`: aligned to the element only.
enum class Access { aligned, element };

/// Everything a kernel is compiled with. Immutable and printable: the next stage needs nothing else.
struct Specialization {
    std::string op;
    std::string kernel;  ///< name of the DSL kernel
    std::string arch;    ///< lowering target: `sm_80`, `sm_90a`, ...
    Values dims;         ///< all dims but the open one; the open one too when it is baked in
    Dtypes dtypes;       ///< what each dtype variable stands for
    BatchRange batch;
    Access access = Access::aligned;
    Values plan;                           ///< the numeric plan: decides bits
    Values schedule;                       ///< everything else that was chosen
    std::map<std::string, double> params;  ///< parameters that are bound at compile time
    bool operator==(const Specialization&) const = default;
};

/// What `specialize` may be told. Unset members are chosen by the manifest.
struct SpecializeRequest {
    Values dims;    ///< must hold every dim, the open one included
    Dtypes dtypes;  ///< must hold every dtype variable
    std::string arch;
    Access access = Access::aligned;
    bool exact_batch = false;              ///< bake the batch in instead of serving its range
    std::optional<std::string> kernel;     ///< force one of the manifest's candidates
    Values schedule;                       ///< overrides, checked against the schedule space
    std::map<std::string, double> params;  ///< compile-bound parameters
};

/// Chooses kernel, range, plan and schedule by the manifest's rules.
/// Throws `ShapeError` for dims that break a rule, `OpNotAvailable` when no candidate fits.
Specialization specialize(const manifest::Manifest& manifest, const SpecializeRequest& request);

/// Runs the DSL kernel: the program before any pass.
ir::Program build_program(const Specialization& specialization);

/// All passes; what `emit` and the interpreter take.
ir::Program lower(const Specialization& specialization);

/// A generated program: CUDA text that needs no header, and how to launch it.
struct Source {
    std::string text;
    LaunchPlan plan;
};

/// Same specialisation, same bytes, on every machine and in every locale.
Source generate(const Specialization& specialization);

/// Stable JSON text of a specialisation: the generator's part of every key.
std::string canonical_text(const Specialization& specialization);

/// Digest (32 hex digits) of the generator's and the templates' source text, taken at build time.
std::string generator_digest();

}  // namespace tilejit
