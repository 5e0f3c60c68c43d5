#include "compute/exec/device_ranks.h"

#include <chrono>

namespace haloscope::compute {

namespace {

// The processor's memory is the host's.
class HostRanks final : public DeviceRanks {
 public:
  explicit HostRanks(Ranks& ranks) : DeviceRanks(ranks.rank()), ranks_(ranks) {}
  std::string wire() const override { return "host memory"; }

 private:
  void carry(std::span<const Outgoing> out, std::span<const Incoming> in) override {
    ranks_.move(out, in);
  }

  Ranks& ranks_;
};

}  // namespace

void DeviceRanks::move(std::span<const Outgoing> out, std::span<const Incoming> in) {
  const auto begin = std::chrono::steady_clock::now();
  carry(out, in);
  carried_.milliseconds +=
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
  ++carried_.moves;
  for (const Outgoing& piece : out)
    if (piece.to != rank_) carried_.sent_bytes += piece.bytes;
  for (const Incoming& piece : in)
    if (piece.from != rank_) carried_.received_bytes += piece.bytes;
}

std::unique_ptr<DeviceRanks> make_device_ranks(Ranks& ranks, Device device, Wire wire) {
  if (!device.is_gpu()) return std::make_unique<HostRanks>(ranks);
  return make_cuda_ranks(ranks, device, wire);
}

}  // namespace haloscope::compute
