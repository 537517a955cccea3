/// \file The main of every test program but gpu/'s.
#include "tests/catch_session.h"

int main(int argc, char** argv) { return tilejit::run_catch(argc, argv); }
