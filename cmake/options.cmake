# What every target of the project is compiled with.
if(PROJECT_IS_TOP_LEVEL)
  if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Kind of build" FORCE)
  endif()
  find_program(TILEJIT_CCACHE ccache DOC "Compiler cache, used when it is there")
  if(TILEJIT_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    set(CMAKE_CXX_COMPILER_LAUNCHER ${TILEJIT_CCACHE})
  endif()
endif()

add_library(tilejit_options INTERFACE)
target_compile_features(tilejit_options INTERFACE cxx_std_20)
target_compile_options(tilejit_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow
  # g++ 12 sees overlaps that are not there in std::string's operator+ (GCC bug 105651).
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
  $<$<BOOL:${TILEJIT_WERROR}>:-Werror>)
target_include_directories(tilejit_options INTERFACE ${PROJECT_SOURCE_DIR})
if(TILEJIT_SANITIZE)
  target_compile_options(tilejit_options INTERFACE -fsanitize=${TILEJIT_SANITIZE} -fno-omit-frame-pointer
    -fno-sanitize-recover=all)
  target_link_options(tilejit_options INTERFACE -fsanitize=${TILEJIT_SANITIZE})
  # g++ analyses the instrumented code and warns of paths that only the instrumentation adds.
  target_compile_options(tilejit_options INTERFACE
    $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
endif()
