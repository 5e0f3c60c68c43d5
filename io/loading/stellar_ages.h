#pragma once

#include "core/snapshot_info.h"
#include "io/loading/cosmic_time.h"

#include <optional>
#include <string>

namespace haloscope::io {

// Whether times of formation can be turned into ages: a cosmology, or times in code units.
bool knows_ages(const SnapshotInfo& info);

// "a scale factor", "a time in code units": what times of formation are taken for.
std::string formation_in_words(const SnapshotInfo& info);

// Ages of stars at the time of a snapshot that knows_ages().
class StellarAges {
 public:
  explicit StellarAges(const SnapshotInfo& info);

  // Gyr; NaN where the particle is no star: AREPO's wind cells, whose time of formation is not
  // above 0. Stars of the future, by rounding, are 0 old.
  double gyr(double formed) const;

 private:
  std::optional<CosmicTime> cosmic_;  // of scale factors, and of what has code times in a cosmology
  bool scale_factors_ = false;
  double now_ = 0;       // Gyr, or code time
  double unit_gyr_ = 1;  // of a code time
};

}  // namespace haloscope::io
