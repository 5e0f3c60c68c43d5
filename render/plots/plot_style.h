#pragma once

#include "render/plots/painter.h"

#include <vector>

namespace haloscope::render {

// How a plot looks: lengths in the painter's unit.
struct PlotStyle {
  double letters = 14;  // height of a line
  double line = 1;
  PlotInk ground{255, 255, 255, 255};  // alpha 0: none
  PlotInk ink{0, 0, 0, 255};           // axes and words
  PlotInk faint{150, 150, 150, 255};
  PlotInk mark{0, 114, 178, 255};  // marked lines
  std::vector<PlotInk> series;     // of the layers, one after another, then again
  // Of layers of the first and of the second of two results: those of their circles on such a
  // ground.
  PlotInk first{15, 85, 150, 255}, second{165, 30, 90, 255};
  // Of a map's values, from the lowest to the highest, in even steps.
  std::vector<PlotInk> ramp{{208, 225, 242, 255},
                            {107, 174, 214, 255},
                            {49, 110, 175, 255},
                            {72, 45, 128, 255},
                            {40, 10, 50, 255}};
  bool legend = true;
  bool bare = false;  // no axes and no words: the layers fill the area
};

// Black on white, for print. The colors are those of Okabe & Ito (2008), which are told apart by
// eyes that don't see red or green.
inline PlotStyle paper_style(double scale) {
  PlotStyle style;
  style.letters = 14 * scale;
  style.line = scale;
  style.series = {{0, 0, 0, 255},       {213, 94, 0, 255},  {0, 158, 115, 255},
                  {204, 121, 167, 255}, {230, 159, 0, 255}, {86, 180, 233, 255}};
  return style;
}

// Size of a plot in a file, points: its letters are 7 points high in a column of a journal.
inline constexpr double kPaperWidth = 480, kPaperHeight = 360;

}  // namespace haloscope::render
