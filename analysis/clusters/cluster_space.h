#pragma once

#include "core/snapshot_info.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace haloscope::analysis {

// The space in which clusters of a snapshot are looked for, as the options `space` and `scale` say
// it.
struct ClusterSpace {
  enum class Kind {
    Positions,  // in the file's own lengths
    Phase,      // positions and peculiar velocities
    Fields
  };
  Kind kind = Kind::Positions;
  std::vector<std::string> fields;  // of Kind::Fields, as they were said
  std::vector<double> scale;        // what each quantity is divided by; empty: its own dispersion
};

// "" and "positions", "phase", or fields with commas between; `scale`: as many numbers as there are
// quantities, or none. Throws OptionError.
ClusterSpace parse_space(const std::string& space, const std::string& scale);

// Positive numbers with commas between; none of an empty text. Throws OptionError.
std::vector<double> parse_scale(const std::string& scale);

// One of what spans a space: with its components it is divided by one number.
struct SpaceQuantity {
  enum class Source { Positions, Velocities, Field };
  Source source = Source::Field;
  std::string name;             // "positions", "velocities", else the field's
  std::string field;            // of the snapshot
  std::string unit;             // empty: not known
  int components = 1;           // of it, that are taken
  int first = 0;                // of positions, the first axis that is
  std::optional<double> scale;  // empty: its dispersion
};

// What spans the space of particles of these types. Throws Error for fields that one of the types
// lacks, or has with another number of components; OptionError for more dimensions than a tree
// takes, for a field that is named twice, and for positions of a periodic box that are.
std::vector<SpaceQuantity> plan_space(const SnapshotInfo& info, const std::vector<int>& types,
                                      const ClusterSpace& space);

std::size_t dimensions_of(const std::vector<SpaceQuantity>& quantities);

}  // namespace haloscope::analysis
