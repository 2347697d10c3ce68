# Handlers -> LLVM bitcode with holes -> one module, embedded in libwhitebeam-jit.so, the plugin of
# the LLVM tier. Without LLVM 19's libraries there is no plugin, and everything runs in the baseline.
find_program(LLVM_CONFIG llvm-config-19)
find_program(LLVM_LINK llvm-link-19)
if(NOT LLVM_CONFIG OR NOT LLVM_LINK)
  message(STATUS "no llvm-config-19 or llvm-link-19: built without the LLVM tier")
  return()
endif()

set(ORC_DIR ${CMAKE_BINARY_DIR}/orc)
file(MAKE_DIRECTORY ${ORC_DIR})
set(BITCODE_FLAGS -std=c++20 -I${CMAKE_SOURCE_DIR} -O2 -DNDEBUG -DWB_STENCILS -DWB_WIDE -DWB_BITCODE -fno-exceptions
    -fno-rtti -fno-strict-aliasing -fno-jump-tables -fno-vectorize -fno-slp-vectorize -fno-unroll-loops
    -fno-stack-protector -fno-asynchronous-unwind-tables -Wno-unused -Wno-undefined-internal
    -Wno-undefined-inline)
precompile_handler_headers(${ORC_DIR}/handlers ${BITCODE_FLAGS})
set(BITCODE "")
foreach(name ${STENCIL_SOURCES})
  set(source ${CMAKE_SOURCE_DIR}/vm/interp/${name}.cc)
  set(stem ${ORC_DIR}/${name})
  add_custom_command(OUTPUT ${stem}.bc DEPENDS ${source} ${HEADERS} DEPFILE ${stem}.d COMMENT "bitcode: ${name}"
    COMMAND ${CMAKE_CXX_COMPILER_LAUNCHER} ${CMAKE_CXX_COMPILER} ${BITCODE_FLAGS} ${WITH_HEADERS} -emit-llvm -MD -MT ${stem}.bc
            -MF ${stem}.d -c ${source} -o ${stem}.bc)
  list(APPEND BITCODE ${stem}.bc)
endforeach()
set(HANDLERS ${ORC_DIR}/handlers.bc)
add_custom_command(OUTPUT ${HANDLERS} DEPENDS ${BITCODE} COMMENT "linking bitcode"
                   COMMAND ${LLVM_LINK} ${BITCODE} -o ${HANDLERS})
file(WRITE ${ORC_DIR}/handlers.S
     ".section .rodata\n.globl kHandlerBitcode, kHandlerBitcodeEnd\n.balign 16\nkHandlerBitcode:\n"
     ".incbin \"${HANDLERS}\"\nkHandlerBitcodeEnd:\n.section .note.GNU-stack,\"\",@progbits\n")
enable_language(ASM)
set_source_files_properties(${ORC_DIR}/handlers.S PROPERTIES OBJECT_DEPENDS ${HANDLERS})

execute_process(COMMAND ${LLVM_CONFIG} --includedir OUTPUT_VARIABLE LLVM_INCLUDE OUTPUT_STRIP_TRAILING_WHITESPACE)
execute_process(COMMAND ${LLVM_CONFIG} --link-static --libs orcjit x86codegen x86asmparser passes bitreader debuginfodwarf
                OUTPUT_VARIABLE LLVM_LIBS OUTPUT_STRIP_TRAILING_WHITESPACE)
execute_process(COMMAND ${LLVM_CONFIG} --libdir OUTPUT_VARIABLE LLVM_LIBDIR OUTPUT_STRIP_TRAILING_WHITESPACE)
separate_arguments(LLVM_LIBS)
file(GLOB PLUGIN_SOURCES CONFIGURE_DEPENDS vm/orc/plugin/*.cc)
add_library(whitebeam-jit MODULE ${PLUGIN_SOURCES} vm/jit/code_memory.cc vm/jit/hole_names.cc
            vm/orc/symbols.cc bytecode/instructions.cc ${ORC_DIR}/handlers.S)
target_include_directories(whitebeam-jit SYSTEM PRIVATE ${LLVM_INCLUDE})
if(WB_PCH)
  target_precompile_headers(whitebeam-jit PRIVATE ${STANDARD_HEADERS} <llvm/IR/IRBuilder.h> <llvm/IR/Instructions.h>
                            <llvm/IR/IntrinsicInst.h> <llvm/IR/Module.h> <llvm/Passes/PassBuilder.h>
                            <llvm/Target/TargetMachine.h>)
endif()
# Instrumented or not, the VM has the same plugin: LLVM itself is not instrumented.
target_compile_options(whitebeam-jit PRIVATE -fno-sanitize=all -fvisibility=hidden $<$<COMPILE_LANGUAGE:CXX>:-O2>)
target_link_directories(whitebeam-jit PRIVATE ${LLVM_LIBDIR})
target_link_libraries(whitebeam-jit PRIVATE ${LLVM_LIBS} -lz -lzstd -Wl,--gc-sections -Wl,--exclude-libs,ALL -Wl,--as-needed)
target_link_options(whitebeam-jit PRIVATE -fno-sanitize=all)
set_target_properties(whitebeam-jit PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin POSITION_INDEPENDENT_CODE ON)
add_dependencies(whitebeam whitebeam-jit)
