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
  // Of this rank's particles, as all that is here.
  analysis::SmoothingLengths found{analysis::LengthsChoice{}};
  // As they are drawn: the file's own where `drawn.radii` is null, and none is missing.
  DrawnRadii drawn;
  // The radii that limit a color by local density, those of one process; empty for other colors.
  std::vector<std::vector<float>> sample;
};

// Reads, searches and estimates lengths as one process does: SmoothingLengths, drawn_radii, and
// what a renderer estimates where there are none. All ranks call it, each with its part of the
// particles, cleaned (clean_columns), and with their looks.
//
// Where some lengths are missing that no search finds, each rank gets the places of all the type's
// particles for a while, 12 bytes each, and what it takes to sort them: of zeros in the file, more
// than k particles at one place, a search that was not asked for or has no room. Known limit: these
// types must fit on each rank; throws Error where one does not.
LengthsOverRanks lengths_over_ranks(compute::Ranks& ranks, const SnapshotInfo& info,
                                    const ParticleSet& own, const std::vector<TypeLook>& looks,
                                    analysis::LengthsChoice choice, std::uint64_t gpu_memory_bytes,
                                    double extent, Progress& progress);

}  // namespace haloscope::render
