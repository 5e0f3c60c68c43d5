#include "compute/exec/cuda.h"

// Behind the executor.
#include "benchmarks/smooth_noise.inl"

namespace haloscope::benchmarks {

std::unique_ptr<ValuesOnDevice> make_cuda_smooth_noise(compute::Device device, std::uint32_t side,
                                                       std::uint32_t begin, std::uint32_t end,
                                                       double sigma) {
  auto made = std::make_unique<SmoothNoise<compute::Cuda>>(device, side, begin, end, sigma);
  // What was needed to make it is no part of what is measured.
  cudaMemPool_t pool{};
  std::uint64_t none = 0;
  compute::check_cuda(cudaDeviceGetDefaultMemPool(&pool, device.number), "finding the memory pool");
  compute::check_cuda(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &none),
                      "forgetting the peak of memory");
  return made;
}

}  // namespace haloscope::benchmarks
