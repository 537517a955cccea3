/// \file Everything generated text needs. Compiled by NVRTC alone: no CUDA header is included.
#pragma once

#include "layout.h"
//
#include "types.h"
//
#include "map.h"
#include "memory.h"
#include "mma.h"
#include "reduce.h"
