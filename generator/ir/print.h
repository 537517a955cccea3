/// \file Programs as stable text, for people and for tests.
#pragma once

#include <string>

#include "generator/ir/ir.h"

namespace tilejit::ir {

std::string to_text(const Program& program);
std::string to_text(const Program& program, const Index& index);

}  // namespace tilejit::ir
