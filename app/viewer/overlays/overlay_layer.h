#pragma once

#include "analysis/catalogs/compared_findings.h"
#include "analysis/finding.h"
#include "analysis/particle_colors.h"
#include "analysis/snapshot/snapshot_interval.h"
#include "app/session/state.h"
#include "app/viewer/brushed_pieces.h"
#include "app/viewer/panels/ui_frame.h"
#include "app/viewer/tasks/scene_model.h"
#include "core/image.h"
#include "render/scene/slice_picture.h"

#include <memory>
#include <optional>

namespace haloscope::app::viewer {

// A picture that is not in the window, and what its overlays tell of.
struct LayerContent {
  const SceneModel& scene;
  std::shared_ptr<const analysis::Finding> circled = {};  // null: none
  const session::State& state;
  session::Camera camera = {};
  int width = 0, height = 0;
  std::optional<analysis::Epoch> epoch = {};  // none: the scene's own
  analysis::ParticleColors colors = {};
  render::ShownSlice slice = {};
  std::shared_ptr<const analysis::ComparedFindings> compared = {};  // null: nothing is
  compute::splotch::Ranging map = {};  // scale and limits of a map, where the state says none
};

// Draws overlays as layers of their own, for stills, films and `haloscope render --overlays`. Needs
// a current OpenGL context and belongs to its thread.
class OverlayLayers {
 public:
  // Premultiplied RGBA. Letters are as large beside the picture as those over a picture of 1280
  // pixels on screen, whatever the window's size is; smaller in pictures that are wide and low, and
  // with a letter size of 1 never too small to be read.
  Image8 draw(const LayerContent& content);
  // With letters of that scale, which are kept: all of a film have one size, and making them takes
  // longer than drawing with them.
  UiFrame& ui(float scale);

 private:
  float made_for_ = 0;
  std::unique_ptr<UiFrame> ui_;
  BrushedPieces brushed_;
};

}  // namespace haloscope::app::viewer
