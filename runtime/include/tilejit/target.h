/// \file Targets: which set of kernels serves an op.
///
/// A target is a name:
///   - an architecture (`sm_80 sm_86 sm_89 sm_90a sm_100a sm_103a sm_120a`): its kernels, and only on
///     devices of that architecture;
///   - `BUILTIN`: the in-tree kernels of the tensors' device, whatever its architecture;
///   - `host`: the interpreter, for tensors in CPU memory, on the program lowered for sm_80;
///     `host:sm_90a` runs another architecture's program;
///   - empty: the default target if one is set, else by the tensors' memory: `host` for the CPU,
///     `BUILTIN` for a GPU.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tilejit {

/// Forces the in-tree set of kernels.
inline constexpr std::string_view kBuiltin = "BUILTIN";

/// Every target name that can be given: the architectures, `BUILTIN`, `host` and `host:<arch>`.
std::vector<std::string> list_targets();

/// The target of ops that name none and have not been called yet. An empty name restores detection.
/// Thread-safe. Throws `UnknownTarget`, listing the known names.
void set_default_target(std::string_view name);

/// The name given to `set_default_target`, or an empty one.
std::string default_target();

}  // namespace tilejit
