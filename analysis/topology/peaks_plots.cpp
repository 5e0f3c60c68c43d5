#include "analysis/topology/peaks_plots.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

namespace haloscope::analysis {

namespace topology = compute::topology;

namespace {

constexpr std::size_t kCurvePoints = 1000;
const std::string kRatioTitle = "ratio of birth and death";

bool is_ratio(const Structures& found) {
  return found.simplification.measure == topology::Simplification::Measure::Ratio;
}

// The height of each branch that ends, without those of none, descending.
std::vector<double> persistences(const GridTree& tree, bool ratio) {
  const topology::Branches& all = tree.branches();
  std::vector<double> values;
  for (std::uint32_t b = 0; b < all.count(); ++b) {
    if (all.saddle[b] == topology::kNoCell || all.birth[b] == all.death[b]) continue;
    const double birth = peak_value(tree, b), death = saddle_value(tree, b);
    const double high = std::max(birth, death), low = std::min(birth, death);
    const double value = ratio ? (low > 0 ? high / low : HUGE_VAL) : high - low;
    if (std::isfinite(value) && value > 0) values.push_back(value);
  }
  std::sort(values.begin(), values.end(), std::greater<>());
  return values;
}

// Places in a descending list, ever farther apart.
std::vector<std::size_t> sampled(std::size_t size) {
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

topology::BettiCurve<double> components(const GridTree& tree) {
  const topology::Branches& all = tree.branches();
  topology::Pairs<double> pairs;
  for (std::uint32_t b = 0; b < all.count(); ++b) {
    if (all.saddle[b] != topology::kNoCell && all.birth[b] == all.death[b]) continue;
    pairs.birth.push_back(peak_value(tree, b));
    pairs.death.push_back(saddle_value(tree, b));
    pairs.birth_index.push_back(all.maximum[b]);
    pairs.death_index.push_back(all.saddle[b]);
  }
  return topology::betti_0_curve(pairs, tree.levels());
}

void mark_threshold(const Structures& found, Plot& plot) {
  plot.marks.clear();
  if (plot.layers.empty()) return;
  const double nothing = is_ratio(found) ? 1 : 0;
  if (!found.peak_level && found.simplification.threshold > nothing)
    plot.marks.push_back({"threshold", found.simplification.threshold, true, !is_ratio(found)});
}

Plot curve(const GridTree& tree, const Structures& found, const std::string& snapshot) {
  const bool ratio = is_ratio(found);
  Plot plot = plot_of_peaks("persistence_curve", why_no_pairs(tree), snapshot);
  plot.x = {ratio ? kRatioTitle : "persistence: " + ValueAxis(tree).title, AxisScale::Log};
  plot.y = {"pairs that persist as much", AxisScale::Log};
  const std::vector<double> values = persistences(tree, ratio);
  if (values.empty()) return plot;
  PlotLayer layer;
  layer.kind = LayerKind::Line;
  for (const std::size_t k : sampled(values.size()))
    layer.points.push_back({values[k], double(k + 1)});
  plot.layers.push_back(std::move(layer));
  mark_threshold(found, plot);
  return plot;
}

Plot betti(const GridTree& tree, const std::string& snapshot) {
  const ValueAxis axis(tree);
  Plot plot = plot_of_peaks("betti_0", "there is no level", snapshot);
  plot.x = {"level: " + axis.title, axis.scale};
  plot.y = {"components", AxisScale::Log};
  const topology::BettiCurve<double> curve = components(tree);
  PlotLayer layer;
  layer.kind = LayerKind::Line;
  const std::size_t step = curve.level.size() / kCurvePoints + 1;
  for (std::size_t k = 0; k < curve.level.size(); k += step)
    if (axis.shows(curve.level[k]) && curve.components[k] > 0)
      layer.points.push_back({curve.level[k], double(curve.components[k])});
  if (layer.points.empty()) return plot;
  plot.layers.push_back(std::move(layer));
  if (tree.threshold() && axis.shows(*tree.threshold()))
    plot.marks.push_back({"threshold", *tree.threshold()});
  return plot;
}

const Plot* named(const std::vector<Plot>& plots, const char* name) {
  for (const Plot& plot : plots)
    if (plot.name == name) return &plot;
  return nullptr;
}

}  // namespace

std::vector<Plot> peaks_plots(const GridTree& tree, const Structures& found,
                              const PersistenceDiagram& diagram, const std::string& snapshot) {
  return {diagram.plot(tree, found, snapshot), curve(tree, found, snapshot), betti(tree, snapshot)};
}

std::vector<Plot> peaks_plots_again(const std::vector<Plot>& former, const GridTree& tree,
                                    const Structures& found, const PersistenceDiagram& diagram,
                                    const std::string& snapshot) {
  const Plot* const known = named(former, "persistence_curve");
  const Plot* const levels = named(former, "betti_0");
  if (!known || !levels || (known->x.title == kRatioTitle) != is_ratio(found))
    return peaks_plots(tree, found, diagram, snapshot);
  std::vector<Plot> plots{diagram.plot(tree, found, snapshot), *known, *levels};
  mark_threshold(found, plots[1]);
  return plots;
}

}  // namespace haloscope::analysis
