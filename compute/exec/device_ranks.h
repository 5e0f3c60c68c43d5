#pragma once

#include "compute/exec/device.h"
#include "compute/exec/ranks.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>

// Memory of devices that goes from rank to rank.
namespace haloscope::compute {

// How it goes. All ways bring the same bytes.
enum class Wire {
  Auto,  // Nccl where all ranks have it, else Peer in one process, else Host
  Host,  // down to host memory, by Ranks, and up again
  Peer,  // from one GPU to the other; between threads of one process
  Nccl   // by NVIDIA's library, which is loaded by its name
};

// What moved between this rank and others, and how long that took: a move ends when the slowest
// piece of this rank is there, so that waiting for other ranks is a part of it.
struct Carried {
  std::uint64_t sent_bytes = 0, received_bytes = 0, moves = 0;
  double milliseconds = 0;
};

class DeviceRanks {
 public:
  virtual ~DeviceRanks() = default;

  // As Ranks::move(), with pieces on this rank's device. What writes what goes out, and reads what
  // comes in, must have been waited for. All ranks call it together.
  void move(std::span<const Outgoing> out, std::span<const Incoming> in);
  // "NCCL 2.27.3", "copies between GPUs", "host memory": for those who measure.
  virtual std::string wire() const = 0;
  const Carried& carried() const { return carried_; }
  void forget_carried() { carried_ = {}; }

 protected:
  explicit DeviceRanks(int rank) : rank_(rank) {}

 private:
  virtual void carry(std::span<const Outgoing> out, std::span<const Incoming> in) = 0;

  int rank_;
  Carried carried_;
};

// All ranks call it, each with its own device, of one kind; `ranks` must outlive it. Throws Error,
// the same on all ranks, where there is no such wire: for Nccl the library's name and what is wrong
// with it.
std::unique_ptr<DeviceRanks> make_device_ranks(Ranks& ranks, Device device, Wire wire = Wire::Auto);

// Of GPUs.
std::unique_ptr<DeviceRanks> make_cuda_ranks(Ranks& ranks, Device device, Wire wire);

}  // namespace haloscope::compute
