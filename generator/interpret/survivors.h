/// \file Does the interpreter notice what a program's synchronisation lacks?
#pragma once

#include "generator/interpret/interpret.h"
#include "generator/interpret/mutate.h"

namespace tilejit::interpret {

/// All mutations of a lowered program, and which of them are noticed: as an error, or by other results.
class Mutants {
public:
    /// Runs on made-up inputs of `batch` tokens. A mutant has `schedules` chances. Throws what the program
    /// itself is guilty of under any of these schedules.
    Mutants(ir::Program program, std::int64_t batch, std::uint64_t schedules);

    const std::vector<Mutation>& all() const { return all_; }
    /// Safe to call from several threads.
    bool noticed(const Mutation& mutation) const;

private:
    ExactTensors run(const ir::Program& program, std::uint64_t seed) const;

    ir::Program program_;
    std::int64_t batch_;
    std::uint64_t schedules_;
    std::map<std::string, double> params_;
    std::vector<Mutation> all_;
    ExactTensors results_;
};

}  // namespace tilejit::interpret
