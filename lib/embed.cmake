# Writes a C++ source that holds compiled modules: cmake -DOUTPUT=file.cc -DBEAMS=a.beam,b.beam -P embed.cmake
string(REPLACE "," ";" BEAMS "${BEAMS}")
set(arrays "")
set(rows "")
foreach(beam ${BEAMS})
  get_filename_component(module ${beam} NAME_WE)
  file(READ ${beam} hex HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
  string(REGEX REPLACE "((0x..,){24})" "\\1\n" bytes "${bytes}")
  string(APPEND arrays "static constexpr uint8_t ${module}[] = {\n${bytes}};\n")
  string(APPEND rows "  if (module == \"${module}\") return ${module};\n")
endforeach()
file(WRITE ${OUTPUT} "// Generated from lib/*.erl by lib/embed.cmake.
#include \"loader/embedded_modules.h\"
namespace wb {
${arrays}std::span<const uint8_t> embedded_module(std::string_view module) {
${rows}  return {};
}
}  // namespace wb
")
