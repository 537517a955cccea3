# What every target of the project is compiled with.
add_library(tilejit_options INTERFACE)
target_compile_features(tilejit_options INTERFACE cxx_std_20)
target_compile_options(tilejit_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow
  $<$<BOOL:${TILEJIT_WERROR}>:-Werror>)
target_include_directories(tilejit_options INTERFACE ${PROJECT_SOURCE_DIR})
if(TILEJIT_SANITIZE)
  target_compile_options(tilejit_options INTERFACE -fsanitize=${TILEJIT_SANITIZE} -fno-omit-frame-pointer
    -fno-sanitize-recover=all)
  target_link_options(tilejit_options INTERFACE -fsanitize=${TILEJIT_SANITIZE})
endif()
