#include "analysis/halos/mass_function_plot.h"

#include "core/version.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace haloscope::analysis {

namespace {

constexpr const char* kBars = "Bars: Poisson, 1 sigma (Gehrels 1986, eqs. 9, 12).";

std::string with_unit(const std::string& words, const std::string& unit) {
  return unit.empty() ? words : fmt::format("{} [{}]", words, unit);
}

// Whether the bin of the lightest halos that may be begins below them.
bool cuts_a_bin(const MassFunction& function) {
  const double least = std::log10(function.least_mass);
  return std::any_of(function.bins.begin(), function.bins.end(), [&](const MassBin& bin) {
    return bin.count > 0 && bin.low < least && least < bin.high;
  });
}

}  // namespace

Plot mass_function_plot(const MassFunction& function, std::uint64_t min_members,
                        const std::string& snapshot) {
  Plot plot;
  plot.name = "mass_function";
  plot.x = {with_unit("M", function.mass_unit), AxisScale::Log};
  plot.y = {with_unit("dn/dlog_{10} M", function.value_unit), AxisScale::Log};
  plot.why_empty = "the halos have no masses";
  if (function.bins.empty()) return plot;
  plot.caption = kBars;
  plot.particles = PlotParticles{};
  plot.particles->property = "Mass";
  plot.particles->unit = 1 / function.mass_factor;
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
    point.words =
        fmt::format("{:.3g} to {:.3g} {}: {} halo{}\n{:.3g}, {:.3g} to {:.3g} {}", point.x_low,
                    point.x_high, function.mass_unit, bin.count, bin.count == 1 ? "" : "s",
                    bin.value, bin.lower, bin.upper, function.value_unit);
    layer.points.push_back(point);
  }
  plot.layers.push_back(std::move(layer));
  if (function.least_mass > 0) {
    const std::string members =
        fmt::format("{} {}", min_members, function.one_mass ? "members" : "lightest particles");
    plot.marks.push_back({members, function.least_mass});
    plot.caption += fmt::format(" Dashed: {}, {:.3g} {}: no halo is lighter{}.", members,
                                function.least_mass, function.mass_unit,
                                cuts_a_bin(function) ? ", so the bin there is incomplete" : "");
  }
  plot.notes.push_back(version());
  if (!snapshot.empty()) plot.notes.push_back(snapshot);
  plot.notes.push_back(kBars);
  return plot;
}

}  // namespace haloscope::analysis
