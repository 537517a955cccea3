/// \file The one file that holds Catch2 2's own code.
#define CATCH_CONFIG_RUNNER
#include "tests/catch_session.h"

#include "tests/catch.h"

int tilejit::run_catch(int argc, char** argv) { return Catch::Session().run(argc, argv); }
