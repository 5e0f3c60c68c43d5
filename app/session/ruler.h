#pragma once

#include "core/snapshot_info.h"
#include "core/vector.h"

#include <string>

namespace haloscope::app::session {

// Between two points, code units.
struct Ruler {
  Vec from{0, 0, 0}, to{0, 0, 0};
  bool operator==(const Ruler&) const = default;
};

// From one end to the other: the short way, which in a periodic box may lead over its edge.
Vec way_of(const Ruler& ruler, bool periodic, double box_size);

// "3.2 Mpc/h comoving, 2.29 Mpc physical"; one length where lengths are physical as they are.
std::string ruler_in_words(const Ruler& ruler, const SnapshotInfo& info, double scale_factor);

// "250 kpc": a length of so many parsecs.
std::string parsecs_in_words(double parsecs);

}  // namespace haloscope::app::session
