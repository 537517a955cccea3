#include "generator/generate.h"

#include <fmt/format.h>
#include <xxhash.h>

#include "generator/embedded.h"
#include "generator/emit/emit.h"
#include "generator/kernels/registry.h"
#include "generator/pass/pass.h"

namespace tilejit {

ir::Program build_program(const Specialization& specialization) {
    return kernels::find_kernel(specialization.kernel)(specialization);
}

ir::Program lower(const Specialization& specialization) { return pass::run_all(build_program(specialization)); }

Source generate(const Specialization& specialization) {
    const ir::Program lowered = lower(specialization);
    return {emit::cuda_text(lowered), emit::launch_plan(lowered)};
}

std::string generator_digest() {
    XXH3_state_t* state = XXH3_createState();
    internal_check(state != nullptr, "no memory for a hash state");
    XXH3_128bits_reset(state);
    for (const EmbeddedFile& file : generator_sources()) {
        // Lengths keep neighbouring texts apart.
        const std::string head = fmt::format("{} {} {}\n", file.name, file.name.size(), file.text.size());
        XXH3_128bits_update(state, head.data(), head.size());
        XXH3_128bits_update(state, file.text.data(), file.text.size());
    }
    const XXH128_hash_t hash = XXH3_128bits_digest(state);
    XXH3_freeState(state);
    return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

}  // namespace tilejit
