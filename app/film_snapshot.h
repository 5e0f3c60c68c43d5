#pragma once

#include "app/smoothing_lengths.h"
#include "app/snapshot_options.h"
#include "core/particles.h"
#include "core/progress.h"
#include "io/loading/particle_loader.h"
#include "render/particle_match.h"

#include <string>
#include <vector>

namespace haloscope::app {

// A snapshot of a series in memory, ready to be drawn or interpolated.
struct FilmSnapshot {
  ParticleSet particles;  // cleaned
  SmoothingLengths lengths{LengthsChoice{}};
  std::vector<Array<render::IdRow>> ids;  // per type of the set; empty where not asked for

  // Per type, lengths that were found in place of those that it lacks, or null.
  std::vector<const float*> radii() const;
};

// How the snapshots of a series are read.
struct FilmSnapshotRequest {
  SnapshotOptions said;
  io::LoadRequest load;
  LengthsChoice lengths;
  bool ids = false;
};

// Reads one, finds its missing lengths and sorts its IDs. Throws Error where two particles of a
// type have one ID, and what opening and loading throw.
FilmSnapshot load_film_snapshot(const std::string& name, const FilmSnapshotRequest& request,
                                Progress& progress);

}  // namespace haloscope::app
