#pragma once

#include "analysis/snapshot/smoothing_lengths.h"
#include "analysis/snapshot/snapshot_options.h"
#include "core/particles.h"
#include "core/progress.h"
#include "io/loading/particle_loader.h"
#include "render/film/particle_match.h"

#include <string>
#include <vector>

namespace haloscope::render {

// A snapshot of a series in memory, ready to be drawn or interpolated.
struct FilmSnapshot {
  ParticleSet particles;  // cleaned
  analysis::SmoothingLengths lengths{analysis::LengthsChoice{}};
  std::vector<Array<IdRow>> ids;  // per type of the set; empty where not asked for

  // Per type, lengths that were found in place of those that it lacks, or null.
  std::vector<const float*> radii() const;
};

// How the snapshots of a series are read.
struct FilmSnapshotRequest {
  analysis::SnapshotOptions said;
  io::LoadRequest load;
  analysis::LengthsChoice lengths;
  bool ids = false;
};

// Reads one, finds its missing lengths and sorts its IDs. Throws Error where two particles of a
// type have one ID, and what opening and loading throw.
FilmSnapshot load_film_snapshot(const std::string& name, const FilmSnapshotRequest& request,
                                Progress& progress);

}  // namespace haloscope::render
