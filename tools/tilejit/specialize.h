/// \file From flags to a specialisation: what `gen`, `explain` and `aot` share.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "generator/generate.h"
#include "tools/tilejit/arguments.h"

namespace tilejit::cli {

/// `--target`, `--specialize`, `--access` and `--param`.
class SpecializeFlags {
public:
    void add(CLI::App& app);

    const std::string& target() const { return target_; }
    /// The request for one shape. `target` names an architecture or `host`. Throws `UsageError`,
    /// `UnknownTarget`.
    SpecializeRequest request(const manifest::Manifest& manifest, const manifest::Values& dims, const Dtypes& dtypes,
                              const std::string& target) const;

private:
    std::string target_;
    std::vector<std::string> specialize_;
    std::string access_ = "aligned";
    std::vector<std::string> params_;
};

/// The architecture that kernels for `target` are lowered for. Throws `UsageError` for an empty target
/// and for `BUILTIN`, which depend on a device.
std::string lowering_of(const std::string& target);

/// The specialisation as JSON: what `canonical_text` says, parsed.
nlohmann::json to_json(const Specialization& specialization);

}  // namespace tilejit::cli
