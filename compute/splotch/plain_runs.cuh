#pragma once

#include "compute/exec/cuda.h"
#include "compute/splotch/layer.h"
#include "compute/splotch/runs_cuda.cuh"

namespace haloscope::compute::splotch {

// Whether particles of this look may be drawn by draw_plain_runs(): light by one color value, or by
// none, that is taken as it is or by its logarithm.
bool has_plain_look(const Layer& layer);
// Whether a block of each of their kernels fits this GPU.
bool can_draw_plain(const Cuda& exec);

// Draws the plain runs (RunBounds::plain) that fall into a window and lie within the image: most of
// them, where particles are small. What is true of the whole run is not asked of each particle.
// Runs that are not full or have unlike weights, those that are not plain, and all of other looks
// are left to draw_runs(). Weakness: a splat's light in a pixel that is below half a unit of the
// window is lost; colors that are nearly black, below some thousandth of the palette's brightest,
// lose by it.
// Draws sparse runs too: plain ones whose boxes are larger than RunsTask.windowed_side, cross the
// image's edge, or hold none but wide splats. Their narrow splats go into RunsTask.splat_bins, as
// far as there is room, and are left there.
// Groups all others for draw_runs().
void draw_plain_runs(Cuda& exec, const Projector<float>& projector, const Layer& layer,
                     const RunsTask& task, SideStream& side);

}  // namespace haloscope::compute::splotch
