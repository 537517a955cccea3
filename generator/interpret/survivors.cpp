#include "generator/interpret/survivors.h"

#include "tilejit/error.h"

namespace tilejit::interpret {

Mutants::Mutants(ir::Program program, std::int64_t batch, std::uint64_t schedules)
    : program_(std::move(program)), batch_(batch), schedules_(schedules), all_(mutations(program_)) {
    constexpr double kParameter = 3;
    for (const ir::Param& param : program_.params) {
        params_[param.name] = kParameter;
    }
    results_ = run(program_, 0);
    for (std::uint64_t seed = 1; seed < schedules_; ++seed) {
        internal_check(run(program_, seed) == results_, "results depend on the schedule");
    }
}

ExactTensors Mutants::run(const ir::Program& program, std::uint64_t seed) const {
    return run_exact(program, params_, batch_, {seed, 2, true, true});
}

bool Mutants::noticed(const Mutation& mutation) const {
    const ir::Program wrong = mutated(program_, mutation);
    for (std::uint64_t seed = 0; seed < schedules_; ++seed) {
        try {
            if (run(wrong, seed) != results_) {
                return true;
            }
        } catch (const ProtocolError&) {
            return true;
        }
    }
    return false;
}

}  // namespace tilejit::interpret
