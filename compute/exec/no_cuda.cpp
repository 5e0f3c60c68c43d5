// Stands in for the driver's GPUs in builds without a CUDA toolkit.
#include "compute/exec/device_ranks.h"
#include "compute/exec/gpus.h"
#include "core/error.h"

namespace haloscope::compute {

namespace {

class NoGpus final : public Gpus {
 public:
  int count() const override { return 0; }
  std::string why_none() const override { return "this build has no CUDA"; }
  DeviceFacts facts(int) const override { throw Error(why_none(), "GPU"); }
  bool usable(int, std::string& why) const override {
    why = why_none();
    return false;
  }
  bool built_in() const override { return false; }
};

}  // namespace

std::unique_ptr<DeviceRanks> make_cuda_ranks(Ranks&, Device device, Wire) {
  throw Error("this build has no CUDA", "--device " + device.word(), "use --device cpu");
}

const Gpus& gpus_here() {
  static const NoGpus none;
  return none;
}

}  // namespace haloscope::compute
