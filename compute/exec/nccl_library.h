#pragma once

#include <cstddef>
#include <string>

// NVIDIA's NCCL, loaded by its name: nothing is built against it. Its calls are declared here as
// its documentation describes them.
namespace haloscope::compute {

struct NcclId {
  char bytes[128];
};
using NcclCommunicator = void*;

struct NcclLibrary {
  static constexpr int kSuccess = 0, kInProgress = 7;  // of ncclResult_t
  static constexpr int kUint8 = 1;                     // of ncclDataType_t

  int (*version)(int*) = nullptr;
  int (*unique_id)(NcclId*) = nullptr;
  int (*init_rank)(NcclCommunicator*, int ranks, NcclId, int rank) = nullptr;
  int (*destroy)(NcclCommunicator) = nullptr;
  int (*abort)(NcclCommunicator) = nullptr;
  int (*asynchronous_error)(NcclCommunicator, int*) = nullptr;
  const char* (*error_words)(int) = nullptr;
  int (*group_start)() = nullptr;
  int (*group_end)() = nullptr;
  // The stream is CUDA's.
  int (*send)(const void*, std::size_t count, int type, int peer, NcclCommunicator,
              void* stream) = nullptr;
  int (*receive)(void*, std::size_t count, int type, int peer, NcclCommunicator,
                 void* stream) = nullptr;

  std::string why_not;        // empty: it is there, with all of these
  std::string words() const;  // "NCCL 2.27.3"
};

// Looked for once in a process.
const NcclLibrary& nccl_library();

}  // namespace haloscope::compute
