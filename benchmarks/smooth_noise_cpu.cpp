#include "benchmarks/smooth_noise.inl"
#include "compute/exec/cpu.h"
#include "core/error.h"

namespace haloscope::benchmarks {

std::unique_ptr<ValuesOnDevice> make_smooth_noise(compute::Device device, std::uint32_t side,
                                                  std::uint32_t begin, std::uint32_t end,
                                                  double sigma) {
  if (!(sigma > 0 && sigma <= 8) || side <= 4 * 8)
    throw Error("noise is smoothed by 0 to 8 cells, in cubes of more than 32", "--sigma");
#ifdef HALOSCOPE_BENCH_CUDA
  if (device.is_gpu()) return make_cuda_smooth_noise(device, side, begin, end, sigma);
#else
  if (device.is_gpu()) throw Error("this build has no CUDA", "--devices", "use cpu");
#endif
  return make_cpu_smooth_noise(side, begin, end, sigma);
}

std::unique_ptr<ValuesOnDevice> make_cpu_smooth_noise(std::uint32_t side, std::uint32_t begin,
                                                      std::uint32_t end, double sigma) {
  return std::make_unique<SmoothNoise<compute::Cpu>>(compute::Device::cpu(), side, begin, end,
                                                     sigma);
}

}  // namespace haloscope::benchmarks
