/// \file Catch2's front door, for the mains of the test programs.
#pragma once

namespace tilejit {

/// Runs the tests that are linked in, as the command line says; returns the exit code.
int run_catch(int argc, char** argv);

}  // namespace tilejit
