# Flags common to all our targets; link haloscope_options PRIVATE to get them.
add_library(haloscope_options INTERFACE)
target_include_directories(haloscope_options INTERFACE ${PROJECT_SOURCE_DIR})
# -Wrestrict of GCC 12 misfires on string concatenation.
target_compile_options(haloscope_options INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wshadow;-Wno-unknown-pragmas>
  $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-restrict>
  $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<BOOL:${HALOSCOPE_STRICT}>>:-Werror>)
if(HALOSCOPE_SANITIZE)
  # -g1: the lines of a stack are enough, and take a quarter off the time of the build.
  target_compile_options(haloscope_options INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-fsanitize=address,undefined;-fno-sanitize-recover=all;-fno-omit-frame-pointer;-g1>
    $<$<BOOL:$<TARGET_PROPERTY:HALOSCOPE_FOLLOWS_POINTERS>>:-fno-sanitize=null,alignment,vptr,object-size>)
  target_link_options(haloscope_options INTERFACE -fsanitize=address,undefined)
endif()
if(HALOSCOPE_THREAD_SANITIZE)
  target_compile_options(haloscope_options INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-fsanitize=thread;-fno-omit-frame-pointer;-g1>)
  target_link_options(haloscope_options INTERFACE -fsanitize=thread)
endif()
if(HALOSCOPE_FUZZ AND NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  message(FATAL_ERROR "HALOSCOPE_FUZZ needs clang's libFuzzer: configure with the preset asan")
endif()
# Thrust's "device" system is TBB in C++ files; CUDA files name their policies explicitly.
target_compile_definitions(haloscope_options INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:THRUST_DEVICE_SYSTEM=THRUST_DEVICE_SYSTEM_TBB>)
