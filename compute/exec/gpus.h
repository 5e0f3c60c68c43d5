#pragma once

#include "compute/exec/device.h"

#include <string>

namespace haloscope::compute {

// What choosing a device asks of a machine. Tests make machines up.
class Gpus {
 public:
  virtual ~Gpus() = default;
  virtual int count() const = 0;
  // Where there are none, the reason in a few words.
  virtual std::string why_none() const = 0;
  virtual DeviceFacts facts(int number) const = 0;
  // Whether this build has code for a GPU that works; if not, `why` gets the reason.
  virtual bool usable(int number, std::string& why) const = 0;
  // False: no GPU can ever be used, whatever this machine has.
  virtual bool built_in() const = 0;
};

// Those of this machine; none in a build without CUDA.
const Gpus& gpus_here();

// choose_device() on such a machine.
Device choose_device(const std::string& word, const std::optional<GpuId>& preferred,
                     const Gpus& gpus);

}  // namespace haloscope::compute
