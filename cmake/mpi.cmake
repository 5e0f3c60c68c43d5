# HALOSCOPE_MPI builds the plugin haloscope_mpi.so against the system's MPI, for runs of several ranks.
# The program itself knows no MPI: it loads the plugin where mpirun or srun has started it.
find_package(MPI COMPONENTS C QUIET)
option(HALOSCOPE_MPI "Build the plugin for several ranks; default: where an MPI is found" ${MPI_C_FOUND})
set(HALOSCOPE_HAS_MPI OFF)
if(HALOSCOPE_MPI)
  if(NOT MPI_C_FOUND)
    message(FATAL_ERROR "HALOSCOPE_MPI is ON, but no MPI for C was found: install one (libopenmpi-dev), or name its compiler by MPI_C_COMPILER")
  endif()
  set(HALOSCOPE_HAS_MPI ON)
endif()
