#include "analysis/halos/mean_spacing.h"

#include "analysis/halos/box_filling.h"
#include "compute/exec/exact_sum.h"
#include "compute/halos/properties/physics.h"
#include "core/error.h"
#include "io/loading/density_check.h"
#include "io/snapshots/stored_baryons.h"

#include <fmt/format.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>

namespace haloscope::analysis {

namespace {

constexpr int kDarkMatter = 1;
// Constants of nature differ by less from code to code.
constexpr double kSame = 1e-3;
// Of the mean density of a full box: no rounding and no missing baryons explain more.
constexpr double kFarOff = 2;

// Gas, stars and black holes.
bool is_baryonic(int type) {
  return type == 0 || type == 4 || type == 5;
}

class Spacing {
 public:
  Spacing(const SnapshotInfo& info, const ParticleSet& particles, const std::vector<int>& linked,
          compute::Ranks& ranks)
      : info_(info), particles_(particles), linked_(linked), ranks_(ranks) {
    for (const auto& columns : particles.types) {
      if (std::find(linked.begin(), linked.end(), columns.type) == linked.end()) continue;
      count_ += ranks.sum(columns.count);
      mass_ += total_mass(columns, ranks);
      known_ = known_ && has_masses(info.types.at(columns.type));
      (is_baryonic(columns.type) ? baryons_ : dark_) = true;
    }
    full_box_ = info.box_size / std::cbrt(double(count_));
  }

  MeanSpacing run() {
    const double matter = compute::halos::make_physics(info_.units, info_.cosmology).mean_density();
    if (!(matter > 0)) return plain("the file tells no cosmology");
    if (!info_.units.comoving) return plain("lengths are not comoving");
    if (!known_ || !(mass_ > 0)) return plain("the file tells no masses");
    const double share = share_of_linked();
    if (!(share > 0)) return plain("the file tells no OmegaBaryon");
    const double length = std::cbrt(mass_ / double(count_) / (share * matter));
    if (std::abs(length / full_box_ - 1) < kSame) return {full_box_, {}};
    if (const auto density = density_far_off()) {
      const std::string fault =
          fmt::format("the mean density of the particles is {:.3g} times that of Omega0 {:g}",
                      *density, info_.cosmology.omega_matter);
      if (have_equal_masses(particles_, linked_, ranks_) && fills_box(particles_, linked_, ranks_))
        return full_although(fault);
      require_possible(fault, *density);
    }
    return {length,
            fmt::format("The linked particles do not fill the box evenly: their mean spacing, "
                        "{:.6g}, is that of their mean mass {:.6g} at {:.4g} of the mean matter "
                        "density{}, not box/cbrt(N) = {:.6g}.",
                        length, mass_ / double(count_), share, source_, full_box_)};
  }

 private:
  // Of all matter over Omega0's, where it is far off.
  std::optional<double> density_far_off() const {
    const MatterRead matter = matter_read(info_, particles_, ranks_);
    const auto density = io::density_over_omega(info_, matter.mass);
    const bool off = density && (*density > kFarOff || (matter.all && *density * kFarOff < 1));
    return off ? density : std::nullopt;
  }

  MeanSpacing full_although(const std::string& fault) const {
    return {full_box_, fmt::format("The mean spacing of the linked particles is box/cbrt(N) = "
                                   "{:.6g}, because they have one mass and fill the box; that of "
                                   "their mass would be another: {}.",
                                   full_box_, fault)};
  }

  // Not even a part of a larger box is too dense.
  void require_possible(const std::string& fault, double density) const {
    const MatterRead matter = matter_read(info_, particles_, ranks_);
    if (!io::odd_density(info_, matter.mass)) return;
    throw Error("the linking length is not known in mean spacings: " + fault +
                    ", and the linked particles are not of one mass all over the box",
                info_.files.empty() ? std::string() : info_.files.front(),
                io::units_that_fit(info_, density) +
                    ", or give linking lengths as lengths (--epsilon, --sub-epsilon)");
  }

  MeanSpacing plain(const char* lacking) const {
    return {
        full_box_,
        fmt::format("The mean spacing of the linked particles is box/cbrt(N) = {:.6g}, which is "
                    "right only where they fill the box evenly: {}.",
                    full_box_, lacking)};
  }

  double share_of_linked() {
    if (dark_ && baryons_) return 1;
    const double baryons = share_of_baryons();
    return dark_ ? 1 - baryons : baryons;
  }

  double share_of_baryons() {
    const bool any = std::any_of(info_.types.begin(), info_.types.end(), [](const auto& type) {
      return is_baryonic(type.first) && type.second.count > 0;
    });
    if (!any) return 0;
    if (const auto stored = io::stored_omega_baryon(info_);
        stored && *stored < info_.cosmology.omega_matter) {
      source_ = fmt::format(" (OmegaBaryon is {:.4g} in the file)", *stored);
      return *stored / info_.cosmology.omega_matter;
    }
    double baryons = 0, beside = 0;
    for (const auto& columns : particles_.types) {
      if (!has_masses(info_.types.at(columns.type))) continue;
      if (is_baryonic(columns.type)) baryons += total_mass(columns, ranks_);
      if (columns.type == kDarkMatter) beside += total_mass(columns, ranks_);
    }
    // Where baryons alone were read nothing tells their share.
    if (!(beside > 0)) return 0;
    const double share = baryons / (baryons + beside);
    source_ = fmt::format(" (baryons are {:.4g} of the mass beside dark matter of type 1)", share);
    return share;
  }

  const SnapshotInfo& info_;
  const ParticleSet& particles_;
  const std::vector<int>& linked_;
  compute::Ranks& ranks_;
  std::uint64_t count_ = 0;
  double mass_ = 0, full_box_ = 0;
  bool known_ = true, dark_ = false, baryons_ = false;
  std::string source_;
};

}  // namespace

MeanSpacing mean_spacing(const SnapshotInfo& info, const ParticleSet& particles,
                         const std::vector<int>& linked, compute::Ranks& ranks) {
  return Spacing(info, particles, linked, ranks).run();
}

MatterRead matter_read(const SnapshotInfo& info, const ParticleSet& particles,
                       compute::Ranks& ranks) {
  MatterRead matter;
  for (const auto& [number, type] : info.types) {
    if (type.count == 0) continue;
    const auto columns =
        std::find_if(particles.types.begin(), particles.types.end(),
                     [number = number](const auto& one) { return one.type == number; });
    if (columns == particles.types.end() || !has_masses(type))
      matter.all = false;
    else
      matter.mass += total_mass(*columns, ranks);
  }
  return matter;
}

bool has_masses(const TypeInfo& type) {
  return type.uniform_mass > 0 || type.find(Role::Mass);
}

double total_mass(const ParticleColumns& columns, compute::Ranks& ranks) {
  // A part of no particles does not tell whether each has a mass of its own.
  const bool own = ranks.sum(int(!columns.mass.empty())) > 0;
  if (!own) return columns.uniform_mass * double(ranks.sum(columns.count));
  using Range = tbb::blocked_range<std::size_t>;
  compute::ExactSum sum = tbb::parallel_reduce(
      Range(0, columns.mass.size(), 65536), compute::ExactSum(),
      [&](const Range& part, compute::ExactSum some) {
        for (std::size_t i = part.begin(); i != part.end(); ++i) some.add(columns.mass[i]);
        return some;
      },
      [](compute::ExactSum a, const compute::ExactSum& b) {
        a.add(b);
        return a;
      });
  ranks.all_reduce(std::span(&sum, 1), [](compute::ExactSum a, const compute::ExactSum& b) {
    a.add(b);
    return a;
  });
  return sum.value();
}

}  // namespace haloscope::analysis
