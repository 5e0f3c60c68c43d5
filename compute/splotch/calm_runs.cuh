#pragma once

#include "compute/exec/cuda.h"
#include "compute/splotch/layer.h"
#include "compute/splotch/runs_cuda.cuh"

namespace haloscope::compute::splotch {

// Whether particles of this look may be drawn by draw_calm_runs(): light by one color value, or by
// none, that is taken as it is or by its logarithm.
bool has_calm_look(const Layer& layer);
// Whether a block of draw_calm_runs() fits this GPU.
bool can_draw_calm(const Cuda& exec);

// Draws the runs of whose particles none can touch the picture's edge, fade before the eye or lie
// behind a plane (RunBounds::calm), and which fall into a window: most of them, where particles are
// small. What is true of the whole run is not asked of each particle. Other runs, those that are
// not full or have unlike weights, and all of other looks are left to draw_runs(). Weakness: a
// splat's light in a pixel that is below half a unit of the window is lost; colors that are nearly
// black, below some thousandth of the palette's brightest, lose by it.
void draw_calm_runs(Cuda& exec, const Projector<float>& projector, const Layer& layer,
                    const RunsTask& task);

}  // namespace haloscope::compute::splotch
