#pragma once

#include "analysis/plot.h"
#include "render/plots/draw_plot.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace haloscope::app::viewer {

enum class PlotDrag { None, Pan, Mark, Brush };

// What a user has made of a plot with the mouse.
struct PlotView {
  std::optional<render::PlotLimits> limits;  // nothing: those that fit
  PlotDrag drag = PlotDrag::None;
  std::size_t mark = 0;     // that is dragged
  render::PlotPlace brush;  // the values where the brush was set down
  std::string of;           // what the plot is of
};

// Of a plot of that snapshot, by its name: as the user has left it, and new where it was of
// something else then, as a histogram of another field.
PlotView& view_of(const analysis::Plot& plot, const std::string& snapshot,
                  std::map<std::string, PlotView>& views);

struct MovedMark {
  std::size_t mark = 0;
  double value = 0;
};

// What happened in this frame.
struct PlotEvents {
  std::optional<render::PlotPlace> cursor;     // values under the mouse
  std::optional<MovedMark> moved;              // a marked line is dragged there
  std::optional<render::PlotLimits> brushing;  // this rectangle is being drawn
  std::optional<render::PlotLimits> brushed;   // it was drawn
  std::optional<std::uint64_t> clicked;        // the branch of that number
  std::optional<std::uint64_t> picked;         // the piece of that number
};

// The frame after the wheel was turned by so many notches at a place: both axes zoom, over the
// numbers of one axis that one alone.
render::PlotLimits wheel_zoomed(const render::PlotFrame& frame, const render::PlotPlace& place,
                                double notches);
render::PlotLimits dragged(const render::PlotFrame& frame, double dx, double dy);

// The marked line that a press there takes: a movable one within `reach` pixels.
std::optional<std::size_t> mark_under(const analysis::Plot& plot, const render::PlotFrame& frame,
                                      const render::PlotPlace& place, double reach);

// The branch that a place lies in; null: in none.
const analysis::PlotPart* branch_under(const analysis::Plot& plot, const render::PlotFrame& frame,
                                       const render::PlotPlace& place);

// The point of a piece within `reach` pixels of a place, the nearest; null: there is none.
const analysis::PlotPoint* piece_point_under(const analysis::Plot& plot,
                                             const render::PlotFrame& frame,
                                             const render::PlotPlace& place, double reach);

// The values between two places, cut off at the frame; ascending.
render::PlotLimits limits_between(const render::PlotFrame& frame, const render::PlotPlace& from,
                                  const render::PlotPlace& to);

// "x 1.23e12, y 0.0045": with the digits that a pixel is worth.
std::string values_in_words(const render::PlotFrame& frame, const render::PlotPlace& place);

// What can be done to a plot beside looking at it.
struct PlotWishes {
  bool brush = false;                                         // Shift and drag draws a rectangle
  std::optional<render::PlotLimits> chosen = {};              // a rectangle that is marked
  std::optional<std::uint64_t> chosen_branch = {};            // is marked
  std::optional<std::uint64_t> chosen_piece = {};             // the same
  const std::vector<std::uint64_t>* chosen_pieces = nullptr;  // the same, ascending; null: none
};

// A plot as a part of a window, of that size in pixels: the wheel zooms about the mouse, a drag
// moves it or a marked line, one with Shift draws a rectangle, a click takes a branch, a
// double-click shows all again, and the mouse carries a cross with the values under it. `id`: for
// Dear ImGui.
PlotEvents show_plot(const char* id, const analysis::Plot& plot, PlotView& view, float width,
                     float height, const render::PlotStyle& style, const PlotWishes& wishes = {});

// A plot for print over all of the window that Dear ImGui has; `scale`: pixels per point.
void draw_paper_plot(const analysis::Plot& plot, double scale, double width, double height);

// With no more digits than a step shows, and `most` at most.
std::string with_step(double value, double step, int most);

// A color of Dear ImGui's style, by its ImGuiCol.
render::PlotInk ink_of(int color, float alpha = 1);

// As the panels look; `scale`: pixels per point.
render::PlotStyle screen_style(float scale);

}  // namespace haloscope::app::viewer
