# The README's embedding is examples/embed/main.cpp, byte for byte, so what it shows compiles.
file(READ ${SOURCE}/README.md readme)
file(READ ${SOURCE}/examples/embed/main.cpp example)
string(FIND "${readme}" "```cpp\n${example}```\n" at)
if(at EQUAL -1)
  message(FATAL_ERROR "README.md does not show examples/embed/main.cpp as it is: copy the file into its ```cpp block")
endif()
