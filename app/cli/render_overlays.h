#pragma once

#include "analysis/run_context.h"
#include "app/session/state.h"
#include "compute/splotch/settings.h"
#include "core/image.h"
#include "render/scene/snapshot_scene.h"

#include <memory>

namespace haloscope::app::cli {

// What is drawn over a picture, and the OpenGL that draws it, which is current on this thread.
struct PictureOverlays {
  session::State state;
  std::shared_ptr<void> opengl;
};

// `state`: of the request's state file, or a new window's. Of it the overlays are shown that
// `request.overlays` names; a map that the request asks for is put into it. A search for the
// particles' colors that finds what is circled is told to measure it. Throws Error for names that
// are none, for circles of nothing, for files that hold numbers, for classic pictures, which are
// mirrored, and where there is no OpenGL. `draws`: this rank will draw them, so
// that it needs OpenGL.
PictureOverlays choose_overlays(const session::State& state, render::RenderRequest& request,
                                bool draws);

// Draws over `picture`, which is one of the scene, what a still of the window with that state has:
// the same pixels. `map`: scale and limits of a map. Searches for the pieces that are circled,
// unless the particles have their colors; of several ranks the first does so alone, and reads all
// particles. Throws as analysis::find_in.
Image8 with_overlays(const Image8& picture, render::SnapshotScene& scene,
                     const compute::splotch::View& view, const PictureOverlays& overlays,
                     const compute::splotch::Ranging& map, analysis::RunContext& context);

}  // namespace haloscope::app::cli
