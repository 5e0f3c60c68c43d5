#pragma once

#include "analysis/snapshot/smoothing_lengths.h"
#include "compute/exec/ranks.h"
#include "compute/splotch/renderer.h"
#include "core/particles.h"
#include "core/progress.h"
#include "core/snapshot_info.h"
#include "render/scene/render_request.h"

#include <cstdint>
#include <span>
#include <vector>

namespace haloscope::render {

// How a request wants the lengths that the file lacks to be come by. HALOSCOPE_NO_CACHE in the
// environment keeps none.
analysis::LengthsChoice lengths_choice(const RenderRequest& request, compute::Device device);

// Smoothing lengths for types whose file has none, one entry per type. Not copied: `radii` point
// into the others.
struct DrawnRadii {
  std::vector<const float*> radii;  // null: the type's own, or the renderer estimates them
  std::vector<std::vector<float>> capped;
  std::vector<std::uint64_t> estimated;  // so many of `capped` are the renderer's estimate

  DrawnRadii() = default;
  DrawnRadii(DrawnRadii&&) = default;
  DrawnRadii& operator=(DrawnRadii&&) = default;
};

// Lengths of a type that the file lacks, capped as those of compact types (cap_compact); none where
// the type is not compact. `ranks`: each with its part of them.
std::vector<float> cap_found(const SnapshotInfo& info, int type, std::span<const float> found,
                             double extent, compute::Ranks& ranks);

// Takes the lengths that were found (null: none were), but caps those of compact types
// (cap_compact): they are estimated here, by the renderer, where none were found. `extent`: longest
// side of what a first picture shows. The renderer may have other particles afterwards.
DrawnRadii drawn_radii(const SnapshotInfo& info, const ParticleSet& particles,
                       const std::vector<const float*>& found, double extent,
                       compute::splotch::Renderer& renderer, Progress& progress);

}  // namespace haloscope::render
