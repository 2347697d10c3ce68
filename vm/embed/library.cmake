# libwhitebeam.so and libwhitebeam.a: the machine for other programs. Their symbols are those of whitebeam.h and, for
# native libraries and drivers that the machine loads, of erl_nif.h and erl_driver.h; all others stay inside.
set(EMBED_HEADER ${CMAKE_SOURCE_DIR}/vm/embed/whitebeam.h)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${EMBED_HEADER})
file(STRINGS ${EMBED_HEADER} EMBED_FUNCTIONS REGEX "^WB_API")
list(TRANSFORM EMBED_FUNCTIONS REPLACE "^WB_API.*[ *](wb_[a-z_]+)\\(.*" "\\1")
set(LIBRARY_FUNCTIONS ${EMBED_FUNCTIONS})
set(NATIVE_LIBRARY_FUNCTIONS "")
foreach(list vm/nif/functions.def vm/driver/functions.def)
  file(STRINGS ${list} functions REGEX "^[A-Z]+_FUNCTION")
  list(TRANSFORM functions REPLACE "^[A-Z]+_FUNCTION.([a-z_A-Z0-9]+)..*" "\\1")
  list(APPEND NATIVE_LIBRARY_FUNCTIONS ${functions})
endforeach()
list(APPEND LIBRARY_FUNCTIONS ${NATIVE_LIBRARY_FUNCTIONS})
list(JOIN LIBRARY_FUNCTIONS "\n" LIBRARY_LINES)
set(LIBRARY_EXPORTS ${CMAKE_BINARY_DIR}/library_exports.txt)
file(CONFIGURE OUTPUT ${LIBRARY_EXPORTS} CONTENT "${LIBRARY_LINES}\n")
list(TRANSFORM LIBRARY_FUNCTIONS APPEND "\;" OUTPUT_VARIABLE MAP_LINES)
list(JOIN MAP_LINES "\n" MAP_LINES)
set(LIBRARY_MAP ${CMAKE_BINARY_DIR}/library.map)
file(CONFIGURE OUTPUT ${LIBRARY_MAP} CONTENT "{\nglobal:\n${MAP_LINES}\nlocal: *;\n};\n")

# The shared library has objects of its own: position-independent code pays an instruction for each thread-local variable,
# and a message reads several (a ping and its pong take 3 % more). So it is built when it is wanted: `make install`,
# `make test-full`.
add_library(whitebeam_core_pic STATIC EXCLUDE_FROM_ALL ${CORE_SOURCES} ${EMBEDDED} ${STENCIL_TABLE})
add_dependencies(whitebeam_core_pic whitebeam_core)  # which makes the sources that both share
target_compile_options(whitebeam_core_pic PRIVATE -fPIC -ftls-model=initial-exec)
target_link_libraries(whitebeam_core_pic PUBLIC gmp z zstd pcre2-8 fmt Threads::Threads dl)
if(WB_PCH)
  target_precompile_headers(whitebeam_core_pic PRIVATE ${STANDARD_HEADERS})
endif()

set(LIBRARY_VERSION 1.0)
file(WRITE ${CMAKE_BINARY_DIR}/lib/no_source.cc "")
add_library(whitebeam_library SHARED EXCLUDE_FROM_ALL ${CMAKE_BINARY_DIR}/lib/no_source.cc)
set_target_properties(whitebeam_library PROPERTIES OUTPUT_NAME whitebeam VERSION ${LIBRARY_VERSION} SOVERSION 1
                      LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin LINK_DEPENDS ${LIBRARY_MAP})
target_link_libraries(whitebeam_library PRIVATE $<LINK_LIBRARY:WHOLE_ARCHIVE,whitebeam_core_pic>)
target_link_options(whitebeam_library PRIVATE -Wl,--version-script=${LIBRARY_MAP} -Wl,--gc-sections)
target_include_directories(whitebeam_library INTERFACE ${CMAKE_SOURCE_DIR}/vm/embed)

# One object, so that what is inside need not be seen. -r keeps weak functions apart from the program's own.
find_program(OBJCOPY NAMES llvm-objcopy-19 llvm-objcopy objcopy REQUIRED)
find_program(LLD NAMES ld.lld-19 ld.lld REQUIRED)
set(STATIC_LIBRARY ${CMAKE_BINARY_DIR}/bin/libwhitebeam.a)
add_custom_command(OUTPUT ${STATIC_LIBRARY} DEPENDS whitebeam_core ${LIBRARY_EXPORTS} COMMENT "libwhitebeam.a"
  COMMAND ${LLD} -r --whole-archive $<TARGET_FILE:whitebeam_core> -o ${CMAKE_BINARY_DIR}/lib/whitebeam_all.o
  COMMAND ${OBJCOPY} --strip-debug --keep-global-symbols=${LIBRARY_EXPORTS} ${CMAKE_BINARY_DIR}/lib/whitebeam_all.o
          ${CMAKE_BINARY_DIR}/lib/whitebeam.o
  COMMAND ${CMAKE_COMMAND} -E rm -f ${STATIC_LIBRARY} ${CMAKE_BINARY_DIR}/lib/whitebeam_all.o
  COMMAND ${CMAKE_AR} rcs ${STATIC_LIBRARY} ${CMAKE_BINARY_DIR}/lib/whitebeam.o)
if(NOT WB_ASAN AND NOT WB_TSAN AND NOT WB_FUZZ)
  add_custom_target(whitebeam_static ALL DEPENDS ${STATIC_LIBRARY})
endif()

# What a program of this build links that embeds machines. With sanitizers it is the objects themselves: what they note of
# each object file does not survive making one of all.
add_library(whitebeam_embedded INTERFACE)
target_include_directories(whitebeam_embedded INTERFACE ${CMAKE_SOURCE_DIR}/vm/embed)
if(WB_ASAN OR WB_TSAN OR WB_FUZZ)
  target_link_libraries(whitebeam_embedded INTERFACE whitebeam_core)
else()
  add_dependencies(whitebeam_embedded whitebeam_static)
  target_link_libraries(whitebeam_embedded INTERFACE ${STATIC_LIBRARY} gmp z zstd pcre2-8 fmt Threads::Threads dl)
endif()
