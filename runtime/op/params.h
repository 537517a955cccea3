/// \file Checks of an op's parameters.
#pragma once

#include "generator/manifest/manifest.h"
#include "tilejit/op.h"

namespace tilejit {

/// `given` completed with the manifest's defaults; f32 ones are rounded to fp32. Throws `ShapeError`
/// for a parameter that is unknown, missing, not finite, out of range, or not an integer where one is
/// asked for.
Params check_params(const manifest::Manifest& manifest, const Params& given);

}  // namespace tilejit
