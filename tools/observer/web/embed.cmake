# Writes a C++ source that holds the page: cmake -DOUTPUT=file.cc -DPAGE=bundle.html -P embed.cmake
file(READ ${PAGE} hex HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
string(REGEX REPLACE "((0x..,){24})" "\\1\n" bytes "${bytes}")
file(WRITE ${OUTPUT} "// Generated from bundle.html by embed.cmake.
#include \"tools/observer/web/page.h\"
namespace wb {
static constexpr unsigned char kPage[] = {\n${bytes}};
std::string_view observer_page() { return {reinterpret_cast<const char*>(kPage), sizeof kPage}; }
}  // namespace wb
")
