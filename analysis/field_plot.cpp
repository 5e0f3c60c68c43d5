#include "analysis/field_plot.h"

#include "core/version.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace haloscope::analysis {

Plot field_plot(const std::string& name, const ParticleField& field, int bins) {
  Plot plot;
  plot.name = name;
  plot.x = {field.unit.empty() ? name : fmt::format("{} [{}]", name, field.unit),
            field.logarithmic ? AxisScale::Log : AxisScale::Linear};
  plot.y = {"particles"};
  plot.why_empty = "no particle has a value";
  plot.notes.push_back(version());
  const auto [lowest, highest] = limits_of(field);
  if (bins < 1 || !(lowest <= highest)) return plot;
  const auto scaled = [&](double value) { return field.logarithmic ? std::log10(value) : value; };
  const auto unscaled = [&](double step) { return field.logarithmic ? std::pow(10, step) : step; };
  double low = scaled(lowest), high = scaled(highest);
  const bool all_equal = lowest == highest;
  if (all_equal) {
    const double half = field.logarithmic || lowest == 0 ? 0.05 : 0.05 * std::abs(lowest);
    low -= half, high += half;
    bins = 1;
  }
  std::vector<std::uint64_t> counts(std::size_t(bins), 0);
  for (const auto& [type, values] : field.values)
    for (const float value : values) {
      if (!field.can_show(value)) continue;
      const double place = (scaled(double(value)) - low) / (high - low) * bins;
      ++counts[std::size_t(std::clamp(int(place), 0, bins - 1))];
    }
  PlotLayer layer;
  layer.kind = LayerKind::Bars;
  for (int bin = 0; bin < bins; ++bin) {
    PlotPoint point;
    point.x_low = unscaled(low + (high - low) * bin / bins);
    point.x_high = unscaled(low + (high - low) * (bin + 1) / bins);
    point.x = unscaled(low + (high - low) * (bin + 0.5) / bins);
    point.y = double(counts[std::size_t(bin)]);
    const std::string range = all_equal
                                  ? fmt::format("{:.3g}", lowest)
                                  : fmt::format("{:.3g} to {:.3g}", point.x_low, point.x_high);
    point.words = fmt::format("{} {}: {} particles", range, field.unit, counts[std::size_t(bin)]);
    layer.points.push_back(std::move(point));
  }
  plot.layers.push_back(std::move(layer));
  return plot;
}

}  // namespace haloscope::analysis
