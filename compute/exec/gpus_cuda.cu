#include "compute/exec/cuda.h"
#include "compute/exec/gpus.h"

#include <algorithm>
#include <vector>

namespace haloscope::compute {

namespace {

__global__ void has_code_for_this_gpu() {}

// Counted once: the driver shows a process the same GPUs as long as it lives.
class CudaGpus final : public Gpus {
 public:
  CudaGpus() {
    const cudaError_t status = cudaGetDeviceCount(&count_);
    if (status == cudaSuccess) return;
    (void)cudaGetLastError();
    count_ = 0;
    // Where there is no driver at all, the status tells of one that is too old.
    int driver = 0;
    const bool no_driver = status == cudaErrorInsufficientDriver &&
                           cudaDriverGetVersion(&driver) == cudaSuccess && driver == 0;
    why_none_ = no_driver ? "no NVIDIA driver or GPU was found" : cudaGetErrorString(status);
  }

  int count() const override { return count_; }
  std::string why_none() const override { return why_none_; }
  bool built_in() const override { return true; }

  DeviceFacts facts(int number) const override {
    // Asking takes milliseconds.
    static const std::vector<DeviceFacts> all = all_facts();
    return all.at(std::size_t(number));
  }

  // A GPU that this build has no code for is as good as none.
  bool usable(int number, std::string& why) const override {
    cudaError_t status = cudaSetDevice(number);
    cudaFuncAttributes attributes{};
    if (status == cudaSuccess) status = cudaFuncGetAttributes(&attributes, has_code_for_this_gpu);
    if (status == cudaSuccess) return true;
    (void)cudaGetLastError();
    why = cudaGetErrorString(status);
    return false;
  }

 private:
  std::vector<DeviceFacts> all_facts() const {
    std::vector<DeviceFacts> all;
    for (int n = 0; n < count_; ++n) {
      cudaDeviceProp properties{};
      DeviceFacts& facts = all.emplace_back();
      if (const cudaError_t status = cudaGetDeviceProperties(&properties, n);
          status != cudaSuccess) {
        (void)cudaGetLastError();
        facts.name = cudaGetErrorString(status);
        continue;
      }
      facts.name = properties.name;
      facts.bytes = properties.totalGlobalMem;
      std::copy_n(reinterpret_cast<const std::uint8_t*>(properties.uuid.bytes), facts.id.size(),
                  facts.id.begin());
    }
    return all;
  }

  int count_ = 0;
  std::string why_none_ = "none found";
};

}  // namespace

const Gpus& gpus_here() {
  static const CudaGpus here;
  return here;
}

}  // namespace haloscope::compute
