/// \file The parts of `parse_manifest`, in the order they run: each fills its members of the manifest
/// and may rely on those before it.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "generator/manifest/json_view.h"
#include "generator/manifest/manifest.h"
#include "generator/manifest/solve.h"

namespace tilejit::manifest {

/// Dims, dtypes, params, `let`, inputs, outputs and rules.
void parse_signature(const JsonView& view, Manifest& manifest);
/// The dtype variables; the caller claims their names.
void parse_dtypes(const JsonView& view, Manifest& manifest);
TensorDtype parse_tensor_dtype(const JsonView& view, const Manifest& manifest);
std::int64_t parse_alignment(const JsonView& view, const TensorDtype& dtype, const Manifest& manifest);
/// Every variable can be solved from the required inputs.
void check_dtypes_are_given(const JsonView& dtypes, const Manifest& manifest);
void parse_specialize(const JsonView& view, Manifest& manifest);
/// The open dimension is the outermost axis of a tensor or none of its axes.
void check_open_dim(const JsonView& signature, const Manifest& manifest);
void parse_kernels(const JsonView& view, Manifest& manifest);
void parse_tolerance(const JsonView& view, Manifest& manifest);
void parse_roofline(const JsonView& view, Manifest& manifest);
/// Also proves on each workload that the dims follow from the inputs' shapes, that aliases have equal
/// shapes and that the roofline can be evaluated.
void parse_workloads(const JsonView& view, const JsonView& root, Manifest& manifest);

/// The names of all dims and `let` entries.
std::set<std::string> shape_names(const Manifest& manifest);
/// The names of the sizes of dtype variables.
std::set<std::string> size_names(const Manifest& manifest);

/// Advice about names that a user may expect to be legal, by name.
using Hints = std::map<std::string, std::string>;

/// Reads an expression and checks that it uses no other names than `legal`.
Expression expression_over(const JsonView& view, const std::set<std::string>& legal, const Hints& hints = {});

/// `an integer from 0 to 9`, `a finite fp32 number`
std::string legal_values(const Param& param);

}  // namespace tilejit::manifest
