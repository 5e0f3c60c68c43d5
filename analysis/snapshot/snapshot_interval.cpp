#include "analysis/snapshot/snapshot_interval.h"

#include <fmt/format.h>

#include <cmath>

namespace haloscope::analysis {

namespace {

// Of 100 km/s/Mpc in 1/s; the parsec as in GADGET's units.
constexpr double kHubble = 1e7 / 3.085678e24;

// H(a) / H0, squared.
double expansion_rate_squared(const Cosmology& cosmology, double a) {
  const double matter = cosmology.omega_matter, lambda = cosmology.omega_lambda;
  return matter / (a * a * a) + (1 - matter - lambda) / (a * a) + lambda;
}

// H0 times the time between two scale factors, by Simpson's rule in ln a, in which H is smooth.
std::optional<double> hubble_times(const Cosmology& cosmology, double from, double to) {
  constexpr int kSteps = 1024;
  const double step = std::log(to / from) / kSteps;
  double sum = 0;
  for (int i = 0; i <= kSteps; ++i) {
    const double rate = expansion_rate_squared(cosmology, from * std::exp(i * step));
    // A universe that turns around in between.
    if (!(rate > 0)) return {};
    const int weight = i == 0 || i == kSteps ? 1 : i % 2 == 1 ? 4 : 2;
    sum += weight / std::sqrt(rate);
  }
  return sum * step / 3;
}

// What carries 1/h in the file, in units without it.
double per_h(const SnapshotInfo& info) {
  return info.units.per_h ? 1 / info.cosmology.hubble_param : 1;
}

// Between two scale factors, where this fraction of the time between them has passed.
std::optional<double> scale_factor_at(const Cosmology& cosmology, double from, double to,
                                      double fraction) {
  if (!(cosmology.omega_matter > 0)) return {};
  const auto all = hubble_times(cosmology, from, to);
  if (!all) return {};
  // Time grows with the scale factor: bisection in its logarithm, to far beyond what is printed.
  constexpr int kHalvings = 40;
  double low = std::log(from), high = std::log(to);
  for (int k = 0; k < kHalvings; ++k) {
    const double middle = 0.5 * (low + high);
    const auto passed = hubble_times(cosmology, from, std::exp(middle));
    if (!passed) return {};
    (*passed < fraction * *all ? low : high) = middle;
  }
  return std::exp(0.5 * (low + high));
}

}  // namespace

Epoch epoch_of(const SnapshotInfo& info) {
  return {info.time, info.cosmology.scale_factor, info.cosmology.redshift};
}

Epoch epoch_between(const SnapshotInfo& first, const SnapshotInfo& second, double fraction) {
  Epoch epoch = epoch_of(first);
  epoch.time += fraction * (second.time - first.time);
  const double from = first.cosmology.scale_factor, to = second.cosmology.scale_factor;
  epoch.scale_factor = from + fraction * (to - from);
  if (first.units.comoving && from > 0 && to > from)
    epoch.scale_factor =
        scale_factor_at(first.cosmology, from, to, fraction).value_or(epoch.scale_factor);
  if (epoch.redshift && epoch.scale_factor > 0) epoch.redshift = 1 / epoch.scale_factor - 1;
  return epoch;
}

double moment_of(const SnapshotInfo& info) {
  return info.units.comoving ? info.cosmology.scale_factor : info.time;
}

std::string moment_in_words(const SnapshotInfo& info) {
  return info.units.comoving ? fmt::format("a = {:.6g}", info.cosmology.scale_factor)
                             : fmt::format("time {:.6g}", info.time);
}

std::optional<double> seconds_between(const SnapshotInfo& first, const SnapshotInfo& second) {
  if (!first.units.comoving)
    return (second.time - first.time) * first.units.length_cm / first.units.velocity_cm_per_s *
           per_h(first);
  const double from = first.cosmology.scale_factor, to = second.cosmology.scale_factor;
  if (!(first.cosmology.omega_matter > 0) || !(from > 0) || !(to > 0)) return {};
  const auto times = hubble_times(first.cosmology, from, to);
  if (!times) return {};
  return *times / (kHubble * first.cosmology.hubble_param);
}

std::optional<double> length_per_velocity(const SnapshotInfo& info, int type, double seconds) {
  const auto found = info.types.find(type);
  if (found == info.types.end()) return {};
  const FieldInfo* field = found->second.find(Role::Velocity);
  if (!field || field->components != 3 || !field->scaling || !(field->scaling->to_cgs > 0))
    return {};
  const FieldScaling& scaling = *field->scaling;
  const double a = info.cosmology.scale_factor, h = info.cosmology.hubble_param;
  const double cm_per_s = scaling.to_cgs * std::pow(a, scaling.a) * std::pow(h, scaling.h);
  const double cm = info.units.length_cm * (info.units.comoving ? a : 1) * per_h(info);
  return cm_per_s * seconds / cm;
}

}  // namespace haloscope::analysis
