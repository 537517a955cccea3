/// \file What the mutants are made of: small shapes that make each kernel use all that it can.
#pragma once

#include <string>
#include <vector>

#include "generator/generate.h"

namespace tilejit::mutants {

struct Case {
    std::string op;
    std::string kernel;
    std::string arch;
    Values dims;  ///< the batch included
    Access access = Access::aligned;
    Values schedule = {};

    /// "mhc_pre_fwd_two_pass sm_80 batch=5 c_x=40 n=9"
    std::string name() const;
    ir::Program program() const;
};

/// Of every kernel that is registered. Throws `InternalError` naming one that no case is for.
std::vector<Case> cases();

}  // namespace tilejit::mutants
