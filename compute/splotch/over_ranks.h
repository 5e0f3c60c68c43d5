#pragma once

#include "compute/exec/device_ranks.h"
#include "compute/exec/ranks.h"
#include "compute/splotch/light_sum.h"
#include "compute/splotch/settings.h"

#include <memory>

// Pictures of several ranks, each of which has drawn its part of the particles. Partial pictures
// are summed by reduce-scatter: each rank gets the sums of a stretch of the picture's rows, makes
// numbers of them, and sends these to the first rank (over_ranks.inl). All ranks call these
// functions together.
namespace haloscope::compute::splotch {

inline bool is_several(const Ranks* ranks) {
  return ranks && ranks->size() > 1;
}

// The ranks that draw one picture, each on its own device, and what goes between these devices.
class DrawingRanks {
 public:
  // All ranks call it. Null: this process draws alone. Throws Error as make_device_ranks().
  DrawingRanks(Ranks* ranks, Device device, Wire wire = Wire::Auto) {
    if (!is_several(ranks)) return;
    ranks_ = ranks;
    wire_ = make_device_ranks(*ranks, device, wire);
  }

  bool several() const { return ranks_ != nullptr; }
  // Only where several().
  Ranks& ranks() const { return *ranks_; }
  DeviceRanks& wire() const { return *wire_; }

 private:
  Ranks* ranks_ = nullptr;
  std::unique_ptr<DeviceRanks> wire_;
};

// Of what all ranks have drawn.
Counts of_all_ranks(Ranks& ranks, const Counts& own);
// Of this process alone, its own.
AllLightPeaks of_all_ranks(const DrawingRanks& ranks, const AllLightPeaks& own);

// The rows of a picture that a rank sums up.
struct OwnRows {
  int first = 0, count = 0;
};
OwnRows rows_of(int rank, int ranks, int height);

}  // namespace haloscope::compute::splotch
