# tilejit_embed(OUT <cpp> FUNCTION <name> ROOT <dir> FILES <file>...)
#
# Writes a C++ file that defines `std::span<const tilejit::EmbeddedFile> tilejit::<name>()`: the
# files' texts under their paths relative to ROOT, sorted. Re-made when a file changes.
function(tilejit_embed)
  cmake_parse_arguments(ARG "" "OUT;FUNCTION;ROOT" "FILES" ${ARGN})
  list(SORT ARG_FILES)
  add_custom_command(
    OUTPUT ${ARG_OUT}
    COMMAND ${CMAKE_COMMAND} "-DOUT=${ARG_OUT}" "-DFUNCTION=${ARG_FUNCTION}" "-DROOT=${ARG_ROOT}"
            "-DFILES=${ARG_FILES}" -P ${PROJECT_SOURCE_DIR}/cmake/embed_files.cmake
    DEPENDS ${ARG_FILES} ${PROJECT_SOURCE_DIR}/cmake/embed_files.cmake
    COMMENT "Embedding ${ARG_FUNCTION}"
    VERBATIM)
endfunction()
