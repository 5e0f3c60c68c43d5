# What keeps builds short; benchmarks/RESULTS.md tells how much.
option(HALOSCOPE_PRECOMPILE "Precompile the headers that most files of a library read" ON)

# ccache takes files with precompiled headers for different ones, unless it is told that dates and
# definitions are looked after: CMake builds the header again when something in it changes.
if(CMAKE_CXX_COMPILER_LAUNCHER MATCHES "ccache$")
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
    CCACHE_SLOPPINESS=pch_defines,time_macros ${CMAKE_CXX_COMPILER_LAUNCHER})
endif()

# Of TARGET's C++ files. Files with compile options of their own must be left out by
# SKIP_PRECOMPILE_HEADERS: the compiler refuses a header that was made with others.
function(haloscope_precompile target)
  if(NOT HALOSCOPE_PRECOMPILE)
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
