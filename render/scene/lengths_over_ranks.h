#pragma once

#include "analysis/snapshot/smoothing_lengths.h"
#include "compute/exec/ranks.h"
#include "core/particles.h"
#include "core/progress.h"
#include "core/snapshot_info.h"
#include "render/scene/drawn_radii.h"
#include "render/scene/type_look.h"

#include <vector>

namespace haloscope::render {

// Smoothing lengths of particles that several ranks have; vectors have one entry per type.
struct LengthsOverRanks {
  analysis::SmoothingLengths found{analysis::LengthsChoice{}};  // of all particles
  // Of this rank's particles, as they are drawn: the file's own where `drawn.radii` is null, and
  // none is missing.
  DrawnRadii drawn;
  // The radii that limit a color by local density, those of one process; empty for other colors.
  std::vector<std::vector<float>> sample;
};

// Reads, searches and estimates lengths as one process does: SmoothingLengths, drawn_radii, and
// what a renderer estimates where there are none. All ranks call it, each with its part of the
// particles, cleaned (clean_columns), and with their looks.
//
// A length hangs on the places of the particles around, so each rank gets those of all particles of
// a type for a while, 12 bytes each, and what it takes to sort them; ranks share the search. That
// is so of types without lengths in the file, of those where some are missing, and of those with a
// color by local density and more particles than are looked at for its limits, of which a sample in
// Morton order is taken. Known limit: these types must fit on each rank; throws Error where one
// does not.
LengthsOverRanks lengths_over_ranks(compute::Ranks& ranks, const SnapshotInfo& info,
                                    const ParticleSet& own, const std::vector<TypeLook>& looks,
                                    analysis::LengthsChoice choice, std::uint64_t gpu_memory_bytes,
                                    double extent, Progress& progress);

}  // namespace haloscope::render
