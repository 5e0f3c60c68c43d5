#include "render/film/interpolate_particles.h"

#include "core/check.h"
#include "core/vector_math.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <functional>

namespace haloscope::render {

namespace {

using compute::splotch::Transform;

// What the two velocities say against each other, from where on they count less and where they
// count no more; and the largest departure of a velocity from the mean one, in mean ones.
constexpr double kAgree = 0.2, kDisagree = 0.4;
constexpr double kFarthest = 1;
// Without a box, both snapshots lie in the middle half of their domains. Their common one leaves
// room to either side for the departures of cubics, (4/27) · 2 · kFarthest · sqrt(3) of what both
// fill at most, and for differences that do not wrap.
constexpr double kRoom = 4.5;

Domain common_domain(const Domain& a, const Domain& b) {
  HALOSCOPE_CHECK(a.periodic, ==, b.periodic);
  if (a.periodic) return a;
  Domain common;
  Vec center{};
  double widest = 0;
  for (std::size_t c = 0; c < 3; ++c) {
    const double low = std::min(a.origin[c] + a.side / 4, b.origin[c] + b.side / 4);
    const double high = std::max(a.origin[c] + 3 * a.side / 4, b.origin[c] + 3 * b.side / 4);
    center[c] = low + (high - low) / 2;
    widest = std::max(widest, high - low);
  }
  common.side = kRoom * widest;
  for (std::size_t c = 0; c < 3; ++c) common.origin[c] = center[c] - common.side / 2;
  return common;
}

// A particle in one snapshot: place of its type, and row.
struct Place {
  int type = -1;  // -1: nowhere
  std::uint64_t row = 0;
};

// Where a particle of the result comes from. Its values are those of its own type: `shares` of the
// first and of the second snapshot.
struct Track {
  Place first, second;
  std::array<double, 2> shares{};
};

// One snapshot's columns as the common domain sees them.
class Side {
 public:
  Side(const Endpoint& endpoint, const Domain& domain, bool cubic) : endpoint_(endpoint) {
    const Domain& own = endpoint.particles->domain;
    for (std::size_t c = 0; c < 3 && !own.periodic; ++c)
      origin_[c] = (own.origin[c] - domain.origin[c]) / domain.step();
    if (!own.periodic) scale_ = own.step() / domain.step();
    for (std::size_t k = 0; k < endpoint.particles->types.size() && cubic; ++k) {
      const auto& v = columns(int(k)).fields.at(endpoint.velocity[k]);
      velocity_.push_back({v.at(0).data(), v.at(1).data(), v.at(2).data()});
      steps_.push_back(endpoint.displacement[k] / domain.step());
    }
  }

  const ParticleColumns& columns(int type) const {
    return endpoint_.particles->types[std::size_t(type)];
  }
  // In steps of the domain.
  Vec position(const Place& p) const {
    Vec x{};
    for (std::size_t c = 0; c < 3; ++c)
      x[c] = origin_[c] + scale_ * columns(p.type).position[c][p.row];
    return x;
  }
  // Less the mean one, in steps from one snapshot to the other.
  Vec velocity_beside(const Vec& mean, const Place& p) const {
    const auto type = std::size_t(p.type);
    Vec v{};
    for (std::size_t c = 0; c < 3; ++c)
      v[c] = double(velocity_[type][c][p.row]) * steps_[type] - mean[c];
    return v;
  }
  double mass(const Place& p) const {
    const ParticleColumns& type = columns(p.type);
    return type.mass.empty() ? type.uniform_mass : double(type.mass[p.row]);
  }
  // Null where there are none.
  const float* radii(int type) const {
    const Array<float>& own = columns(type).support_radius;
    return !own.empty() ? own.data() : endpoint_.radii[std::size_t(type)];
  }

 private:
  const Endpoint& endpoint_;
  Vec origin_{};
  double scale_ = 1;
  std::vector<std::array<const float*, 3>> velocity_;
  std::vector<double> steps_;
};

// How much of a cubic's departure from the straight line is believed: see the header. The
// velocities are those beside the mean one.
double trusted_part(const Vec& start, const Vec& end, const Vec& chord) {
  const double first = length(start), second = length(end), largest = std::max(first, second);
  if (!(largest > 0) || !std::isfinite(first + second)) return 0;
  const double conflict = length(plus(start, end)) / (first + second);
  const double agreed = std::clamp((kDisagree - conflict) / (kDisagree - kAgree), 0., 1.);
  return std::min(agreed, kFarthest * length(chord) / largest);
}

// Of two values, evenly in the transform's scale where that can take them.
double blend(double a, double b, double s, Transform transform) {
  if (!std::isfinite(a) || !std::isfinite(b)) return s < 0.5 ? a : b;
  if (transform == Transform::Log && a > 0 && b > 0)
    return std::exp((1 - s) * std::log(a) + s * std::log(b));
  if (transform == Transform::Asinh) return std::sinh((1 - s) * std::asinh(a) + s * std::asinh(b));
  return (1 - s) * a + s * b;
}

// A length of 0 is one that is not known.
double blend_length(double a, double b, double s) {
  return a > 0 && b > 0 ? (1 - s) * a + s * b : std::max(a, b);
}

class Interpolator {
 public:
  Interpolator(const Endpoint& first, const Endpoint& second, const Interpolation& how,
               double fraction)
      : how_(how),
        s_(fraction),
        domain_(common_domain(first.particles->domain, second.particles->domain)),
        first_(first, domain_, how.cubic),
        second_(second, domain_, how.cubic) {}

  InterpolatedParticles run(const std::vector<TypeMatch>& matches) {
    InterpolatedParticles result;
    result.particles.domain = domain_;
    for (std::size_t k = 0; k < matches.size(); ++k) {
      match_ = &matches[k];
      type_ = int(k);
      result.particles.types.push_back(make_type());
      result.radii.emplace_back();
      ParticleColumns& columns = result.particles.types.back();
      const bool own = !first_.columns(type_).support_radius.empty() &&
                       !second_.columns(type_).support_radius.empty();
      fill_radii(own ? columns.support_radius : result.radii.back());
    }
    return result;
  }

 private:
  std::size_t count() const {
    const std::size_t fading =
        how_.fade ? match_->first_only.size() + match_->second_only.size() : 0;
    return match_->both.size() + fading;
  }

  Track track(std::size_t i) const {
    if (i < match_->both.size())
      return {{type_, match_->both[i].first}, {type_, match_->both[i].second}, {1 - s_, s_}};
    i -= match_->both.size();
    if (i < match_->first_only.size()) {
      const Unpaired& one = match_->first_only[i];
      return {{type_, one.row}, {one.other_type, one.other_row}, {1 - s_, 0}};
    }
    const Unpaired& one = match_->second_only[i - match_->first_only.size()];
    return {{one.other_type, one.other_row}, {type_, one.row}, {0, s_}};
  }

  template <class F>
  void each(const F& f) const {
    constexpr std::size_t kGrain = 4096;
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, count(), kGrain), [&](const auto& range) {
      for (std::size_t i = range.begin(); i != range.end(); ++i) f(i, track(i));
    });
  }

  ParticleColumns make_type() const {
    const ParticleColumns &a = first_.columns(type_), &b = second_.columns(type_);
    ParticleColumns columns;
    columns.type = a.type;
    columns.name = a.name;
    columns.count = count();
    columns.weight = a.weight;
    columns.uniform_mass = a.uniform_mass;
    for (auto& axis : columns.position) axis = Array<std::uint32_t>(count());
    each([&](std::size_t i, const Track& track) {
      const Vec x = position(track);
      for (std::size_t c = 0; c < 3; ++c)
        columns.position[c][i] = std::uint32_t(std::int64_t(std::llround(x[c])));
    });
    const bool alike = a.mass.empty() && b.mass.empty() && a.uniform_mass == b.uniform_mass;
    if (!alike || count() > match_->both.size()) {
      columns.mass = Array<float>(count());
      each([&](std::size_t i, const Track& track) { columns.mass[i] = float(mass(track)); });
    }
    for (const InterpolatedField& field : how_.fields[std::size_t(type_)])
      columns.fields[field.name] = make_field(field);
    return columns;
  }

  // In steps of the domain; a periodic one wraps them.
  Vec position(const Track& track) const {
    if (track.second.type < 0) return first_.position(track.first);
    if (track.first.type < 0) return second_.position(track.second);
    const Vec a = first_.position(track.first), b = second_.position(track.second);
    Vec chord{}, x{};
    for (std::size_t c = 0; c < 3; ++c)
      // The difference of two lattice points is exact, and so is its wrapping.
      chord[c] = domain_.periodic ? double(std::int32_t(std::uint32_t(std::int64_t(b[c] - a[c]))))
                                  : b[c] - a[c];
    for (std::size_t c = 0; c < 3; ++c) x[c] = a[c] + s_ * chord[c];
    if (!how_.cubic) return x;
    const Vec start = first_.velocity_beside(chord, track.first);
    const Vec end = second_.velocity_beside(chord, track.second);
    const double part = trusted_part(start, end, chord) * s_ * (1 - s_);
    // Hermite's cubic as the straight line and the departures from it.
    for (std::size_t c = 0; c < 3 && part > 0; ++c)
      x[c] += part * (start[c] * (1 - s_) - end[c] * s_);
    return x;
  }

  double mass(const Track& track) const {
    double sum = 0;
    if (track.shares[0] > 0) sum += track.shares[0] * first_.mass(track.first);
    if (track.shares[1] > 0) sum += track.shares[1] * second_.mass(track.second);
    return sum;
  }

  // Of the snapshots that have the particle in this type.
  template <class Value, class Blend>
  float value(const Track& track, const Value& of, const Blend& blended) const {
    if (track.shares[1] == 0) return of(0, track.first.row);
    if (track.shares[0] == 0) return of(1, track.second.row);
    return float(blended(double(of(0, track.first.row)), double(of(1, track.second.row))));
  }

  std::vector<Array<float>> make_field(const InterpolatedField& field) const {
    const auto& a = first_.columns(type_).fields.at(field.name);
    const auto& b = second_.columns(type_).fields.at(field.name);
    HALOSCOPE_CHECK(a.size(), ==, b.size());
    std::vector<Array<float>> components;
    for (std::size_t c = 0; c < a.size(); ++c) {
      components.emplace_back(count());
      Array<float>& to = components.back();
      const auto of = [&](int side, std::uint64_t row) {
        return side == 0 ? a[c][row] : b[c][row];
      };
      each([&](std::size_t i, const Track& track) {
        to[i] =
            value(track, of, [&](double x, double y) { return blend(x, y, s_, field.transform); });
      });
    }
    return components;
  }

  void fill_radii(Array<float>& radii) const {
    const float *a = first_.radii(type_), *b = second_.radii(type_);
    if (!a || !b) return;
    radii = Array<float>(count());
    const auto of = [&](int side, std::uint64_t row) { return side == 0 ? a[row] : b[row]; };
    each([&](std::size_t i, const Track& track) {
      radii[i] = value(track, of, [&](double x, double y) { return blend_length(x, y, s_); });
    });
  }

  const Interpolation& how_;
  double s_;
  Domain domain_;
  Side first_, second_;
  const TypeMatch* match_ = nullptr;  // of the type in work
  int type_ = 0;
};

}  // namespace

InterpolatedParticles interpolate_particles(const Endpoint& first, const Endpoint& second,
                                            const std::vector<TypeMatch>& matches,
                                            const Interpolation& how, double fraction) {
  HALOSCOPE_CHECK(first.particles->types.size(), ==, matches.size());
  HALOSCOPE_CHECK(second.particles->types.size(), ==, matches.size());
  return Interpolator(first, second, how, fraction).run(matches);
}

std::vector<std::vector<std::uint8_t>> labels_between(
    const std::vector<std::vector<std::uint8_t>>& first,
    const std::vector<std::vector<std::uint8_t>>& second, const std::vector<TypeMatch>& matches,
    const Interpolation& how) {
  std::vector<std::vector<std::uint8_t>> labels(matches.size());
  for (std::size_t k = 0; k < matches.size(); ++k) {
    // As Interpolator::track() has them.
    for (const auto& pair : matches[k].both) labels[k].push_back(first[k][pair.first]);
    if (!how.fade) continue;
    for (const Unpaired& one : matches[k].first_only) labels[k].push_back(first[k][one.row]);
    for (const Unpaired& one : matches[k].second_only) labels[k].push_back(second[k][one.row]);
  }
  return labels;
}

std::uint64_t interpolation_memory(const std::vector<TypeMatch>& matches,
                                   const Interpolation& how) {
  std::uint64_t bytes = 0;
  for (std::size_t k = 0; k < matches.size(); ++k) {
    const auto& [both, first_only, second_only] = matches[k];
    constexpr std::uint64_t kMostComponents = 3;
    const std::uint64_t each = 3 * sizeof(std::uint32_t) + 2 * sizeof(float) +
                               how.fields[k].size() * kMostComponents * sizeof(float);
    bytes += each * (both.size() + first_only.size() + second_only.size());
  }
  return bytes;
}

}  // namespace haloscope::render
