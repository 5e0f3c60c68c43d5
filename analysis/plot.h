#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace haloscope::analysis {

// What a plot shows, as plain numbers: who made it knows no screen, and whoever draws or writes it
// knows no halos. Titles may hold "10^{12}", "log_{10}" and "Mpc^-3": raised and lowered letters.

enum class AxisScale { Linear, Log, Asinh };

struct PlotAxis {
  std::string title;  // with its unit: "M [Msun/h]"
  AxisScale scale = AxisScale::Linear;
  double softening = 1;      // of asinh: linear below, logarithmic far above
  double low = 0, high = 0;  // what is seen at first; equal: all there is
};

inline constexpr double kNotThere = std::numeric_limits<double>::quiet_NaN();

// Ends are NaN where there are none.
struct PlotPoint {
  double x = 0, y = 0;
  double x_low = kNotThere, x_high = kNotThere;  // of a bin
  // Of one standard deviation. A point whose value has no place on a logarithmic axis (0) is drawn
  // as an upper limit at y_high.
  double y_low = kNotThere, y_high = kNotThere;
  std::string words = {};  // of a bin: what is told while the cursor is in it
  // Of a point that stands for a piece of what was found: its number, which a click selects.
  std::optional<std::uint64_t> piece = {};
};

enum class LayerKind {
  Points,
  Line,   // from point to point, broken where a value is NaN
  Steps,  // from x_low to x_high, joined
  Bars    // from 0, or on a logarithmic axis from its lower end
};

// Of two results that are compared: each has one color, in plots as in pictures.
enum class ComparedSide { Neither, First, Second };

struct PlotLayer {
  LayerKind kind = LayerKind::Points;
  std::string name;  // in the legend; empty: not there
  std::vector<PlotPoint> points;
  bool faint = false;  // beside what matters
  // The layer whose color it has, paler; else what is faint is gray.
  std::optional<std::size_t> paler_than = {};
  bool guide = false;  // a line to compare with: dashed, in the color of the axes
  ComparedSide side = ComparedSide::Neither;
};

// A straight line across the plot at one value.
struct PlotMark {
  std::string name;  // in the legend
  double at = 0;
  bool across_x = true;  // at a value of x; else of y
  bool movable = false;  // by a mouse
};

// A part of a plot that a click takes, with the number of what is drawn there.
struct PlotPart {
  double x_low = 0, x_high = 0, y_low = 0, y_high = 0;
  std::uint64_t number = 0;
  std::string words;  // what is told while the cursor is in it
};

// Bins of x and y, each with a color by its value, below all layers.
struct PlotMap {
  std::vector<double> x_edges, y_edges;  // ascending
  // Of the bins, those of the first bin of x first; NaN: no color.
  std::vector<double> values;
  PlotAxis colors;  // of the values
};

// Pieces of what was found, or branches of it, each at a place of a plot.
struct PlotPieces {
  struct Place {
    double x = 0, y = 0;
    std::uint64_t number = 0;
  };
  std::vector<Place> places;
  bool branches = false;
  bool has_height = true;  // false: y of a place means nothing
};

// Which particles a part of a plot holds.
struct PlotParticles {
  std::string x, y;  // fields of the snapshot along the axes; empty: the axis tells none
  // x is the distance from there, code units.
  std::optional<std::array<double, 3>> center = {};
  std::string property = {};  // x is this property of pieces: the title of a column
  double unit = 1;            // of x, in the column's
  std::shared_ptr<const PlotPieces> pieces = {};  // those at places in it
  bool operator==(const PlotParticles&) const = default;
};

struct Plot {
  std::string title;
  PlotAxis x, y;
  std::vector<PlotLayer> layers;
  std::vector<PlotMark> marks;
  // How it was made and what its bars mean: goes with every file.
  std::vector<std::string> notes;
  std::string name = {};     // of commands and files: "mass_function"
  std::string caption = {};  // a sentence or two below it in the window, in place of a legend
  std::string why_empty = "there is nothing to plot";  // where there are no layers
  std::vector<PlotPart> branches = {};                 // of a tree (finding.h)
  // x is where pieces begin and y where they end: a rectangle selects those in it.
  bool of_pairs = false;
  std::optional<PlotMap> map = {};
  std::optional<PlotParticles> particles = {};  // none: a part of it means no particles

  bool is_empty() const { return layers.empty() && !map; }
};

}  // namespace haloscope::analysis
