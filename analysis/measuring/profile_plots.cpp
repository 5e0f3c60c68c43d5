#include "analysis/measuring/profile_plots.h"

#include "analysis/measuring/profile_output.h"
#include "analysis/plot_units.h"
#include "core/unit_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

namespace haloscope::analysis {

namespace {

// A value of a bin with its ends, which may be none.
struct ProfileMembers {
  double ProfileBin::*value;
  double ProfileBin::*low = nullptr;
  double ProfileBin::*high = nullptr;
  double ProfileBin::*error = nullptr;  // in place of both
  bool at_upper_edge = false;           // what lies within a radius belongs to the edge
};

class ProfilePlotter {
 public:
  ProfilePlotter(const RadialProfile& profile, const std::vector<std::string>& origin)
      : profile_(profile), origin_(origin), mass_(plot_mass(profile.mass_unit)) {}

  std::vector<Plot> all() {
    std::vector<Plot> plots{
        density(), mass(), radial_velocity(),
        velocity("dispersion", "\u03c3",
                 {&ProfileBin::dispersion, nullptr, nullptr, &ProfileBin::dispersion_error})};
    const bool heated =
        std::any_of(profile_.series.begin(), profile_.series.end(),
                    [](const ProfileSeries& series) { return series.has_temperature; });
    if (heated) plots.push_back(temperature());
    return plots;
  }

 private:
  Plot plot(const char* name, const std::string& y, AxisScale scale, const char* lacking) const {
    Plot plot;
    plot.name = name;
    plot.title = profile_.about;
    plot.x = {fmt::format("r [{}{}]", profile_.length_unit, comoving()), AxisScale::Log};
    plot.x.low = profile_.edges.low();
    plot.x.high = profile_.edges.high();
    plot.y = {y, scale};
    plot.particles = PlotParticles{};
    plot.particles->center = profile_.center;
    plot.why_empty = lacking;
    plot.notes = origin_;
    for (const std::string& line : profile_in_words(profile_)) plot.notes.push_back(line);
    return plot;
  }

  std::string comoving() const { return profile_.comoving ? ", comoving" : ""; }

  // Trusted bins in the series' own color, the others paler.
  void add(const ProfileSeries& series, const ProfileMembers& of, double factor,
           const std::string& name, Plot& plot) {
    PlotLayer good, faint;
    good.name = name;
    faint.faint = true;
    for (std::size_t k = 0; k < series.bins.size(); ++k) {
      const ProfileBin& bin = series.bins[k];
      PlotPoint point;
      point.x_low = profile_.edges.edge(k);
      point.x_high = profile_.edges.edge(k + 1);
      point.x = of.at_upper_edge ? point.x_high : profile_.edges.middle(k);
      point.y = bin.*of.value * factor;
      if (of.low) {
        point.y_low = bin.*of.low * factor;
        point.y_high = bin.*of.high * factor;
      }
      if (of.error) {
        point.y_low = point.y - bin.*of.error * factor;
        point.y_high = point.y + bin.*of.error * factor;
      }
      if (std::isnan(point.y)) continue;
      // Within a radius there are more particles than in the last bin.
      ProfileDoubts doubted = bin.doubts;
      if (of.at_upper_edge) doubted.few = bin.count_within < kFewestOfProfile;
      const std::string doubts = doubts_in_words(doubted);
      doubts_.softened |= doubted.softened;
      doubts_.relaxed |= doubted.relaxed;
      doubts_.few |= doubted.few;
      point.words = fmt::format("{} {:.4g} to {:.4g}: {:.4g}, {} particles{}", series.name,
                                point.x_low, point.x_high, point.y, bin.count,
                                doubts.empty() ? "" : ", not to be trusted: " + doubts);
      (doubted.any() ? faint : good).points.push_back(std::move(point));
    }
    if (!good.points.empty() || !faint.points.empty()) {
      faint.paler_than = plot.layers.size();
      plot.layers.push_back(std::move(good));
      faint_.push_back(std::move(faint));
    }
  }

  // Faint layers come last, so that the others have the first colors; all share one entry.
  void finish(Plot& plot) {
    bool any = false;
    for (PlotLayer& layer : faint_) {
      if (layer.points.empty()) continue;
      any = true;
      plot.layers.push_back(std::move(layer));
    }
    if (any) {
      // Stands for all of them in the legend, in no series' color.
      PlotLayer pale;
      pale.name = "not to be trusted";
      pale.faint = true;
      plot.layers.push_back(std::move(pale));
      const std::string caption =
          "Pale: not to be trusted (" + doubts_in_words(doubts_, ", ") + ").";
      plot.caption = caption + (plot.caption.empty() ? "" : " ") + plot.caption;
    }
    faint_.clear();
    doubts_ = {};
    if (plot.layers.empty()) return;
    const auto mark = [&](const std::string& name, const std::optional<double>& at) {
      if (at && *at > profile_.edges.low() && *at < profile_.edges.high())
        plot.marks.push_back({name, *at});
    };
    mark("R_{200}", profile_.r200);
    if (profile_.softening)
      mark(fmt::format("{} softenings", kSoftenedReach), kSoftenedReach * *profile_.softening);
    mark("relaxation", profile_.relaxation_radius);
  }

  Plot density() {
    Plot made = plot("density",
                     fmt::format("\u03c1 [{} {}{}]", mass_.unit,
                                 unit_power(profile_.length_unit, -3), comoving()),
                     AxisScale::Log, "the snapshot tells no masses");
    for (const ProfileSeries& series : profile_.series)
      if (series.has_mass)
        add(series, {&ProfileBin::density, &ProfileBin::density_low, &ProfileBin::density_high},
            mass_.factor, series.name, made);
    made.caption = "Bars: Poisson, 1 sigma (Gehrels 1986).";
    finish(made);
    return made;
  }

  Plot mass() {
    Plot made = plot("mass", fmt::format("M(<r) [{}]", mass_.unit), AxisScale::Log,
                     "the snapshot tells no masses");
    // Points stand on the edges, the last one on the last.
    made.x.low = made.x.high = 0;
    for (const ProfileSeries& series : profile_.series)
      if (series.has_mass)
        add(series, {&ProfileBin::mass_within, nullptr, nullptr, nullptr, true}, mass_.factor,
            series.name, made);
    finish(made);
    return made;
  }

  Plot velocity(const char* name, const char* letter, const ProfileMembers& of) {
    Plot made = plot(name, fmt::format("{} [{}]", letter, profile_.velocity_unit),
                     AxisScale::Linear, "the snapshot tells no velocities");
    for (const ProfileSeries& series : profile_.series)
      if (series.has_velocity) add(series, of, 1, series.name, made);
    made.caption = "Bars: 1 sigma of as many particles that move alike in all directions.";
    finish(made);
    return made;
  }

  Plot radial_velocity() {
    Plot made = velocity(
        "velocity", "v_{r}",
        {&ProfileBin::radial_velocity, nullptr, nullptr, &ProfileBin::radial_velocity_error});
    if (!made.layers.empty()) add_expansion(made);
    return made;
  }

  // What does not expand with the universe moves inwards by this much.
  void add_expansion(Plot& plot) const {
    if (!(profile_.expansion > 0)) return;
    PlotLayer line;
    line.kind = LayerKind::Line;
    line.guide = true;
    line.name = "\u2212H r";
    for (const double r : profile_.edges.edges()) {
      PlotPoint point;
      point.x = r;
      point.y = -profile_.expansion * r;
      line.points.push_back(std::move(point));
    }
    plot.layers.push_back(std::move(line));
  }

  Plot temperature() {
    Plot made = plot("temperature", "T [K]", AxisScale::Log, "no particle has a temperature");
    for (const ProfileSeries& series : profile_.series)
      if (series.has_temperature) add(series, {&ProfileBin::temperature}, 1, series.name, made);
    finish(made);
    return made;
  }

  const RadialProfile& profile_;
  const std::vector<std::string>& origin_;
  PlotUnit mass_;
  // Of the plot that is made.
  std::vector<PlotLayer> faint_;
  ProfileDoubts doubts_;
};

}  // namespace

std::vector<Plot> profile_plots(const RadialProfile& profile,
                                const std::vector<std::string>& origin) {
  return ProfilePlotter(profile, origin).all();
}

}  // namespace haloscope::analysis
