# Finds the CUDA toolkit. Without one the .cu files are left out, and Thrust for the CPU executor
# comes from libthrust-dev.
set(HALOSCOPE_HAS_CUDA OFF)
if(HALOSCOPE_CUDA)
  include(CheckLanguage)
  set(CMAKE_CUDA_ARCHITECTURES "${HALOSCOPE_CUDA_ARCHITECTURES}")
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    enable_language(CUDA)
    if(CMAKE_CUDA_COMPILER_VERSION VERSION_LESS 12)
      message(WARNING "CUDA ${CMAKE_CUDA_COMPILER_VERSION} is older than 12: building for the CPU only")
    else()
      find_package(CUDAToolkit REQUIRED)
      if(HALOSCOPE_CUDA_ARCHITECTURES STREQUAL "all-major" AND CMAKE_CUDA_COMPILER_VERSION VERSION_LESS 13)
        # Before 13, all-major reaches back to chips without what the kernels need.
        set(CMAKE_CUDA_ARCHITECTURES "70-real;80-real;90")
      endif()
      set(HALOSCOPE_HAS_CUDA ON)
    endif()
  endif()
endif()

add_library(haloscope_thrust INTERFACE)
if(HALOSCOPE_HAS_CUDA)
  # CUDA's own Thrust; since 13 it lies one folder deeper. It must come before any other.
  find_path(HALOSCOPE_THRUST_INCLUDE thrust/version.h REQUIRED NO_DEFAULT_PATH
    PATHS ${CUDAToolkit_INCLUDE_DIRS} PATH_SUFFIXES cccl .)
  # Debian 12's CMake does not know that CUDA has a C++20 mode: the flag is given by hand.
  set(CMAKE_CUDA_STANDARD_REQUIRED OFF)
  target_compile_options(haloscope_options INTERFACE
    $<$<COMPILE_LANGUAGE:CUDA>:-std=c++20;--expt-relaxed-constexpr;--extended-lambda;-lineinfo;-Xcompiler=-Wall,-Wno-unknown-pragmas;-diag-suppress=177>)
  if(HALOSCOPE_COMPILE_ONLY)
    # cicc at -O1 too: what it leaves at -O0 takes ptxas twice as long. The host's code of .cu files is
    # compiled at -O1.
    target_compile_options(haloscope_options INTERFACE
      "$<$<COMPILE_LANGUAGE:CUDA>:SHELL:-Xcicc -O1 -Xptxas -O1>")
    string(REPLACE "-O3" "-O1" CMAKE_CUDA_FLAGS_RELEASE "${CMAKE_CUDA_FLAGS_RELEASE}")
  endif()
  message(STATUS "CUDA ${CMAKE_CUDA_COMPILER_VERSION} for architectures ${CMAKE_CUDA_ARCHITECTURES}")
else()
  find_path(HALOSCOPE_THRUST_INCLUDE thrust/version.h REQUIRED)
  message(STATUS "No CUDA toolkit: building the CPU executor only")
endif()
target_include_directories(haloscope_thrust SYSTEM BEFORE INTERFACE ${HALOSCOPE_THRUST_INCLUDE})
target_link_libraries(haloscope_thrust INTERFACE TBB::tbb)
