#include "compute/exec/side_stream.cuh"

namespace haloscope::compute {

SideStream::SideStream(Cuda& exec) : exec_(exec) {
  exec_.make_current();
  check_cuda(cudaStreamCreateWithFlags(&stream_.stream, cudaStreamNonBlocking), "making a stream");
  for (EventHandle* e : {&forked_, &joined_})
    check_cuda(cudaEventCreateWithFlags(&e->event, cudaEventDisableTiming), "making an event");
}

SideStream::Fork::Fork(SideStream& side) : side_(side), own_(side.exec_.stream()) {
  check_cuda(cudaEventRecord(side_.forked_.event, own_), "sharing the GPU");
  check_cuda(cudaStreamWaitEvent(side_.stream_.stream, side_.forked_.event), "sharing the GPU");
}

// Another error may be on its way, of which this must not hide the words.
SideStream::Fork::~Fork() {
  if (joined_) return;
  (void)cudaSetDevice(side_.exec_.device().number);
  if (cudaEventRecord(side_.joined_.event, side_.stream_.stream) != cudaSuccess ||
      cudaStreamWaitEvent(own_, side_.joined_.event) != cudaSuccess)
    cudaStreamSynchronize(side_.stream_.stream);
  (void)cudaGetLastError();
}

void SideStream::Fork::join() {
  check_cuda(cudaEventRecord(side_.joined_.event, side_.stream_.stream), "sharing the GPU");
  check_cuda(cudaStreamWaitEvent(own_, side_.joined_.event), "sharing the GPU");
  joined_ = true;
}

}  // namespace haloscope::compute
