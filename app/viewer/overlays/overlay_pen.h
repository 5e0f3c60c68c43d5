#pragma once

#include "app/viewer/overlays/label_places.h"

#include <imgui.h>
#include <optional>
#include <string>

namespace haloscope::app::viewer {

// Colors of what lies over a picture: bright on a dark one, dark on a white one.
struct OverlayInk {
  ImU32 letters, shade;  // a line, and a wider one below it
  ImU32 outline;         // around letters
  ImU32 ground;          // below legends: what shines through is too faint to compete with letters
  ImU32 piece, chosen;   // circles
  ImU32 compared;        // circles of the other one of two results
  ImU32 cross;           // in place of a circle, which is small
  ImU32 edge;            // of boxes
  ImU32 axes[3];
};
const OverlayInk& overlay_ink(bool white_ground);

// Draws letters and lines over a picture and remembers which places are taken.
class OverlayPen {
 public:
  // `scale`: pixels per point of lines and gaps; `letter_height`: pixels, of Dear ImGui's font.
  OverlayPen(ImDrawList& list, float scale, float letter_height, const OverlayInk& ink);

  const OverlayInk& ink() const { return ink_; }
  ImDrawList& list() { return list_; }
  float scale() const { return scale_; }
  float letter_height() const { return letter_; }
  ImVec2 size_of(const std::string& words) const;
  LabelPlaces::Place place_of(float x, float y, const std::string& words) const;
  LabelPlaces& places() { return places_; }

  // In an outline of the ground's color: readable over dark and bright places alike.
  void text(float x, float y, const std::string& words);
  // That much is covered by the legend that is drawn.
  void cover(const LabelPlaces::Place& place);
  // A legend with a ground below all that it covers.
  template <class Draw>
  void on_ground(const Draw& draw) {
    begin_legend();
    draw();
    end_legend();
  }

  // With sides that keep within a tenth of a pixel of the arc up to a radius of 80,000 pixels; Dear
  // ImGui's own circles have at most 512, which are seen in large stills.
  void ring(ImVec2 at, float radius, ImU32 color, float width);
  void dashed_ring(ImVec2 at, float radius, ImU32 color, float width);
  void cross(ImVec2 at, float arm, ImU32 color, float width);

 private:
  void begin_legend();
  void end_legend();

  ImDrawList& list_;
  float scale_;
  float letter_;  // pixels
  const OverlayInk& ink_;
  LabelPlaces places_;
  std::optional<LabelPlaces::Place> covered_;
};

}  // namespace haloscope::app::viewer
