#include "compute/exec/cuda.h"
#include "compute/exec/staged_copies.h"

namespace haloscope::compute {

void check_cuda(cudaError_t status, const char* doing) {
  if (status == cudaSuccess) return;
  // Clears the sticky copy of the same error, so that it is not reported again at the next call.
  (void)cudaGetLastError();
  const std::string what = std::string(cudaGetErrorString(status)) + " (" +
                           cudaGetErrorName(status) + ") during " + doing;
  if (status == cudaErrorMemoryAllocation)
    throw Error(what, "GPU",
                "lower --gpu-memory, choose fewer particle types, or use --device cpu");
  throw Error(what, "GPU", "try --device cpu, or update the NVIDIA driver");
}

Cuda::Cuda(Device device) : device_(device) {
  std::string why;
  if (!is_usable(device, &why)) throw Error("no usable GPU: " + why, "GPU", "use --device cpu");
  make_current();
  cudaDeviceProp properties{};
  check_cuda(cudaGetDeviceProperties(&properties, device.number),
             "asking for the GPU's properties");
  multiprocessors_ = properties.multiProcessorCount;
  block_shared_memory_ = properties.sharedMemPerBlockOptin;
  device_name_ = properties.name;
  if (device.number > 0) device_name_ += " (" + device.word() + ")";
  check_cuda(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "making a stream");
  current_ = stream_;
  cudaMemPool_t pool{};
  check_cuda(cudaDeviceGetDefaultMemPool(&pool, device.number), "finding the memory pool");
  std::uint64_t keep_all = UINT64_MAX;
  check_cuda(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep_all),
             "setting up the memory pool");
}

Cuda::~Cuda() {
  (void)cudaSetDevice(device_.number);
  cudaStreamSynchronize(stream_);
  cudaStreamDestroy(stream_);
}

void Cuda::make_current() const {
  check_cuda(cudaSetDevice(device_.number), "choosing the GPU");
}

void* Cuda::allocate(std::size_t bytes, const char* name) {
  void* p = nullptr;
  const cudaError_t status = cudaMallocAsync(&p, bytes, stream());
  if (status == cudaErrorMemoryAllocation) {
    (void)cudaGetLastError();
    throw Error("out of memory for " + std::string(name) + ": " + std::to_string(bytes >> 20) +
                    " MiB asked, " + std::to_string(free_memory() >> 20) + " MiB free",
                "GPU", "set --gpu-memory lower, choose fewer particle types, or use --device cpu");
  }
  check_cuda(status, name);
  return p;
}

void Cuda::deallocate(void* p) noexcept {
  (void)cudaSetDevice(device_.number);
  cudaFreeAsync(p, stream_);
}

void Cuda::upload(void* to, const void* from, std::size_t bytes) {
  if (upload_staged(to, from, bytes, stream())) return;
  check_cuda(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, stream()), "upload");
}

void Cuda::download(void* to, const void* from, std::size_t bytes) {
  if (download_staged(to, from, bytes, stream())) return;
  check_cuda(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, stream()), "download");
  synchronize();
}

void Cuda::zero(void* p, std::size_t bytes) {
  if (bytes == 0) return;
  check_cuda(cudaMemsetAsync(p, 0, bytes, stream()), "clearing memory");
}

void Cuda::synchronize() {
  check_cuda(cudaStreamSynchronize(stream()), "waiting for the GPU");
}

std::uint64_t Cuda::free_memory() const {
  make_current();
  std::size_t free = 0, total = 0;
  if (cudaMemGetInfo(&free, &total) != cudaSuccess) return 0;
  cudaMemPool_t pool{};
  std::uint64_t reserved = 0, used = 0;
  if (cudaDeviceGetDefaultMemPool(&pool, device_.number) == cudaSuccess) {
    cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &reserved);
    cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used);
  }
  return free + (reserved - used);
}

std::uint64_t Cuda::peak_memory() const {
  make_current();
  cudaMemPool_t pool{};
  std::uint64_t used = 0;
  if (cudaDeviceGetDefaultMemPool(&pool, device_.number) == cudaSuccess)
    cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &used);
  return used;
}

}  // namespace haloscope::compute
