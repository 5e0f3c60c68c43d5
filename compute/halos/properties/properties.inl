#pragma once

#include "compute/clusters/particle_grid.inl"
#include "compute/exec/slices.inl"
#include "compute/halos/properties/members.inl"
#include "compute/halos/properties/potential.inl"
#include "compute/halos/properties/properties.h"
#include "compute/halos/properties/radial_profile.inl"
#include "compute/halos/properties/shape.h"
#include "compute/halos/properties/spherical_overdensity.inl"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

// All properties of halos, for either executor: each step is a functor over slices, blocks, rows or
// halos.
namespace haloscope::compute::halos {

// The largest sqrt(M(<r) / r) of a slice of a halo's profile.
struct PeakVelocity {
  double squared, radius;
};
struct PeakOfSlice {
  static constexpr std::uint64_t kInnermost = 5;
  ProfileView profiles;
  const Slice* slices;
  PeakVelocity* peaks;
  HALOSCOPE_HD void operator()(std::size_t s) const {
    const std::uint64_t first = profiles.begin[slices[s].run] + kInnermost;
    PeakVelocity peak{0, 0};
    for (std::uint64_t i = slices[s].begin; i < slices[s].end; ++i) {
      const double r = distance_of(profiles.packed[i]);
      if (i < first || !(r > 0)) continue;
      const double squared = profiles.within[i] / r;
      if (squared > peak.squared) peak = {squared, r};
    }
    peaks[s] = peak;
  }
};

struct RadialProperties {
  PeakVelocity peak;
  double half_mass_radius, farthest;
};
struct ReadProfile {
  ProfileView profiles;
  const std::uint32_t* first_slice;
  const PeakVelocity* peaks;
  RadialProperties* out;
  HALOSCOPE_HD void operator()(std::size_t halo) const {
    RadialProperties r{{0, 0}, 0, 0};
    for (std::uint32_t s = first_slice[halo]; s < first_slice[halo + 1]; ++s)
      if (peaks[s].squared > r.peak.squared) r.peak = peaks[s];
    std::uint64_t low = profiles.begin[halo], high = profiles.begin[halo + 1] - 1;
    r.farthest = distance_of(profiles.packed[high]);
    const double half = profiles.within[high] / 2;
    while (low < high) {
      const std::uint64_t middle = low + (high - low) / 2;
      if (profiles.within[middle] < half)
        low = middle + 1;
      else
        high = middle;
    }
    r.half_mass_radius = distance_of(profiles.packed[low]);
    out[halo] = r;
  }
};

template <class Exec>
class HaloMeasurement {
 public:
  // Columns of `particles` lie in the executor's memory.
  HaloMeasurement(Exec& exec, const HaloParticles& particles, const HaloMembership& membership,
                  const HaloPhysics& physics)
      : exec_(exec),
        particles_(particles),
        membership_(membership),
        physics_(physics),
        types_(std::uint32_t(particles.types.size())),
        halos_(membership.halos(types_)),
        step_(particles.domain.step()) {
    for (std::size_t run = 0; run < membership.begin.size(); run += types_)
      halo_begin_.push_back(membership.begin[run]);
  }

  HaloProperties run(Progress& progress) {
    HaloProperties p;
    if (halos_ == 0) return p;
    progress.report("halo members", 0);
    gather();
    count_wide(p);
    find_first_moments(p);
    progress.report("most bound members", 0);
    find_centers(p);
    find_spheres(p, progress);
    progress.report("halo profiles", 0);
    read_profiles(p);
    progress.report("halo shapes", 0);
    find_second_moments(p);
    return p;
  }

 private:
  void gather() {
    run_slices_ = Slices<Exec>(exec_, membership_.begin);
    halo_slices_ = Slices<Exec>(exec_, halo_begin_);
    run_begin_ = upload(exec_, membership_.begin, "halo members");
    const auto rows = upload(exec_, membership_.rows, "halo members");
    members_ = Buffer<Member, Exec>(exec_, membership_.rows.size(), "halo members");
    for (std::uint32_t slot = 0; slot < types_; ++slot) {
      const auto& t = particles_.types[slot];
      parallel_for(
          exec_, "halo members", run_slices_.slices.size(),
          GatherMembers{t.position[0], t.position[1], t.position[2], t.velocity[0], t.velocity[1],
                        t.velocity[2], t.mass, float(t.uniform_mass), types_, slot,
                        run_slices_.slices.data(), rows.data(), members_.data()});
    }
  }

  void count_wide(HaloProperties& p) {
    const auto begins = upload(exec_, halo_begin_, "halo members");
    const std::size_t n = halo_slices_.slices.size();
    Buffer<Extent, Exec> extents(exec_, n, "halo members");
    parallel_for(
        exec_, "halo members", n,
        FindExtents{members_.data(), begins.data(), halo_slices_.slices.data(), extents.data()});
    const auto of_slices = download(exec_, extents);
    const auto first_slice = download(exec_, halo_slices_.first);
    for (std::size_t h = 0; h < halos_; ++h) {
      bool wide = false;
      for (int a = 0; a < 3; ++a) {
        std::int64_t low = 0, high = 0;
        for (std::uint32_t s = first_slice[h]; s < first_slice[h + 1]; ++s) {
          low = std::min<std::int64_t>(low, of_slices[s].low[a]);
          high = std::max<std::int64_t>(high, of_slices[s].high[a]);
        }
        wide |= high - low >= std::int64_t(1) << 31;
      }
      p.too_wide += wide;
    }
  }

  void find_first_moments(HaloProperties& p) {
    const auto of_runs = download(
        exec_,
        sum_runs<FirstMoments::kTerms>(exec_, "first moments", run_slices_,
                                       FirstMoments{members_.data(), run_begin_.data(), types_}));
    for (std::size_t run = 0; run < of_runs.size(); ++run) {
      p.type_length.push_back(std::uint32_t(membership_.begin[run + 1] - membership_.begin[run]));
      p.type_mass.push_back(of_runs[run].value[0]);
      if (run % types_ == 0) first_moments_.push_back({});
      for (int k = 0; k < FirstMoments::kTerms; ++k)
        first_moments_.back().value[k] += of_runs[run].value[k];
    }
    const bool moving = particles_.has_velocities();
    first_ = positions_of(std::vector(halo_begin_.begin(), halo_begin_.end() - 1));
    for (std::size_t h = 0; h < halos_; ++h) {
      auto& sum = first_moments_[h].value;
      const double mass = sum[0], inverse = mass > 0 ? 1 / mass : 0;
      p.mass.push_back(mass);
      for (int k = 1; k < FirstMoments::kTerms; ++k) sum[k] *= inverse;
      HaloProperties::Vector center;
      for (std::size_t a = 0; a < 3; ++a) center[a] = to_world(first_[h][a], sum[1 + a], int(a));
      p.center_of_mass.push_back(center);
      if (moving) p.velocity.push_back({sum[4], sum[5], sum[6]});
    }
  }

  void find_centers(HaloProperties& p) {
    const double h = gravity::kSplinePerPlummer * physics_.softening / step_;
    const auto sums = upload(exec_, first_moments_, "potentials");
    const auto chosen =
        MostBoundSearch<Exec>(exec_, members_.data(), halo_begin_, halo_slices_, sums.data(), h)
            .run();
    std::vector<std::uint64_t> most_bound;
    for (const MostBound& one : chosen) most_bound.push_back(one.member);
    center_ = positions_of(most_bound);
    for (std::size_t halo = 0; halo < halos_; ++halo) {
      const std::uint64_t member = chosen[halo].member;
      const std::uint32_t slot = slot_of(halo, member);
      p.most_bound_slot.push_back(slot);
      p.most_bound_row.push_back(membership_.rows[member]);
      HaloProperties::Vector position;
      for (std::size_t a = 0; a < 3; ++a)
        position[a] = particles_.domain.to_world(center_[halo][a], int(a));
      p.most_bound_position.push_back(position);
      p.potential.push_back(chosen[halo].potential * physics_.gravity /
                            (step_ * physics_.scale_factor));
    }
  }

  void find_spheres(HaloProperties& p, Progress& progress) {
    constexpr double kTooFew = 5;  // members of mean mass, as SUBFIND has it
    std::vector<SphereRequest> requests;
    for (std::size_t h = 0; h < halos_; ++h) {
      const auto members = double(halo_begin_[h + 1] - halo_begin_[h]);
      requests.push_back({center_[h], p.mass[h], kTooFew * p.mass[h] / members,
                          halo_begin_[h + 1] - halo_begin_[h]});
    }
    if (!(physics_.guess_density() > 0)) {
      p.sphere.resize(halos_);
      return;
    }
    const clusters::ParticleGrid<Exec> grid(exec_, particles_.types);
    p.sphere = find_spheres_on(exec_, grid.view(), step_, requests, physics_, progress);
  }

  void read_profiles(HaloProperties& p) {
    std::vector<MomentCenter> centers(halos_);
    for (std::size_t h = 0; h < halos_; ++h) {
      MomentCenter& c = centers[h];
      for (std::size_t a = 0; a < 3; ++a) {
        c.first[a] = first_[h][a];
        c.center_of_mass[a] = first_moments_[h].value[1 + a];
        c.center[a] = center_[h][a];
        c.velocity[a] = first_moments_[h].value[4 + a];
      }
      const double reach = p.sphere[h].radius[Critical200] / step_;
      c.reach_squared = reach > 0 ? reach * reach : -1;
    }
    centers_ = upload(exec_, centers, "halo profiles");
    Buffer<std::uint64_t, Exec> packed(exec_, members_.size(), "halo profiles");
    parallel_for(exec_, "halo profiles", halo_slices_.slices.size(),
                 PackMembers{members_.data(), halo_slices_.slices.data(), centers_.data(), step_,
                             packed.data()});
    const RadialProfiles<Exec> profiles(exec_, halo_begin_, std::move(packed));
    Buffer<PeakVelocity, Exec> peaks(exec_, profiles.slices.slices.size(), "halo profiles");
    parallel_for(exec_, "halo profiles", peaks.size(),
                 PeakOfSlice{profiles.view(), profiles.slices.slices.data(), peaks.data()});
    Buffer<RadialProperties, Exec> radial(exec_, halos_, "halo profiles");
    parallel_for(
        exec_, "halo profiles", halos_,
        ReadProfile{profiles.view(), profiles.slices.first.data(), peaks.data(), radial.data()});
    for (const RadialProperties& r : download(exec_, radial)) {
      p.half_mass_radius.push_back(r.half_mass_radius);
      p.farthest.push_back(r.farthest);
      p.v_max.push_back(std::sqrt(physics_.gravity * r.peak.squared / physics_.scale_factor));
      p.r_max.push_back(r.peak.radius);
    }
  }

  void find_second_moments(HaloProperties& p) {
    const auto of_runs = download(
        exec_,
        sum_runs<SecondMoments::kTerms>(exec_, "second moments", run_slices_,
                                        SecondMoments{members_.data(), centers_.data(), types_}));
    const bool moving = particles_.has_velocities();
    for (std::size_t h = 0; h < halos_; ++h) {
      std::array<double, SecondMoments::kTerms> sum{};
      for (std::size_t run = h * types_; run < (h + 1) * types_; ++run)
        for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += of_runs[run].value[k];
      const auto ratios = axis_ratios({sum[1], sum[2], sum[3], sum[4], sum[5], sum[6]});
      p.b_to_a.push_back(ratios[0]);
      p.c_to_a.push_back(ratios[1]);
      if (!moving) continue;
      p.velocity_dispersion.push_back(p.mass[h] > 0 ? std::sqrt(sum[0] / (3 * p.mass[h])) : 0);
      add_spin(&sum[SecondMoments::kSphere], p.sphere[h].radius[Critical200], p);
    }
  }

  // Of the sums over the members within a sphere.
  void add_spin(const double* sum, double radius, HaloProperties& p) const {
    const double mass = sum[0], *r = sum + 1, *w = sum + 4, *l = sum + 7;
    HaloProperties::Vector j{};
    double spin = 0;
    if (mass > 0 && radius > 0) {
      const double length = step_ * physics_.scale_factor / mass;
      // Σ m r × (w − ⟨w⟩) = Σ m r × w − Σ m r × ⟨w⟩.
      j = {(l[0] - (r[1] * w[2] - r[2] * w[1]) / mass) * length,
           (l[1] - (r[2] * w[0] - r[0] * w[2]) / mass) * length,
           (l[2] - (r[0] * w[1] - r[1] * w[0]) / mass) * length};
      const double physical = radius * physics_.scale_factor;
      const double circular = std::sqrt(physics_.gravity * mass / physical);
      spin = std::sqrt(j[0] * j[0] + j[1] * j[1] + j[2] * j[2]) /
             (std::sqrt(2.0) * physical * circular);
    }
    p.angular_momentum.push_back(j);
    p.spin.push_back(spin);
  }

  std::vector<std::array<std::uint32_t, 3>> positions_of(
      const std::vector<std::uint64_t>& members) {
    const auto which = upload(exec_, members, "halo members");
    Buffer<std::array<std::uint32_t, 3>, Exec> at(exec_, members.size(), "halo members");
    parallel_for(exec_, "halo members", members.size(),
                 TakePositions{members_.data(), which.data(), at.data()});
    return download(exec_, at);
  }
  std::uint32_t slot_of(std::size_t halo, std::uint64_t member) const {
    std::uint32_t slot = 0;
    while (membership_.begin[halo * types_ + slot + 1] <= member) ++slot;
    return slot;
  }
  // A lattice point and an offset from it in steps, within the domain.
  double to_world(std::uint32_t fixed, double offset, int axis) const {
    constexpr double kSteps = 4294967296.0;
    double at = double(fixed) + offset;
    at -= kSteps * std::floor(at / kSteps);
    return particles_.domain.origin[std::size_t(axis)] + at * step_;
  }

  Exec& exec_;
  const HaloParticles& particles_;
  const HaloMembership& membership_;
  HaloPhysics physics_;
  std::uint32_t types_;
  std::size_t halos_;
  double step_;
  std::vector<std::uint64_t> halo_begin_;
  Slices<Exec> run_slices_, halo_slices_;
  Buffer<std::uint64_t, Exec> run_begin_;
  Buffer<Member, Exec> members_;
  std::vector<Sums<FirstMoments::kTerms>> first_moments_;  // of halos, as means
  std::vector<std::array<std::uint32_t, 3>> first_;        // members
  std::vector<std::array<std::uint32_t, 3>> center_;       // most bound members
  Buffer<MomentCenter, Exec> centers_;
};

}  // namespace haloscope::compute::halos
