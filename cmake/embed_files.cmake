# Script behind tilejit_embed(): files -> one C++ source. Texts are cut into pieces because compilers
# limit the length of a string literal.
set(entries "")
foreach(file IN LISTS FILES)
  file(RELATIVE_PATH name ${ROOT} ${file})
  file(READ ${file} text)
  string(LENGTH "${text}" length)
  set(pieces "")
  set(at 0)
  while(at LESS length)
    string(SUBSTRING "${text}" ${at} 8000 piece)
    string(APPEND pieces "R\"tilejit(${piece})tilejit\"\n")
    math(EXPR at "${at} + 8000")
  endwhile()
  if(length EQUAL 0)
    set(pieces "\"\"")
  endif()
  string(APPEND entries "    {\"${name}\",\n${pieces}},\n")
endforeach()
file(WRITE ${OUT}.tmp "#include \"generator/embedded.h\"
namespace tilejit {
namespace {
const EmbeddedFile kFiles[] = {
${entries}};
}  // namespace
std::span<const EmbeddedFile> ${FUNCTION}() { return kFiles; }
}  // namespace tilejit
")
file(RENAME ${OUT}.tmp ${OUT})
