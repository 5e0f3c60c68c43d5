#include "analysis/topology/peaks_plots.h"

#include "core/version.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

namespace haloscope::analysis {

namespace topology = compute::topology;

namespace {

constexpr std::size_t kMostPoints = 5000;  // more are counted in tiles
constexpr int kTiles = 96;                 // along each axis
constexpr std::size_t kCurvePoints = 1000;

struct DiagramPair {
  double birth = 0, death = 0, persistence = 0;
  bool is_structure = false;
  std::uint32_t structure = 0;  // its number, if it is one
};

class PeaksPlots {
 public:
  PeaksPlots(const GridTree& tree, const Structures& found, const std::string& snapshot)
      : tree_(tree), found_(found), snapshot_(snapshot) {
    read_pairs();
    const FieldStatistics& s = tree.statistics();
    scale_ = !tree.is_log() && s.lowest >= 0 && s.highest > 0 ? AxisScale::Log : AxisScale::Linear;
    value_ = tree.grid().name;
    if (!tree.grid().unit.empty()) value_ += " [" + tree.grid().unit + "]";
  }

  Plot diagram() const {
    Plot plot = empty("persistence_diagram", "no branch ends");
    plot.x = {"birth: " + value_, scale_};
    plot.y = {"death: " + value_, scale_};
    std::vector<DiagramPair> noise, structures;
    for (const DiagramPair& pair : pairs_)
      if (is_seen(pair.birth)) (pair.is_structure ? structures : noise).push_back(pair);
    if (noise.empty() && structures.empty()) return plot;
    plot.caption =
        "Each point is a branch that ends: the farther from the diagonal, the more it persists. "
        "Gray: noise. Dashed: birth and death are one value.";
    if (scale_ == AxisScale::Log)
      plot.caption += " Those that end at 0, in empty cells, are drawn at the lowest end above 0.";
    plot.notes.push_back(plot.caption);
    add_points(plot, noise, "noise", true);
    add_points(plot, structures, found_.peak_level ? "" : "peaks", false);
    // Behind the others in the list, so that their colors stay what they are without it.
    if (auto line = diagonal(plot)) plot.layers.push_back(std::move(*line));
    return plot;
  }

  Plot curve() const {
    Plot plot = empty("persistence_curve", "no branch ends");
    const bool ratio = is_ratio();
    plot.x = {ratio ? "ratio of birth and death" : "persistence: " + value_, AxisScale::Log};
    plot.y = {"pairs that persist as much", AxisScale::Log};
    std::vector<double> values;
    for (const DiagramPair& pair : pairs_)
      if (std::isfinite(pair.persistence) && pair.persistence > 0)
        values.push_back(pair.persistence);
    if (values.empty()) return plot;
    std::sort(values.begin(), values.end(), std::greater<>());
    PlotLayer layer;
    layer.kind = LayerKind::Line;
    for (const std::size_t k : sampled(values.size()))
      layer.points.push_back({values[k], double(k + 1)});
    plot.layers.push_back(std::move(layer));
    if (!found_.peak_level && found_.simplification.threshold > (ratio ? 1 : 0))
      plot.marks.push_back({"threshold", found_.simplification.threshold, true, !ratio});
    return plot;
  }

  Plot betti() const {
    Plot plot = empty("betti_0", "there is no level");
    plot.x = {"level: " + value_, scale_};
    plot.y = {"components", AxisScale::Log};
    const topology::BettiCurve<double> curve = components();
    PlotLayer layer;
    layer.kind = LayerKind::Line;
    const std::size_t step = curve.level.size() / kCurvePoints + 1;
    for (std::size_t k = 0; k < curve.level.size(); k += step)
      if (is_seen(curve.level[k]) && curve.components[k] > 0)
        layer.points.push_back({curve.level[k], double(curve.components[k])});
    if (layer.points.empty()) return plot;
    plot.layers.push_back(std::move(layer));
    if (tree_.threshold() && is_seen(*tree_.threshold()))
      plot.marks.push_back({"threshold", *tree_.threshold()});
    return plot;
  }

 private:
  bool is_ratio() const {
    return found_.simplification.measure == topology::Simplification::Measure::Ratio;
  }
  bool is_seen(double value) const {
    return std::isfinite(value) && (scale_ != AxisScale::Log || value > 0);
  }

  Plot empty(const char* name, const char* why) const {
    Plot plot;
    plot.name = name;
    plot.why_empty = why;
    plot.notes.push_back(version());
    if (!snapshot_.empty()) plot.notes.push_back(snapshot_);
    return plot;
  }

  void read_pairs() {
    const topology::Branches& all = tree_.branches();
    std::vector<bool> is_structure(all.count(), false);
    std::vector<std::uint32_t> structure(all.count(), 0);
    for (std::size_t k = 0; k < found_.branch.size(); ++k) {
      is_structure[found_.branch[k]] = true;
      structure[found_.branch[k]] = std::uint32_t(k);
    }
    for (std::uint32_t b = 0; b < all.count(); ++b) {
      if (all.saddle[b] == topology::kNoCell || all.birth[b] == all.death[b]) continue;
      DiagramPair pair{peak_value(tree_, b), saddle_value(tree_, b), 0, bool(is_structure[b]),
                       structure[b]};
      const double high = std::max(pair.birth, pair.death), low = std::min(pair.birth, pair.death);
      pair.persistence = is_ratio() ? (low > 0 ? high / low : HUGE_VAL) : high - low;
      pairs_.push_back(pair);
    }
  }

  // Ends at or below 0 have no place on a logarithmic axis.
  double lowest_end() const {
    double lowest = HUGE_VAL;
    for (const DiagramPair& pair : pairs_)
      for (const double value : {pair.birth, pair.death})
        if (is_seen(value)) lowest = std::min(lowest, value);
    return lowest;
  }

  void add_points(Plot& plot, std::vector<DiagramPair>& pairs, const char* name, bool faint) const {
    if (pairs.empty()) return;
    const double lowest = lowest_end();
    for (DiagramPair& pair : pairs)
      if (!is_seen(pair.death)) pair.death = lowest;
    PlotLayer layer;
    layer.kind = LayerKind::Points;
    layer.name = name;
    layer.faint = faint;
    if (pairs.size() <= kMostPoints) {
      for (const DiagramPair& pair : pairs) {
        PlotPoint& point = layer.points.emplace_back();
        point.x = pair.birth;
        point.y = pair.death;
        if (pair.is_structure) point.piece = pair.structure;
      }
    } else {
      add_tiles(pairs, layer);
      plot.notes.push_back(
          fmt::format("{} pairs are counted in {} x {} tiles, of which each point "
                      "is one.",
                      pairs.size(), kTiles, kTiles));
    }
    plot.layers.push_back(std::move(layer));
  }

  // Where birth and death are one value, as far as both axes have it, so that no axis becomes
  // longer. Where that is a short piece or none, as far as one of the axes has it.
  std::optional<PlotLayer> diagonal(const Plot& plot) const {
    const auto scaled = [&](double v) { return scale_ == AxisScale::Log ? std::log(v) : v; };
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

  // A point in the middle of each tile that has pairs, which says how many.
  void add_tiles(const std::vector<DiagramPair>& pairs, PlotLayer& layer) const {
    const auto scaled = [&](double v) { return scale_ == AxisScale::Log ? std::log(v) : v; };
    const auto unscaled = [&](double v) { return scale_ == AxisScale::Log ? std::exp(v) : v; };
    double low = HUGE_VAL, high = -HUGE_VAL;
    for (const DiagramPair& pair : pairs)
      for (const double v : {scaled(pair.birth), scaled(pair.death)}) {
        low = std::min(low, v);
        high = std::max(high, v);
      }
    const double side = std::max((high - low) / kTiles, 1e-300);
    const auto tile = [&](double v) {
      return std::clamp(int((scaled(v) - low) / side), 0, kTiles - 1);
    };
    std::map<std::pair<int, int>, std::uint64_t> counts;
    for (const DiagramPair& pair : pairs) ++counts[{tile(pair.birth), tile(pair.death)}];
    for (const auto& [at, count] : counts) {
      PlotPoint point{unscaled(low + (at.first + 0.5) * side),
                      unscaled(low + (at.second + 0.5) * side)};
      point.words = fmt::format("{} pairs", count);
      layer.points.push_back(std::move(point));
    }
  }

  // Places in a descending list, ever farther apart.
  static std::vector<std::size_t> sampled(std::size_t size) {
    std::vector<std::size_t> places;
    double next = 0;
    const double factor = std::pow(double(size), 1.0 / double(kCurvePoints));
    for (std::size_t k = 0; k < size; ++k) {
      if (double(k + 1) < next && k + 1 < size) continue;
      places.push_back(k);
      next = double(k + 1) * factor;
    }
    return places;
  }

  topology::BettiCurve<double> components() const {
    const topology::Branches& all = tree_.branches();
    topology::Pairs<double> pairs;
    for (std::uint32_t b = 0; b < all.count(); ++b) {
      if (all.saddle[b] != topology::kNoCell && all.birth[b] == all.death[b]) continue;
      pairs.birth.push_back(peak_value(tree_, b));
      pairs.death.push_back(saddle_value(tree_, b));
      pairs.birth_index.push_back(all.maximum[b]);
      pairs.death_index.push_back(all.saddle[b]);
    }
    return topology::betti_0_curve(pairs, tree_.levels());
  }

  const GridTree& tree_;
  const Structures& found_;
  const std::string& snapshot_;
  std::vector<DiagramPair> pairs_;  // that end, without those of zero persistence
  AxisScale scale_ = AxisScale::Linear;
  std::string value_;
};

}  // namespace

std::vector<Plot> peaks_plots(const GridTree& tree, const Structures& found,
                              const std::string& snapshot) {
  const PeaksPlots plots(tree, found, snapshot);
  return {plots.diagram(), plots.curve(), plots.betti()};
}

}  // namespace haloscope::analysis
