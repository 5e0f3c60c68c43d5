# What keeps builds short; benchmarks/RESULTS.md tells how much.
option(HALOSCOPE_PRECOMPILE "Precompile the headers that most files of a library read" ON)
# For builds from nothing (scripts/demo, the sanitizers of .ci/run); a build that is changed file by
# file is slower for it. Names in unnamed namespaces must be unique in a library.
option(HALOSCOPE_UNITY "Compile a dozen files of a library as one" OFF)
if(HALOSCOPE_UNITY)
  set(CMAKE_UNITY_BUILD ON)
  set(CMAKE_UNITY_BUILD_BATCH_SIZE 12)
  # It warns of unnamed namespaces in headers, and takes every file of such a dozen for one.
  add_compile_options($<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-subobject-linkage>)
endif()

# ccache takes files with precompiled headers for different ones, unless it is told that dates and
# definitions are looked after: CMake builds the header again when something in it changes.
if(CMAKE_CXX_COMPILER_LAUNCHER MATCHES "ccache$")
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
    CCACHE_SLOPPINESS=pch_defines,time_macros ${CMAKE_CXX_COMPILER_LAUNCHER})
endif()

# Of TARGET's C++ files. Files with compile options of their own must be left out by
# SKIP_PRECOMPILE_HEADERS: the compiler refuses a header that was made with others.
function(haloscope_precompile target)
  get_target_property(unity ${target} UNITY_BUILD)
  if(NOT HALOSCOPE_PRECOMPILE OR unity)
    return()
  endif()
  set(headers "")
  foreach(header IN LISTS ARGN ITEMS <algorithm> <array> <cmath> <cstdint> <filesystem> <functional>
      <map> <memory> <optional> <string> <vector>)
    # Brackets of a header's name would end the generator expression.
    string(REPLACE ">" "$<ANGLE-R>" header "${header}")
    list(APPEND headers "$<$<COMPILE_LANGUAGE:CXX>:${header}>")
  endforeach()
  target_precompile_headers(${target} PRIVATE ${headers})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # ccache asks for it.
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-fpch-preprocess>)
    if(CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
      # GCC 12 forgets there which headers are the system's, and misfires on the standard strings.
      target_compile_options(${target} PRIVATE
        "$<$<COMPILE_LANGUAGE:CXX>:-Wno-array-bounds;-Wno-stringop-overflow;-Wno-stringop-overread>")
    endif()
  endif()
endfunction()

# A third of the time of a build from nothing is optimizing code that reads words and draws panels.
# compute/ keeps all optimization. Call it when all targets are there.
function(haloscope_optimize_less)
  if(NOT HALOSCOPE_UNITY OR HALOSCOPE_SANITIZE OR NOT CMAKE_BUILD_TYPE STREQUAL "Release")
    return()
  endif()
  foreach(target haloscope_core haloscope_io haloscope_analysis haloscope_render haloscope_scene)
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-O2>)
  endforeach()
  foreach(target haloscope_plots haloscope_film haloscope_session haloscope_viewer haloscope_cli)
    if(TARGET ${target})
      target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-O1>)
    endif()
  endforeach()
endfunction()
