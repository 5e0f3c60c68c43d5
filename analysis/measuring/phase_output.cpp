#include "analysis/measuring/phase_output.h"

#include "analysis/plot_units.h"
#include "core/unit_words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <cstddef>
#include <utility>

namespace haloscope::analysis {

namespace {

std::string name_and_unit(const std::string& name, const std::string& unit) {
  return unit.empty() ? name : fmt::format("{} [{}]", name, unit);
}

AxisScale scale_of(const BinEdges& edges) {
  return edges.log() ? AxisScale::Log : AxisScale::Linear;
}

PlotAxis axis_of(const std::string& name, const std::string& unit, const BinEdges& edges) {
  PlotAxis axis{name_and_unit(name, unit_in_print(unit)), scale_of(edges)};
  axis.low = edges.low();
  axis.high = edges.high();
  return axis;
}

// Masses are shown in Msun; the weight's name is that of an axis.
PlotUnit shown_weight(const FoundPhase& found) {
  return plot_mass(found.weight_unit);
}

void add_map(const FoundPhase& found, Plot& plot) {
  const PhaseHistogram& h = found.histogram;
  const PlotUnit unit = shown_weight(found);
  PlotMap map;
  map.x_edges = h.edges[0].edges();
  map.y_edges = h.edges[1].edges();
  map.colors = {name_and_unit(found.weight + " in a bin", unit_in_print(unit.unit)),
                AxisScale::Log};
  bool positive = true;
  for (std::size_t k = 0; k < h.sums.size(); ++k) {
    map.values.push_back(h.counts[k] > 0 ? h.sums[k] * unit.factor : kNotThere);
    positive = positive && !(h.counts[k] > 0 && h.sums[k] <= 0);
  }
  // A field may sum up to less than 0.
  if (!positive) map.colors.scale = AxisScale::Linear;
  plot.map = std::move(map);
}

void add_steps(const FoundPhase& found, Plot& plot) {
  const PhaseHistogram& h = found.histogram;
  const PlotUnit unit = shown_weight(found);
  PlotLayer layer;
  layer.kind = LayerKind::Steps;
  for (std::size_t k = 0; k < h.sums.size(); ++k) {
    PlotPoint point;
    point.x_low = h.edges[0].edge(k);
    point.x_high = h.edges[0].edge(k + 1);
    point.x = h.edges[0].middle(k);
    point.y = h.sums[k] * unit.factor;
    const double deviation = std::sqrt(h.squares[k]) * unit.factor;
    point.y_low = point.y - deviation;
    point.y_high = point.y + deviation;
    point.words = fmt::format("{:.4g} to {:.4g} {}: {:.4g} {}, {} particles", point.x_low,
                              point.x_high, found.x_unit, point.y, unit.unit, h.counts[k]);
    layer.points.push_back(std::move(point));
  }
  PlotLayer bars = layer;
  bars.kind = LayerKind::Points;
  bars.faint = true;
  plot.layers = {std::move(layer), std::move(bars)};
  plot.caption = "Bars: 1 sigma, sqrt of the sum of squared weights.";
}

}  // namespace

std::vector<std::string> phase_in_words(const FoundPhase& found) {
  const PhaseHistogram& h = found.histogram;
  std::vector<std::string> words;
  words.push_back(fmt::format("{} of {}, {} particles; in all bins {:.8g} {}",
                              name_and_unit(found.weight, found.weight_unit),
                              fmt::join(found.types, ", "), h.particles, h.total,
                              unit_behind(found.weight_unit)));
  const auto add = [&](const char* axis, const std::string& name, const std::string& unit,
                       const BinEdges& edges) {
    words.push_back(fmt::format("{}: {}, {} {} bins from {:.6g} to {:.6g}", axis,
                                name_and_unit(name, unit), edges.count(),
                                edges.log() ? "logarithmic" : "linear", edges.low(), edges.high()));
  };
  add("x", found.x, found.x_unit, h.edges[0]);
  if (h.of_two) add("y", found.y, found.y_unit, h.edges[1]);
  return words;
}

std::string phase_csv(const FoundPhase& found, const std::vector<std::string>& origin) {
  const PhaseHistogram& h = found.histogram;
  CsvRows rows;
  for (const std::string& line : origin) rows.comment(line);
  for (const std::string& line : phase_in_words(found)) rows.comment(line);
  rows.comment(fmt::format("sum: {}; deviation: one sigma, sqrt of the sum of squared weights{}",
                           name_and_unit(found.weight, found.weight_unit),
                           h.of_two ? "; bins without particles are left out" : ""));
  rows.head(h.of_two ? "x_low,x_high,y_low,y_high,sum,deviation,count"
                     : "x_low,x_high,sum,deviation,count");
  const std::size_t lines = h.of_two ? h.edges[1].count() : 1;
  for (std::size_t k = 0; k < h.sums.size(); ++k) {
    if (h.of_two && h.counts[k] == 0) continue;
    const std::size_t i = k / lines, j = k % lines;
    rows.cell(h.edges[0].edge(i)).cell(h.edges[0].edge(i + 1));
    if (h.of_two) rows.cell(h.edges[1].edge(j)).cell(h.edges[1].edge(j + 1));
    rows.cell(h.sums[k]).cell(std::sqrt(h.squares[k])).cell(h.counts[k]);
    rows.end();
  }
  return rows.text();
}

MeasuredDatasets phase_datasets(const FoundPhase& found) {
  const PhaseHistogram& h = found.histogram;
  MeasuredDatasets all;
  all.add("XEdges", found.x_unit, found.x, h.edges[0].edges());
  if (h.of_two) all.add("YEdges", found.y_unit, found.y, h.edges[1].edges());
  const std::uint64_t columns = h.of_two ? h.edges[1].count() : 1;
  const std::string axes = h.of_two ? "; the first axis is x" : "";
  std::vector<double> counts(h.counts.begin(), h.counts.end());
  const auto add = [&](const char* name, const std::string& unit, const std::string& about,
                       std::vector<double> values) {
    if (h.of_two)
      all.add_plane(name, unit, about + axes, columns, std::move(values));
    else
      all.add(name, unit, about, std::move(values));
  };
  add("Sum", found.weight_unit, found.weight, h.sums);
  add("SumOfSquares", unit_power(found.weight_unit, 2), "of the weights: the variance of Sum",
      h.squares);
  add("Count", "", "particles", std::move(counts));
  return all;
}

Plot phase_plot(const FoundPhase& found, const std::vector<std::string>& origin) {
  const PhaseHistogram& h = found.histogram;
  Plot plot;
  plot.name = h.of_two ? "phase" : "histogram";
  plot.notes = origin;
  for (const std::string& line : phase_in_words(found)) plot.notes.push_back(line);
  plot.x = axis_of(found.x, found.x_unit, h.edges[0]);
  plot.particles = PlotParticles{found.x, h.of_two ? found.y : std::string()};
  if (h.of_two) {
    plot.y = axis_of(found.y, found.y_unit, h.edges[1]);
    add_map(found, plot);
  } else {
    plot.y = {name_and_unit(found.weight, unit_in_print(shown_weight(found).unit))};
    add_steps(found, plot);
  }
  return plot;
}

}  // namespace haloscope::analysis
