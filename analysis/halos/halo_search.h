#pragma once

#include "analysis/halos/halo_options.h"
#include "analysis/halos/mean_spacing.h"
#include "analysis/snapshot/resident_points.h"
#include "compute/exec/device.h"
#include "compute/halos/halo_finder.h"
#include "compute/halos/substructure.h"
#include "core/particles.h"
#include "core/progress.h"
#include "core/timings.h"
#include "io/snapshot_reader.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace haloscope::compute {
class Ranks;
}

namespace haloscope::analysis {

struct MeasuredHalos;

struct HaloSearchRequest : HaloOptions {
  compute::Device device;
  bool list_members = true;  // the catalog will: counted where memory is asked for
  bool labels = false;       // so with labels of all particles
  // Where the snapshot's positions are, if they were loaded before; they are not read again then.
  std::shared_ptr<const ResidentPoints> resident;
  // That search together, each with its part of the particles; null: this process alone.
  compute::Ranks* ranks = nullptr;
};

// What was found: halo h has the rows members.run(h, k, …) of
// particles.types[k].
struct HaloSearch {
  // With masses and, where the file has them, velocities: peculiar ones in code units.
  // The linked types, those attached to them, and those that lie around: these have positions and
  // masses alone, for spheres.
  ParticleSet particles;
  std::vector<int> linked, attached;  // numbers of types; particles.types lacks empty ones
  compute::halos::HaloMembership members;
  std::optional<compute::halos::Substructure> substructure;
  // Of several ranks: measured already, on rank 0 (measure_over_ranks.h). The particles are gone
  // then, but for their counts.
  std::shared_ptr<MeasuredHalos> measured;
  double linking_length = 0;  // in the file's own lengths
  double softening = 0;       // the same; 0: not known
  MatterRead matter;          // of what was read
  // The particles are so dense, by wrong units, that spheres would hold the whole box.
  bool no_spheres = false;
  compute::Device device;
  std::uint64_t peak_device_memory = 0;  // bytes
  Timings timings;
  // Sentences, with options' names in backquotes (option_error.h): what was taken for granted, and
  // what was not, but is good to know.
  std::vector<std::string> said, from_file;
  // That the units cannot be right: was told in the log before the search.
  std::optional<std::string> odd_density;

  // Whether halos may have members of a type.
  bool has_members(int type) const;
};

// Reads what the search and the spheres need and finds the halos. Throws Error in the user's words,
// OptionError where these name options; before anything is read where the host has not enough
// memory for all that follows, or the device for the search. With several ranks all call it, and
// rank 0 has what was found.
HaloSearch search_halos(const io::SnapshotReader& reader, const HaloSearchRequest& request,
                        Progress& progress);

}  // namespace haloscope::analysis
