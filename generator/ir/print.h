/// \file Programs as stable text, for people and for tests.
#pragma once

#include <string>

#include "generator/ir/ir.h"

namespace tilejit::ir {

std::string to_text(const Program& program);
std::string to_text(const Program& program, const Index& index);

/// The number exactly, in hexadecimal (`0x1.8p+0`, `-inf`), whatever the locale.
std::string hex_text(float number);

}  // namespace tilejit::ir
