/* haloscope_mpi.so: the few calls of MPI that haloscope needs, behind plugin_interface.h. */

#include "compute/exec/mpi/plugin_interface.h"

#include <mpi.h>
#include <stdio.h>
#include <string.h>

_Static_assert(sizeof(MPI_Request) <= sizeof(uint64_t), "requests fit in a word");

static MPI_Comm ranks = MPI_COMM_NULL;

static MPI_Request request_of(const haloscope_mpi_request* from) {
  MPI_Request request;
  memcpy(&request, &from->word, sizeof request);
  return request;
}

static void keep(MPI_Request request, haloscope_mpi_request* to) {
  to->word = 0;
  memcpy(&to->word, &request, sizeof request);
}

static int start(int* rank, int* size) {
  int provided = 0;
  int fault = MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided);
  if (fault == MPI_SUCCESS) fault = MPI_Comm_dup(MPI_COMM_WORLD, &ranks);
  /* Faults are returned, so that the program tells them in its own words. */
  if (fault == MPI_SUCCESS) fault = MPI_Comm_set_errhandler(ranks, MPI_ERRORS_RETURN);
  if (fault == MPI_SUCCESS) fault = MPI_Comm_rank(ranks, rank);
  if (fault == MPI_SUCCESS) fault = MPI_Comm_size(ranks, size);
  return fault;
}

static int finish(void) {
  MPI_Comm_free(&ranks);
  return MPI_Finalize();
}

static int send(const void* data, int bytes, int to, haloscope_mpi_request* request) {
  MPI_Request sent;
  const int fault = MPI_Isend((void*)data, bytes, MPI_BYTE, to, 0, ranks, &sent);
  if (fault == MPI_SUCCESS) keep(sent, request);
  return fault;
}

static int receive(void* data, int bytes, int from, haloscope_mpi_request* request) {
  MPI_Request received;
  const int fault = MPI_Irecv(data, bytes, MPI_BYTE, from, 0, ranks, &received);
  if (fault == MPI_SUCCESS) keep(received, request);
  return fault;
}

static int test(int count, haloscope_mpi_request* requests, int* done) {
  *done = 1;
  for (int i = 0; i < count; ++i) {
    MPI_Request request = request_of(&requests[i]);
    int moved = 1;
    if (request == MPI_REQUEST_NULL) continue;
    const int fault = MPI_Test(&request, &moved, MPI_STATUS_IGNORE);
    if (fault != MPI_SUCCESS) return fault;
    keep(request, &requests[i]);
    if (!moved) *done = 0;
  }
  return MPI_SUCCESS;
}

static void explain(int fault, char* text, int bytes) {
  char words[MPI_MAX_ERROR_STRING + 1] = "";
  int length = 0;
  MPI_Error_string(fault, words, &length);
  snprintf(text, (size_t)bytes, "%s", words);
}

static void describe(char* text, int bytes) {
  char words[MPI_MAX_LIBRARY_VERSION_STRING + 1] = "";
  int length = 0;
  MPI_Get_library_version(words, &length);
  words[strcspn(words, ",\n")] = '\0';
  snprintf(text, (size_t)bytes, "%s", words);
}

__attribute__((visibility("default"))) const haloscope_mpi_functions* haloscope_mpi_plugin(void) {
  static const haloscope_mpi_functions functions = {
      HALOSCOPE_MPI_INTERFACE, start, finish, send, receive, test, explain, describe};
  return &functions;
}
