#ifndef HALOSCOPE_MPI_PLUGIN_INTERFACE_H
#define HALOSCOPE_MPI_PLUGIN_INTERFACE_H

/* What the program and haloscope_mpi.so tell each other. MPI has no common binary interface, so the
   plugin is built against the MPI of the machine, and the program knows this alone. Plain C. */

#include <stdint.h>

/* Of this file: another number means that program and plugin are not of one build. */
#define HALOSCOPE_MPI_INTERFACE 1u

/* A piece on its way. Whatever the MPI at hand takes for a request fits. */
typedef struct {
  uint64_t word;
} haloscope_mpi_request;

/* All functions return 0, or else a number that explain() puts into words. Calls come from one
   thread. */
typedef struct {
  uint32_t version;
  /* Joins the other ranks; once per process. */
  int (*start)(int* rank, int* size);
  /* Waits for the other ranks and leaves. */
  int (*finish)(void);
  /* `bytes` of 31 bits. The memory stays untouched until the piece has moved. */
  int (*send)(const void* data, int bytes, int to, haloscope_mpi_request* request);
  int (*receive)(void* data, int bytes, int from, haloscope_mpi_request* request);
  /* Whether all have moved. */
  int (*test)(int count, haloscope_mpi_request* requests, int* done);
  void (*explain)(int fault, char* text, int bytes);
  /* The MPI and its version, for messages. */
  void (*describe)(char* text, int bytes);
} haloscope_mpi_functions;

/* The plugin's one symbol, "haloscope_mpi_plugin". */
typedef const haloscope_mpi_functions* (*haloscope_mpi_plugin_function)(void);

#endif
