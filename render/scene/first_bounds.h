#pragma once

#include "compute/exec/ranks.h"
#include "core/particles.h"
#include "core/snapshot_info.h"
#include "render/camera.h"
#include "render/scene/render_request.h"

#include <functional>
#include <string>

namespace haloscope::render {

// Whether the snapshot has a periodic box.
bool has_box(const SnapshotInfo& info);

double longest_side(const Bounds& bounds);

// The box that holds the particles between the quantiles `outside` and 1 − `outside` of each axis
// (of a sample); 0: all particles.
// `ranks`, here and below: each with its part of the particles; all call it, and get the same.
Bounds particle_bounds(const ParticleSet& particles, double outside,
                       compute::Ranks& ranks = compute::alone());

struct FirstBounds {
  Bounds bounds;
  std::string note;  // a sentence where the user may expect something else, or empty
};

// What a first picture shows: the region that was selected of a periodic box or, of a zoom
// simulation, is of high resolution, the box, or where the particles are.
FirstBounds first_bounds(const SnapshotInfo& info, const RenderRequest& request,
                         const ParticleSet& particles, compute::Ranks& ranks = compute::alone());

// Bounds that hold the kernels too, where that matters: a map holds all mass, and particles at one
// point have no extent but their smoothing lengths. `largest_radius`: as drawn, world length; it
// takes time and is asked for only where it matters.
Bounds with_kernels(const SnapshotInfo& info, bool map, const Bounds& bounds,
                    const std::function<double()>& largest_radius);

}  // namespace haloscope::render
