#include "analysis/topology/persistence_diagram.h"

#include "core/version.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace haloscope::analysis {

namespace topology = compute::topology;

namespace {

constexpr std::size_t kMostPoints = 5000;  // more are counted in tiles

bool is_pair(const topology::Branches& all, std::uint32_t branch) {
  return all.saddle[branch] != topology::kNoCell && all.birth[branch] != all.death[branch];
}

// Where birth and death are one value, as far as both axes have it, so that no axis becomes
// longer. Where that is a short piece or none, as far as one of the axes has it.
std::optional<PlotLayer> diagonal(const Plot& plot, AxisScale scale) {
  const auto scaled = [&](double v) { return scale == AxisScale::Log ? std::log(v) : v; };
  std::array<double, 2> births{HUGE_VAL, -HUGE_VAL}, deaths = births;
  const auto show = [](std::array<double, 2>& range, double value) {
    range = {std::min(range[0], value), std::max(range[1], value)};
  };
  for (const PlotLayer& layer : plot.layers)
    for (const PlotPoint& point : layer.points) {
      show(births, point.x);
      show(deaths, point.y);
    }
  double low = std::max(births[0], deaths[0]), high = std::min(births[1], deaths[1]);
  const double both = low < high ? scaled(high) - scaled(low) : 0;
  if (2 * both < scaled(deaths[1]) - scaled(deaths[0]) || !(low < high)) {
    low = std::min(births[0], deaths[0]);
    high = std::max(births[1], deaths[1]);
  }
  if (!(low < high)) return {};
  PlotLayer line;
  line.kind = LayerKind::Line;
  line.name = "birth = death";
  line.guide = true;
  line.points = {{low, low}, {high, high}};
  return line;
}

}  // namespace

ValueAxis::ValueAxis(const GridTree& tree) : title(tree.grid().name) {
  const FieldStatistics& s = tree.statistics();
  if (!tree.is_log() && s.lowest >= 0 && s.highest > 0) scale = AxisScale::Log;
  if (!tree.grid().unit.empty()) title += " [" + tree.grid().unit + "]";
}

bool ValueAxis::shows(double value) const {
  return std::isfinite(value) && (scale != AxisScale::Log || value > 0);
}

const char* why_no_pairs(const GridTree& tree) {
  return tree.levels() == compute::topology::Levels::Super
             ? "no peak joins a higher one, so that there are no pairs of birth and death to plot"
             : "no void joins a deeper one, so that there are no pairs of birth and death to plot";
}

Plot plot_of_peaks(const char* name, const char* why, const std::string& snapshot) {
  Plot plot;
  plot.name = name;
  plot.why_empty = why;
  plot.notes.push_back(version());
  if (!snapshot.empty()) plot.notes.push_back(snapshot);
  return plot;
}

PersistenceDiagram::PersistenceDiagram(const GridTree& tree) : axis_(tree) {
  const topology::Branches& all = tree.branches();
  lowest_ = HUGE_VAL;
  double high = -HUGE_VAL;
  for (std::uint32_t b = 0; b < all.count(); ++b) {
    if (!is_pair(all, b)) continue;
    for (const double value : {peak_value(tree, b), saddle_value(tree, b)}) {
      if (!axis_.shows(value)) continue;
      lowest_ = std::min(lowest_, value);
      high = std::max(high, value);
    }
  }
  tile_.assign(all.count(), kNoTile);
  counts_.assign(std::size_t(kTiles) * kTiles, 0);
  if (!(lowest_ <= high)) return;
  low_ = scaled(lowest_);
  side_ = std::max((scaled(high) - low_) / kTiles, 1e-300);
  for (std::uint32_t b = 0; b < all.count(); ++b) {
    if (!is_pair(all, b) || !axis_.shows(peak_value(tree, b))) continue;
    tile_[b] = tile_of(peak_value(tree, b), shown_death(tree, b));
    ++counts_[tile_[b]];
    ++pairs_;
  }
}

double PersistenceDiagram::scaled(double value) const {
  return axis_.scale == AxisScale::Log ? std::log(value) : value;
}

double PersistenceDiagram::middle_of_tile(int tile) const {
  const double middle = low_ + (tile + 0.5) * side_;
  return axis_.scale == AxisScale::Log ? std::exp(middle) : middle;
}

std::uint16_t PersistenceDiagram::tile_of(double birth, double death) const {
  const auto along = [&](double v) {
    return std::clamp(int((scaled(v) - low_) / side_), 0, kTiles - 1);
  };
  return std::uint16_t(along(birth) * kTiles + along(death));
}

double PersistenceDiagram::shown_death(const GridTree& tree, std::uint32_t branch) const {
  const double death = saddle_value(tree, branch);
  return axis_.shows(death) ? death : lowest_;
}

PlotPoint PersistenceDiagram::point_of(const GridTree& tree, std::uint32_t branch) const {
  PlotPoint point;
  point.x = peak_value(tree, branch);
  point.y = shown_death(tree, branch);
  return point;
}

// A point in the middle of each tile that has pairs, which says how many.
void PersistenceDiagram::add_tiles(const Counts& counts, std::size_t pairs, Plot& plot,
                                   PlotLayer& layer) const {
  for (int tile = 0; tile < kTiles * kTiles; ++tile) {
    if (counts[std::size_t(tile)] == 0) continue;
    PlotPoint point{middle_of_tile(tile / kTiles), middle_of_tile(tile % kTiles)};
    point.words = fmt::format("{} pairs", counts[std::size_t(tile)]);
    layer.points.push_back(std::move(point));
  }
  plot.notes.push_back(fmt::format(
      "{} pairs are counted in {} x {} tiles, of which each point is one.", pairs, kTiles, kTiles));
}

std::vector<std::uint64_t> PersistenceDiagram::within(const GridTree& tree, const Structures& found,
                                                      const std::array<double, 2>& births,
                                                      const std::array<double, 2>& deaths) const {
  std::vector<std::uint64_t> inside;
  for (std::size_t k = 0; k < found.branch.size(); ++k) {
    if (tile_[found.branch[k]] == kNoTile) continue;
    const PlotPoint point = point_of(tree, found.branch[k]);
    if (point.x >= births[0] && point.x <= births[1] && point.y >= deaths[0] &&
        point.y <= deaths[1])
      inside.push_back(k);
  }
  return inside;
}

Plot PersistenceDiagram::plot(const GridTree& tree, const Structures& found,
                              const std::string& snapshot) const {
  Plot plot = plot_of_peaks("persistence_diagram", why_no_pairs(tree), snapshot);
  plot.x = {"birth: " + axis_.title, axis_.scale};
  plot.y = {"death: " + axis_.title, axis_.scale};
  if (pairs_ == 0) return plot;
  // Of halos and voids what is left out is joined to others or too shallow: no noise.
  const char* const others_name = found.peak_level ? "other branches" : "noise";
  plot.caption = fmt::format(
      "Each point is a branch that ends: the farther from the diagonal, the more it persists. "
      "What never ends is not drawn. Gray: {}. Dashed: birth and death are one value.",
      others_name);
  if (axis_.scale == AxisScale::Log)
    plot.caption += " Those that end at 0, in empty cells, are drawn at the lowest end above 0.";
  plot.notes.push_back(plot.caption);
  // The window alone takes rectangles.
  plot.caption += " Shift and drag selects those in a rectangle.";
  plot.of_pairs = true;

  Counts counts(counts_.size(), 0);
  std::size_t structures = 0;
  for (const std::uint32_t b : found.branch) {
    if (tile_[b] == kNoTile) continue;
    ++counts[tile_[b]];
    ++structures;
  }
  const std::size_t rest = pairs_ - structures;
  if (rest > 0) {
    PlotLayer layer;
    layer.kind = LayerKind::Points;
    layer.name = others_name;
    layer.faint = true;
    if (rest > kMostPoints) {
      Counts others = counts_;
      for (std::size_t tile = 0; tile < others.size(); ++tile) others[tile] -= counts[tile];
      add_tiles(others, rest, plot, layer);
    } else {
      std::size_t next = 0;  // structure
      for (std::uint32_t b = 0; b < tile_.size(); ++b) {
        const bool is_structure = next < found.branch.size() && found.branch[next] == b;
        next += is_structure;
        if (!is_structure && tile_[b] != kNoTile) layer.points.push_back(point_of(tree, b));
      }
    }
    plot.layers.push_back(std::move(layer));
  }
  if (structures > 0) {
    PlotLayer layer;
    layer.kind = LayerKind::Points;
    const bool super = tree.levels() == topology::Levels::Super;
    layer.name = found.peak_level ? "" : super ? "peaks" : "voids";
    if (structures > kMostPoints) {
      add_tiles(counts, structures, plot, layer);
    } else {
      for (std::size_t k = 0; k < found.branch.size(); ++k) {
        if (tile_[found.branch[k]] == kNoTile) continue;
        layer.points.push_back(point_of(tree, found.branch[k]));
        layer.points.back().piece = k;
      }
    }
    plot.layers.push_back(std::move(layer));
  }
  // Behind the others in the list, so that their colors stay what they are without it.
  if (auto line = diagonal(plot, axis_.scale)) plot.layers.push_back(std::move(*line));
  return plot;
}

}  // namespace haloscope::analysis
