/// \file Keys of compiled kernels: pure functions of what was asked for. Nothing here knows a path,
/// an environment or a device, so caches and bundles can move between machines.
///
/// A key is the XXH3 128-bit hash, in 32 hex digits, of its parts, each written as
/// `<name>:<length in bytes>:<text>\n`, so that no two lists of parts have the same bytes. Raise
/// `kKeySchema` whenever the parts, their order or their meaning change.
#pragma once

#include <string>
#include <string_view>

namespace tilejit {

inline constexpr int kKeySchema = 1;

/// What decides a kernel before any generation.
struct SpecKeyParts {
    std::string manifest_digest;   ///< of the manifest's JSON text
    std::string generator_digest;  ///< of the generator's and the templates' source
    std::string specialization;    ///< `canonical_text(Specialization)`
    std::string options;           ///< NVRTC's options, joined by spaces
    bool operator==(const SpecKeyParts&) const = default;
};

/// 32 hex digits of the XXH3 128-bit hash of `bytes`.
std::string digest(std::string_view bytes);

/// The key that lookups use.
std::string spec_key(const SpecKeyParts& parts);

/// The key of one compilation: also covers the generated text and the compiler with its build.
std::string build_key(const std::string& spec_key, const std::string& source_digest, const std::string& nvrtc_version);

}  // namespace tilejit
