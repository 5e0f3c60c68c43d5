#include "analysis/halos/mass_function_plot.h"

#include "core/version.h"

#include <fmt/format.h>

#include <cmath>

namespace haloscope::analysis {

namespace {

std::string with_unit(const std::string& words, const std::string& unit) {
  return unit.empty() ? words : fmt::format("{} [{}]", words, unit);
}

}  // namespace

Plot mass_function_plot(const FoundHalos& halos) {
  const MassFunction& function = halos.mass_function;
  Plot plot;
  plot.x = {with_unit("M", function.mass_unit), AxisScale::Log};
  plot.y = {with_unit("dn/dlog_{10} M", function.value_unit), AxisScale::Log};
  if (function.bins.empty()) return plot;
  PlotLayer layer;
  layer.name = "halos";
  for (const MassBin& bin : function.bins) {
    PlotPoint point;
    point.x = std::pow(10, (bin.low + bin.high) / 2);
    point.x_low = std::pow(10, bin.low);
    point.x_high = std::pow(10, bin.high);
    point.y = bin.value;
    point.y_low = bin.lower;
    point.y_high = bin.upper;
    layer.points.push_back(point);
  }
  plot.layers.push_back(std::move(layer));
  const auto members = halos.options.min_members;
  if (function.least_mass > 0)
    plot.marks.push_back({fmt::format("{} members", members), function.least_mass});
  plot.notes.push_back(version());
  if (!halos.provenance.snapshot.empty()) plot.notes.push_back(halos.provenance.snapshot);
  plot.notes.push_back("Bars: Poisson, 1 sigma (Gehrels 1986, eqs. 9, 12).");
  return plot;
}

}  // namespace haloscope::analysis
