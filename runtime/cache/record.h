/// \file What is stored beside a cubin: enough to check it, to launch it and to say where it came
/// from, without generating or compiling.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "generator/launch_plan.h"
#include "runtime/cache/keys.h"
#include "runtime/compile/compile.h"

namespace tilejit {

/// A compiled kernel program, as caches and bundles hold it.
struct KernelRecord {
    SpecKeyParts parts;
    std::string op;
    std::string arch;
    std::string spec_key;
    std::string build_key;
    std::string source_digest;
    std::string nvrtc_version;
    std::string cubin_digest;
    LaunchPlan plan;
    std::vector<KernelResources> resources;
    bool operator==(const KernelRecord&) const = default;
};

void to_json(nlohmann::json& json, const KernelRecord& record);
/// Throws `FileError` when the JSON is not a record of this schema.
void from_json(const nlohmann::json& json, KernelRecord& record);

/// A record with its binary.
struct KernelBinary {
    KernelRecord record;
    std::string image;   ///< the cubin
    std::string source;  ///< the CUDA text; empty when it came from the cache
};

/// Reads a record's JSON text and checks that `record.spec_key` follows from its parts. Throws
/// `FileError`.
KernelRecord parse_record(const std::string& text);

}  // namespace tilejit
