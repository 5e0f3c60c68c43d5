#include "analysis/measuring/radial_profile.h"

#include "analysis/halos/mean_spacing.h"
#include "analysis/measuring/enclosed_mass.h"
#include "analysis/measuring/profile_bins.h"
#include "analysis/measuring/profile_radii.h"
#include "analysis/measuring/temperature_field.h"
#include "analysis/option_parsing/option_error.h"
#include "analysis/plot_units.h"
#include "analysis/snapshot/peculiar_velocities.h"
#include "compute/halos/properties/physics.h"
#include "core/error.h"
#include "core/unit_words.h"
#include "io/snapshots/gadget_units.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

namespace haloscope::analysis {

namespace {

constexpr const char* kMeasuringProfile = "measuring the profile";

RadialPoints radial_points(const SnapshotInfo& info, const ParticleColumns& columns) {
  const TypeInfo& type = info.types.at(columns.type);
  RadialPoints points;
  points.count = columns.count;
  for (std::size_t a = 0; a < 3; ++a) points.position[a] = columns.position[a].data();
  points.mass = columns.mass.empty() ? nullptr : columns.mass.data();
  // Where no mass is known all weigh the same, so that means are those of numbers.
  points.uniform_mass = has_masses(type) ? columns.uniform_mass : 1;
  const auto field = [&](const std::string& name) -> const std::vector<Array<float>>* {
    const auto found = columns.fields.find(name);
    return name.empty() || found == columns.fields.end() ? nullptr : &found->second;
  };
  if (const auto* velocity = field(velocity_field(type)))
    for (std::size_t a = 0; a < 3; ++a) points.velocity[a] = (*velocity)[a].data();
  if (const auto* temperature = field(temperature_field(info, columns.type)))
    points.temperature = temperature->front().data();
  return points;
}

class ProfileMeasuring {
 public:
  ProfileMeasuring(const SnapshotInfo& info, const ParticleSet& particles,
                   const ProfileRequest& request, Progress& progress)
      : info_(info),
        particles_(particles),
        request_(request),
        progress_(progress),
        frame_(particles.domain, request.center) {}

  RadialProfile run() {
    take_points();
    result_.center = request_.center;
    result_.softening = request_.softening;
    name_units();
    find_radii();
    find_velocity();
    sum();
    require_enough();
    add_all();
    return std::move(result_);
  }

 private:
  void take_points() {
    for (const int type : request_.types) {
      RadialPoints points;
      for (const ParticleColumns& columns : particles_.types)
        if (columns.type == type) points = radial_points(info_, columns);
      points_.push_back(points);
      masses_known_.push_back(has_masses(info_.types.at(type)));
      if (masses_known_.back()) weighed_ += 1;
    }
  }

  void name_units() {
    result_.length_unit = io::length_unit(info_.units);
    result_.mass_unit = io::mass_unit(info_.units);
    result_.density_unit =
        grouped_unit(result_.mass_unit) + "/" + unit_power(result_.length_unit, 3);
    result_.velocity_unit = io::velocity_unit(info_.units);
    result_.comoving = info_.units.comoving;
  }

  void find_radii() {
    progress_.report(kMeasuringProfile, 0);
    const auto physics = compute::halos::make_physics(info_.units, info_.cosmology);
    result_.expansion = physics.hubble_now * physics.scale_factor;
    const double reach = profile_reach(particles_.domain, points_, frame_, request_);
    const EnclosedMass enclosed(points_, frame_, reach);
    const bool all_weighed = weighed_ == points_.size();
    if (all_weighed)
      result_.relaxation_radius = enclosed.relaxation_radius(physics.critical_density());
    find_r200(enclosed, all_weighed ? physics.critical_density() : 0);
    const std::array<double, 2> radii = profile_radii(
        request_, {particles_.domain.periodic, reach, enclosed, result_.r200, request_.softening},
        result_.radii_from);
    result_.edges = BinEdges(radii[0], radii[1], request_.bins, true);
  }

  // `enclosed`: of all particles, whose masses are known where there is a critical density.
  void find_r200(const EnclosedMass& enclosed, double critical_density) {
    if (request_.r200) {
      result_.r200 = request_.r200;
      result_.r200_from = request_.r200_from;
      return;
    }
    std::vector<std::string> missing;
    for (const auto& [number, type] : info_.types) {
      if (type.count > 0 && !is_among(request_.types, number)) missing.push_back(type.name);
    }
    if (critical_density > 0 && missing.empty())
      result_.r200 = enclosed.radius_of_density(200 * critical_density);
    result_.r200_from =
        result_.r200            ? "found in the particles"
        : critical_density <= 0 ? "the snapshot tells no cosmology, or not all masses"
        : missing.empty()
            ? "the mean density does not fall through 200 critical ones"
            : fmt::format("it is that of all matter, and {} {} not measured",
                          fmt::join(missing, ", "), missing.size() > 1 ? "are" : "is");
  }

  void find_velocity() {
    if (request_.velocity) {
      result_.velocity = *request_.velocity;
      result_.velocity_from = request_.velocity_from;
      return;
    }
    SphereMotion motion;
    for (std::size_t k = 0; k < points_.size(); ++k)
      if (in_all(k)) motion += sum_motion(points_[k], frame_, result_.edges.high());
    result_.velocity_from = "the velocities are not known";
    if (motion.count == 0 || motion.mass == 0) return;
    for (std::size_t a = 0; a < 3; ++a) result_.velocity[a] = motion.momentum[a] / motion.mass;
    result_.velocity_from =
        fmt::format("the mass-weighted mean of {} particles within {:.6g} {}", motion.count,
                    result_.edges.high(), unit_behind(result_.length_unit));
  }

  // Types whose masses are not known have no share in sums of mass, unless all are so.
  bool in_all(std::size_t k) const { return masses_known_[k] || weighed_ == 0; }

  void sum() {
    std::uint64_t no_mass = 0, no_velocity = 0, no_temperature = 0;
    for (std::size_t k = 0; k < points_.size(); ++k) {
      progress_.report(kMeasuringProfile, double(k + 1) / double(points_.size() + 1));
      sums_.push_back(sum_radial_bins(points_[k], frame_, result_.edges, result_.velocity));
      no_mass += sums_.back().no_mass;
      no_velocity += sums_.back().no_velocity;
      no_temperature += sums_.back().no_temperature;
      ProfileSeries series;
      const TypeInfo& type = info_.types.at(request_.types[k]);
      series.type = request_.types[k];
      series.name = type.name;
      series.has_mass = masses_known_[k];
      series.has_velocity = !velocity_field(type).empty();
      series.has_temperature = !temperature_field(info_, request_.types[k]).empty();
      series.bins = bins_of_profile(sums_.back(), result_, series.has_mass);
      result_.series.push_back(std::move(series));
    }
    tell_left_out(no_mass, "a mass that is not a finite number: left out");
    tell_left_out(no_velocity, "a velocity that is not a finite number: left out of means of it");
    tell_left_out(no_temperature,
                  "a temperature that is not a finite number: left out of means of it");
  }

  void tell_left_out(std::uint64_t count, const char* what) {
    if (count > 0)
      result_.said.push_back(fmt::format("{} particle{} {} {}.", count, count == 1 ? "" : "s",
                                         count == 1 ? "has" : "have", what));
  }

  void require_enough() {
    std::uint64_t nearer = 0;
    for (const RadialBins& sums : sums_) {
      nearer += sums.inside.count;
      for (const RadialSums& bin : sums.bins) result_.particles += bin.count;
    }
    if (result_.particles >= kFewestOfProfile) return;
    throw OptionError(
        fmt::format("a profile needs {} particles, and {} lie{} between {:.6g} and {:.6g} "
                    "{} of {:.6g}, {:.6g}, {:.6g} ({} nearer)",
                    kFewestOfProfile, result_.particles, result_.particles == 1 ? "s" : "",
                    result_.edges.low(), result_.edges.high(), unit_behind(result_.length_unit),
                    request_.center[0], request_.center[1], request_.center[2], nearer),
        info_.files.empty() ? std::string() : info_.files.front(),
        "choose another center, or other radii (`radii`)");
  }

  void add_all() {
    std::vector<std::string> without;
    for (const ProfileSeries& series : result_.series)
      if (!series.has_mass) without.push_back(series.name);
    if (!without.empty())
      result_.said.push_back(
          fmt::format("The file tells no masses of {}: counted only.", fmt::join(without, ", ")));
    if (result_.series.size() < 2) return;
    ProfileSeries all;
    all.name = "all";
    all.has_mass = weighed_ > 0;
    RadialBins sums;
    sums.bins.resize(result_.edges.count());
    for (std::size_t k = 0; k < sums_.size(); ++k) {
      RadialBins share = sums_[k];
      if (!in_all(k)) keep_counts(share);
      sums += share;
      all.has_velocity = all.has_velocity || result_.series[k].has_velocity;
    }
    all.bins = bins_of_profile(sums, result_, all.has_mass);
    result_.series.push_back(std::move(all));
  }

  static void keep_counts(RadialBins& bins) {
    const auto keep = [](RadialSums& sums) {
      const std::uint64_t count = sums.count;
      sums = {};
      sums.count = count;
    };
    keep(bins.inside);
    for (RadialSums& sums : bins.bins) keep(sums);
  }

  const SnapshotInfo& info_;
  const ParticleSet& particles_;
  const ProfileRequest& request_;
  Progress& progress_;
  RadialFrame frame_;
  std::vector<RadialPoints> points_;
  std::size_t weighed_ = 0;  // types whose masses are known
  std::vector<bool> masses_known_;
  std::vector<RadialBins> sums_;
  RadialProfile result_;
};

}  // namespace

RadialProfile measure_profile(const SnapshotInfo& info, const ParticleSet& particles,
                              const ProfileRequest& request, Progress& progress) {
  return ProfileMeasuring(info, particles, request, progress).run();
}

}  // namespace haloscope::analysis
