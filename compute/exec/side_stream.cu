#include "compute/exec/side_stream.cuh"

namespace haloscope::compute {

SideStream::SideStream(Cuda& exec) : exec_(exec) {
  exec_.make_current();
  check_cuda(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "making a stream");
  check_cuda(cudaEventCreateWithFlags(&forked_, cudaEventDisableTiming), "making an event");
  check_cuda(cudaEventCreateWithFlags(&marked_, cudaEventDisableTiming), "making an event");
}

SideStream::~SideStream() {
  cudaStreamDestroy(stream_);
  cudaEventDestroy(forked_);
  cudaEventDestroy(marked_);
}

SideStream::Fork::Fork(SideStream& side) : side_(side) {
  check_cuda(cudaEventRecord(side_.forked_, side_.exec_.stream()), "sharing the GPU");
  check_cuda(cudaStreamWaitEvent(side_.stream_, side_.forked_), "sharing the GPU");
}

SideStream::Fork::~Fork() {
  if (joined_) return;
  cudaEventRecord(side_.marked_, side_.stream_);
  cudaStreamWaitEvent(side_.exec_.stream(), side_.marked_);
}

void SideStream::Fork::mark() {
  check_cuda(cudaEventRecord(side_.marked_, side_.stream_), "sharing the GPU");
}

void SideStream::Fork::wait() {
  check_cuda(cudaStreamWaitEvent(side_.exec_.stream(), side_.marked_), "sharing the GPU");
}

void SideStream::Fork::join() {
  mark();
  wait();
  joined_ = true;
}

}  // namespace haloscope::compute
