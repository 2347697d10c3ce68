# Tests of libwhitebeam through its headers (README.md): of the static library, and `examples` and `installed` of the
# shared one, too, where it is built.
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
if(WB_ASAN)  # the test framework itself, as in unit_tests
  set_source_files_properties(${EMBEDDING}/main.cc PROPERTIES COMPILE_OPTIONS -fno-sanitize=all)
endif()
target_compile_definitions(embedding_tests PRIVATE WB_BEAMS="${CMAKE_BINARY_DIR}/embedding")
target_link_libraries(embedding_tests whitebeam_embedded)
set_target_properties(embedding_tests PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/embedding)

# --- the examples ---------------------------------------------------------------------------------
set(EXAMPLES ${CMAKE_SOURCE_DIR}/examples/embedding)
set(EXAMPLE_OUTPUT ${CMAKE_BINARY_DIR}/embedding)
function(example_beam source directory)
  get_filename_component(stem ${source} NAME_WE)
  file(MAKE_DIRECTORY ${EXAMPLE_OUTPUT}/${directory})
  add_custom_command(OUTPUT ${EXAMPLE_OUTPUT}/${directory}/${stem}.beam DEPENDS ${EXAMPLES}/${source}
                     COMMENT "erlc ${stem}, ${directory}"
                     COMMAND ${ERLC} +deterministic ${ARGN} -o ${EXAMPLE_OUTPUT}/${directory} ${EXAMPLES}/${source})
  set(EXAMPLE_BEAMS ${EXAMPLE_BEAMS} ${EXAMPLE_OUTPUT}/${directory}/${stem}.beam PARENT_SCOPE)
endfunction()
set(EXAMPLE_BEAMS "")
example_beam(words.erl v1)
example_beam(words.erl v2 -DUPGRADED)
example_beam(swarm.erl v1)
add_custom_target(embedding_examples ALL DEPENDS ${EXAMPLE_BEAMS})
foreach(example words_server swarm)
  add_executable(${example} ${EXAMPLES}/${example}.cc)
  target_compile_options(${example} PRIVATE -fexceptions -frtti)
  target_link_libraries(${example} whitebeam_embedded)
  set_target_properties(${example} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${EXAMPLE_OUTPUT})
  add_dependencies(embedding_examples ${example})
endforeach()

# --- two machines against two programs ------------------------------------------------------------
add_custom_command(OUTPUT ${EXAMPLE_OUTPUT}/v1/load.beam DEPENDS ${EMBEDDING}/load.erl COMMENT "erlc load"
                   COMMAND ${ERLC} +deterministic -o ${EXAMPLE_OUTPUT}/v1 ${EMBEDDING}/load.erl)
add_executable(two_machines ${EMBEDDING}/two_machines.cc ${EXAMPLE_OUTPUT}/v1/load.beam)
target_compile_options(two_machines PRIVATE -fexceptions -frtti)
target_link_libraries(two_machines whitebeam_embedded)
set_target_properties(two_machines PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${EXAMPLE_OUTPUT})

# --- what ctest runs ------------------------------------------------------------------------------
function(embedding_test preset labels build)
  add_test(NAME ${preset}embedding COMMAND ${CMAKE_SOURCE_DIR}/tests/if_built ${build}/embedding/embedding_tests)
  set_tests_properties(${preset}embedding PROPERTIES LABELS "embedding;${labels}" SKIP_RETURN_CODE 77 TIMEOUT 600)
endfunction()
embedding_test("" "" ${CMAKE_BINARY_DIR})
if(CMAKE_BINARY_DIR MATCHES "/release$")
  embedding_test("asan." "asan" ${CMAKE_SOURCE_DIR}/build/asan)
  embedding_test("tsan." "tsan;full" ${CMAKE_SOURCE_DIR}/build/tsan)
  # The threads of a machine that has failed stop for ever, and nobody joins them.
  set_tests_properties(tsan.embedding PROPERTIES ENVIRONMENT TSAN_OPTIONS=report_thread_leaks=0)
endif()
foreach(test examples installed)
  add_test(NAME embedding.${test} COMMAND ${EMBEDDING}/${test} ${CMAKE_BINARY_DIR})
  set_tests_properties(embedding.${test} PROPERTIES LABELS "embedding" SKIP_RETURN_CODE 77 TIMEOUT 300)
endforeach()
