#pragma once

#include "render/plots/draw_plot.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace haloscope::render {

struct LegendEntry {
  std::string name;
  const analysis::PlotLayer* layer = nullptr;  // null: a marked line
  PlotInk ink;
  double dash = 0;  // of a marked line
};

// What a legend lists; nothing where the style has none, or the plot shows a single thing.
struct LegendList {
  std::vector<LegendEntry> entries;
  double row = 0;      // height of a line of it
  double column = 0;   // width of an entry, with what is between it and the next column
  double sample = 0;   // width of the sample before a name
  double words = 0;    // from the begin of an entry to that of its name
  double between = 0;  // of columns
  std::size_t rows_in(double height) const;    // at most as many as there are entries
  std::size_t columns_in(double width) const;  // the same
  std::size_t columns_of(std::size_t rows) const { return (entries.size() + rows - 1) / rows; }
  double width(std::size_t columns) const { return double(columns) * column - between; }
};
// All names; then those of curves alone, and those of curves that are not faint: for plots with
// little room.
std::vector<LegendList> legend_lists(const analysis::Plot& plot, const PlotStyle& style,
                                     const Painter& painter);

// Room that the axes leave to the legend, at their right or above them; both 0: it lies within
// them.
struct LegendPlace {
  double beside = 0, above = 0;
};
// `usual`: the axes as they are without a legend. None: wherever it lay it would cover something,
// or take too much.
std::optional<LegendPlace> place_legend(const analysis::Plot& plot, const PlotFrame& usual,
                                        const LegendList& list, const PlotStyle& style);

// The box of such a size in the corner of the axes where it hides least.
struct LegendCorner {
  PlotArea box;
  bool is_empty = false;  // it hides nothing
};
LegendCorner emptiest_corner(const analysis::Plot& plot, const PlotFrame& frame, double width,
                             double height, const PlotStyle& style);

// From the frame to a legend in its corner.
double legend_margin(const PlotStyle& style);

}  // namespace haloscope::render
