#pragma once

#include "analysis/run_context.h"
#include "app/session/state.h"
#include "compute/splotch/settings.h"
#include "core/image.h"
#include "render/scene/snapshot_scene.h"

namespace haloscope::app::cli {

// The state that overlays of a picture are drawn by: that of the state file, if there is one, with
// what `request.overlays` names. Throws Error for names that are none, for circles of nothing, for
// maps and .exr files, which hold numbers, for classic pictures, which are mirrored, and where
// there is no OpenGL.
session::State overlay_state(const render::RenderRequest& request);

// Draws over `picture`, which is one of the scene, what a still of the window with that state has:
// the same pixels. Searches for the pieces that are circled. Throws Error where there is no OpenGL,
// and as analysis::find_in.
Image8 with_overlays(const Image8& picture, render::SnapshotScene& scene,
                     const compute::splotch::View& view, const session::State& state,
                     analysis::RunContext& context);

}  // namespace haloscope::app::cli
