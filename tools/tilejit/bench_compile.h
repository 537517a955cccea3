/// \file `bench --compile`: what the kernels of some shapes cost to generate and to compile.
#pragma once

#include <vector>

#include "generator/generate.h"

namespace tilejit::cli {

/// Generates and compiles each distinct specialisation once, past every cache, prints the times and
/// returns the exit code. Needs NVRTC and no GPU.
int bench_compile(const manifest::Manifest& manifest, const std::vector<SpecializeRequest>& requests, bool as_json);

}  // namespace tilejit::cli
