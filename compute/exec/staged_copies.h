#pragma once

#include <cuda_runtime.h>

#include <cstddef>

namespace haloscope::compute {

// Copies between pageable memory and a GPU by way of pinned memory that all cores fill or empty,
// while the piece before is on its way: several times as fast as the driver's own way, which one
// core goes. All GPUs of the process share the pinned memory; who comes while it is in use, and
// copies that are too small to gain, are told false and go the driver's way.
// Who calls has made the stream's GPU the thread's.
bool upload_staged(void* to, const void* from, std::size_t bytes, cudaStream_t stream);
// Waits until all has come.
bool download_staged(void* to, const void* from, std::size_t bytes, cudaStream_t stream);

}  // namespace haloscope::compute
