/// \file Catch2, whichever major version the distribution has.
#pragma once

#if TILEJIT_CATCH_VERSION == 2
#include <catch2/catch.hpp>
#else
#include <catch2/catch_all.hpp>
#endif
