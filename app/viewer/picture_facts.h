#pragma once

#include "analysis/snapshot/snapshot_interval.h"
#include "app/session/camera.h"
#include "compute/splotch/settings.h"
#include "render/colors/tone_map.h"
#include "render/scene/map_picture.h"

#include <memory>
#include <optional>

namespace haloscope::app::viewer {

// Of the picture on screen.
struct PictureFacts {
  session::Camera camera;
  int divisor = 1;  // 1: full quality
  double milliseconds = 0;
  compute::splotch::Counts counts;
  int sample = 1;                        // one of so many particles was drawn
  render::ToneCurve curve;               // on screen
  std::optional<analysis::Epoch> epoch;  // where it is not the snapshot's own
  // A map in place of light, and scale and limits where its look leaves them open; null: light.
  std::shared_ptr<const render::MapPicture> map = {};
  std::optional<compute::splotch::Ranging> map_color = {};
  render::MapLook map_look = {};  // what the map is of, without its colors
};

}  // namespace haloscope::app::viewer
