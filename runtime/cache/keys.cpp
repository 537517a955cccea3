#include "runtime/cache/keys.h"

#include <fmt/format.h>
#include <xxhash.h>

namespace tilejit {

namespace {

void add(std::string& text, std::string_view name, std::string_view value) {
    text += fmt::format("{}:{}:{}\n", name, value.size(), value);
}

}  // namespace

std::string digest(std::string_view bytes) {
    const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
    return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

std::string spec_key(const SpecKeyParts& parts) {
    std::string text;
    add(text, "schema", std::to_string(kKeySchema));
    add(text, "manifest", parts.manifest_digest);
    add(text, "generator", parts.generator_digest);
    add(text, "specialization", parts.specialization);
    add(text, "options", parts.options);
    return digest(text);
}

std::string build_key(const std::string& spec_key, const std::string& source_digest, const std::string& nvrtc_version) {
    std::string text;
    add(text, "spec", spec_key);
    add(text, "source", source_digest);
    add(text, "nvrtc", nvrtc_version);
    return digest(text);
}

}  // namespace tilejit
