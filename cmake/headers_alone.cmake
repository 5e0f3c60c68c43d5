# Compiles every header by itself: one generated .cpp per header that includes nothing else, so that a
# header which leans on its includer's includes fails here, with its name.
#
# Left out are .cuh files and headers that need nvcc (kernels, CUB, Thrust's CUDA system), and without
# a CUDA toolkit those that include CUDA's own headers.
#
# HALOSCOPE_HEADER_CHAINS compiles several at once where that shows the same (header_chains.py says
# when): a quarter of the files, each of which reads the standard library again.
option(HALOSCOPE_HEADER_CHAINS "Check lone headers in chains, made at configuration: for builds from nothing" OFF)
file(GLOB_RECURSE haloscope_headers CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}
  ${PROJECT_SOURCE_DIR}/core/*.h ${PROJECT_SOURCE_DIR}/io/*.h ${PROJECT_SOURCE_DIR}/compute/*.h
  ${PROJECT_SOURCE_DIR}/analysis/*.h ${PROJECT_SOURCE_DIR}/render/*.h ${PROJECT_SOURCE_DIR}/app/*.h)
set(needs_nvcc "__global__|#include [<\"](cub/|thrust/system/cuda|[^>\"]*\\.cuh)")
set(needs_toolkit "#include <(cuda|nvtx3|cooperative_groups)")

set(lonely_headers "")
foreach(header IN LISTS haloscope_headers)
  file(READ ${PROJECT_SOURCE_DIR}/${header} text)
  if(text MATCHES "${needs_nvcc}" OR (NOT HALOSCOPE_HAS_CUDA AND text MATCHES "${needs_toolkit}"))
    continue()
  endif()
  list(APPEND lonely_headers ${header})
endforeach()
list(LENGTH lonely_headers lonely_count)

set(chains ${lonely_headers})
if(HALOSCOPE_HEADER_CHAINS)
  list(JOIN lonely_headers "\n" text)
  file(WRITE ${PROJECT_BINARY_DIR}/headers_alone/headers.txt "${text}")
  find_program(HALOSCOPE_PYTHON3 python3 REQUIRED)
  execute_process(COMMAND ${HALOSCOPE_PYTHON3} ${CMAKE_CURRENT_LIST_DIR}/header_chains.py ${PROJECT_SOURCE_DIR}
    INPUT_FILE ${PROJECT_BINARY_DIR}/headers_alone/headers.txt OUTPUT_VARIABLE chains
    OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  string(REPLACE "\n" ";" chains "${chains}")
endif()

set(lonely_sources "")
foreach(chain IN LISTS chains)
  string(REPLACE " " ";" chain "${chain}")
  set(text "")
  foreach(header IN LISTS chain)
    string(APPEND text "#include \"${header}\"\n")
  endforeach()
  list(GET chain 0 header)
  set(source ${PROJECT_BINARY_DIR}/headers_alone/${header}.cpp)
  # Left untouched when it is right already: a changed date would compile it again.
  file(CONFIGURE OUTPUT ${source} CONTENT "${text}" @ONLY)
  list(APPEND lonely_sources ${source})
endforeach()
list(LENGTH lonely_sources source_count)
message(STATUS "${lonely_count} headers are compiled alone, in ${source_count} files")

add_library(haloscope_headers_alone OBJECT ${lonely_sources})
# Nothing runs, so nothing is worth optimizing.
target_compile_options(haloscope_headers_alone PRIVATE -O0 -g0)
foreach(library haloscope_options haloscope_core haloscope_io haloscope_compute haloscope_render
    haloscope_cli haloscope_hdf5 haloscope_thrust TBB::tbb ZLIB::ZLIB fmt::fmt glm::glm PNG::PNG
    OpenEXR::OpenEXR nlohmann_json::nlohmann_json CLI11::CLI11 haloscope_imgui CUDA::cudart_static)
  if(TARGET ${library})
    target_link_libraries(haloscope_headers_alone PRIVATE ${library})
  endif()
endforeach()
