#pragma once

#include "app/viewer/overlays/overlay_pen.h"
#include "app/viewer/panels/panel_input.h"
#include "compute/splotch/settings.h"
#include "core/snapshot_info.h"

#include <array>
#include <string>
#include <vector>

namespace haloscope::app::viewer {

// The color bars over a picture: of the particles, of what they are colored by in place of that, of
// a map, and of a slice, and the colors of sets. They stand below one another, from a corner on.
class ColorLegends {
 public:
  // `room`: pixels from `x` on; longer titles go on in a line below.
  ColorLegends(const PanelInput& input, OverlayPen& pen, float x, float y, float room)
      : input_(input), pen_(pen), x_(x), y_(y), room_(room) {}

  void draw_particles();
  void draw_slice();
  void draw_sets();
  // Where what stands below them begins.
  float y() const { return y_; }

 private:
  void map_colors();
  void finding_colors();
  void piece_colors(const std::string& piece);
  void type_colors();
  void vector_colors(const std::string& type, const FieldInfo& field,
                     const compute::splotch::Ranging& color);
  // A title, a strip so wide, in points, and its limits, which a press on them shall change.
  void bar(const ColorBarPlace& of, const std::string& title,
           const std::vector<std::array<float, 3>>& colors, const compute::splotch::Ranging& color,
           float width, int steps);
  void title(const std::string& words);
  void limits(const compute::splotch::Ranging& color, float y, float width);
  bool on_white() const { return input_.state.tone.white_ground; }
  float height() const { return 10 * pen_.scale(); }
  // Down to the next one, below a strip that begins at `y_`.
  void end_strip(float width);

  const PanelInput& input_;
  OverlayPen& pen_;
  float x_, y_, room_;
  bool drawn_ = false;
};

}  // namespace haloscope::app::viewer
