# Handlers -> assembly with holes -> shaped assembly -> objects -> stencil_table.cc
set(STENCIL_DIR ${CMAKE_BINARY_DIR}/stencils)
file(MAKE_DIRECTORY ${STENCIL_DIR})
add_executable(shape_assembly tools/stencils/shape_assembly.cc)
add_executable(cut_stencils tools/stencils/cut_stencils.cc vm/jit/hole_names.cc bytecode/instructions.cc)

# Not position independent, so that a hole is an absolute address and fits an immediate. No
# sanitizer: stencils are what the release runs.
set(STENCIL_FLAGS -std=c++20 -I${CMAKE_SOURCE_DIR} -O2 -DNDEBUG -DWB_STENCILS -fno-exceptions -fno-rtti
    -fno-pic -fno-pie -mcmodel=small -fomit-frame-pointer -ffunction-sections -fno-jump-tables
    -fno-vectorize -fno-slp-vectorize -fno-unroll-loops -fno-stack-protector -fno-asynchronous-unwind-tables -Wno-unused -Wno-undefined-internal
    -Wno-undefined-inline)
# The same in every preset: those built later take the objects of the first.
set(STENCIL_COMPILER ${CMAKE_CXX_COMPILER_LAUNCHER} ${CMAKE_CXX_COMPILER})
if(CCACHE AND NOT WB_CCACHE)
  set(STENCIL_COMPILER ${CMAKE_COMMAND} -E env CCACHE_DIR=${CMAKE_SOURCE_DIR}/build/stencil-cache
                       CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE} ${CMAKE_CXX_COMPILER})
endif()

# Precompiles what handlers include, for one set of flags, as long as WB_PCH is on. WITH_HEADERS is what their
# compilation takes of it, HEADERS what it depends on.
set(HANDLER_HEADERS ${CMAKE_SOURCE_DIR}/tools/stencils/handler_headers.h)
macro(precompile_handler_headers stem)
  set(HEADERS "")
  set(WITH_HEADERS "")
  if(WB_PCH)
    set(HEADERS ${stem}.pch)
    set(WITH_HEADERS -include-pch ${HEADERS})
    add_custom_command(OUTPUT ${HEADERS} DEPENDS ${HANDLER_HEADERS} DEPFILE ${HEADERS}.d
      COMMENT "precompiling headers: ${stem}"  # without its times, so that ccache has what depends on it
      COMMAND ${CMAKE_CXX_COMPILER} ${ARGN} -Xclang -fno-pch-timestamp -fpch-instantiate-templates -MD -MT ${HEADERS}
              -MF ${HEADERS}.d -x c++-header ${HANDLER_HEADERS} -o ${HEADERS})
  endif()
endmacro()
set(STENCIL_SOURCES moves control tests arithmetic integers guards bit_reading map_reading exceptions checks
    lowered_bifs lowered_building lowered_matching looking nif_slot)
set(NARROW_STENCILS "")
set(WIDE_STENCILS "")
foreach(width NARROW WIDE)
  precompile_handler_headers(${STENCIL_DIR}/${width} ${STENCIL_FLAGS} -DWB_${width})
  foreach(name ${STENCIL_SOURCES})
    set(source ${CMAKE_SOURCE_DIR}/vm/interp/${name}.cc)
    set(stem ${STENCIL_DIR}/${name}_${width})
    add_custom_command(OUTPUT ${stem}.o DEPENDS ${source} shape_assembly ${HEADERS} DEPFILE ${stem}.d
      COMMENT "stencils: ${name}, ${width}"
      COMMAND ${STENCIL_COMPILER} ${STENCIL_FLAGS} -DWB_${width} ${WITH_HEADERS} -MD
              -MT ${stem}.o -MF ${stem}.d -S ${source} -o ${stem}.s
      COMMAND shape_assembly ${stem}.s ${stem}.shaped.s
      COMMAND ${CMAKE_CXX_COMPILER} -c ${stem}.shaped.s -o ${stem}.o)
    list(APPEND ${width}_STENCILS ${stem}.o)
  endforeach()
endforeach()
set(STENCIL_TABLE ${STENCIL_DIR}/stencil_table.cc)
add_custom_command(OUTPUT ${STENCIL_TABLE} DEPENDS cut_stencils ${NARROW_STENCILS} ${WIDE_STENCILS}
  COMMENT "cutting stencils"
  COMMAND cut_stencils ${STENCIL_TABLE} ${NARROW_STENCILS} -- ${WIDE_STENCILS})
set_source_files_properties(vm/jit/stencils.cc PROPERTIES COMPILE_DEFINITIONS WB_BASELINE)
