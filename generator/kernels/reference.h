/// \file The fp64 reference of an op: what its outputs are before they are rounded.
///
/// References are plain loops over doubles, written from the formulas in the op's manifest and
/// independent of every kernel. NaN and Inf propagate as in IEEE arithmetic.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace tilejit::kernels {

/// A row-major tensor in fp64.
struct ReferenceTensor {
    std::vector<std::int64_t> shape;
    std::vector<double> values;
};

struct ReferenceOutput {
    ReferenceTensor want;
    std::vector<double> magnitude;  ///< per element: the sum of the |terms| that were added up
};

using ReferenceInputs = std::map<std::string, ReferenceTensor>;
using ReferenceParams = std::map<std::string, double>;
using ReferenceOutputs = std::map<std::string, ReferenceOutput>;

/// Inputs and outputs by their manifest names. Parameters are what the kernels are given: f32 ones are
/// rounded to f32 by the reference itself. Throws `ShapeError` when an input or parameter is missing
/// or the shapes contradict each other.
using Reference = std::function<ReferenceOutputs(const ReferenceInputs&, const ReferenceParams&)>;

/// The op's reference. Throws `OpNotAvailable`, naming the ops that have one. The reference stays valid
/// for the life of the program. Thread-safe.
const Reference& find_reference(const std::string& op);

/// Adds the reference of an op. Throws `ShapeError` when the op has one already. Thread-safe.
void register_reference(const std::string& op, Reference reference);

/// `MHCPreFwdOp` (arXiv:2512.24880, with the initial normalisation by row maximum).
ReferenceOutputs mhc_pre_fwd_reference(const ReferenceInputs& inputs, const ReferenceParams& params);
/// `MHCPostFwdOp`.
ReferenceOutputs mhc_post_fwd_reference(const ReferenceInputs& inputs, const ReferenceParams& params);

/// The named entry; `ShapeError` naming `op` when it is missing.
const ReferenceTensor& reference_input(const ReferenceInputs& inputs, const std::string& op, const std::string& name);
/// The named parameter rounded to f32, as kernels see it; `ShapeError` naming `op` when it is missing.
double reference_param(const ReferenceParams& params, const std::string& op, const std::string& name);

}  // namespace tilejit::kernels
