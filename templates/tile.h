/// \file Everything generated text needs. Compiled by NVRTC alone: no CUDA header is included.
#pragma once

#include "layout.h"
//
#include "types.h"
//
#include "view.h"
//
#include "shared.h"
//
#include "sync.h"
//
#include "copy.h"
#include "global.h"
#include "map.h"
#include "mma.h"
#include "parts.h"
#include "reduce.h"
#include "remote.h"
