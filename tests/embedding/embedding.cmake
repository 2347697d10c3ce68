# Tests of libwhitebeam.so through its headers (README.md).
set(EMBEDDING ${CMAKE_SOURCE_DIR}/tests/embedding)
set(EMBEDDING_BEAMS "")
foreach(version 1 2)
  set(beam ${CMAKE_BINARY_DIR}/embedding/v${version}/embedded.beam)
  file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/embedding/v${version})
  add_custom_command(OUTPUT ${beam} DEPENDS ${EMBEDDING}/embedded.erl COMMENT "erlc embedded, version ${version}"
                     COMMAND ${ERLC} +deterministic -DVERSION=${version} -o ${CMAKE_BINARY_DIR}/embedding/v${version}
                             ${EMBEDDING}/embedded.erl)
  list(APPEND EMBEDDING_BEAMS ${beam})
endforeach()
add_executable(embedding_tests ${EMBEDDING}/main.cc ${EMBEDDING}/embedding_test.cc ${EMBEDDING_BEAMS})
target_compile_options(embedding_tests PRIVATE -fexceptions -frtti)
target_compile_definitions(embedding_tests PRIVATE WB_BEAMS="${CMAKE_BINARY_DIR}/embedding")
target_link_libraries(embedding_tests whitebeam_library Threads::Threads)
set_target_properties(embedding_tests PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/embedding)
