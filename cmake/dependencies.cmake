# Every library the project uses, all from Debian 12 or Ubuntu 24.04 (scripts/packages.txt lists the
# packages). Differences between the two systems are settled here and in tests/catch.h.
find_package(Threads REQUIRED)
find_package(TBB REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(glm REQUIRED)
find_package(tomlplusplus REQUIRED)
find_package(PNG REQUIRED)
find_package(OpenEXR REQUIRED)
find_package(ZLIB REQUIRED)
# libdeflate-dev brings no CMake files.
find_path(HALOSCOPE_DEFLATE_INCLUDE libdeflate.h REQUIRED)
find_library(HALOSCOPE_DEFLATE_LIBRARY deflate REQUIRED)
add_library(haloscope_deflate INTERFACE)
target_include_directories(haloscope_deflate SYSTEM INTERFACE ${HALOSCOPE_DEFLATE_INCLUDE})
target_link_libraries(haloscope_deflate INTERFACE ${HALOSCOPE_DEFLATE_LIBRARY})
find_package(Catch2 REQUIRED)  # 2.13 on Debian 12, 3.4 on Ubuntu 24.04

set(HDF5_PREFER_PARALLEL OFF)
find_package(HDF5 REQUIRED COMPONENTS C)
add_library(haloscope_hdf5 INTERFACE)
target_include_directories(haloscope_hdf5 SYSTEM INTERFACE ${HDF5_C_INCLUDE_DIRS})
target_link_libraries(haloscope_hdf5 INTERFACE ${HDF5_C_LIBRARIES})
