#pragma once

#include "analysis/clusters/cluster_search.h"
#include "core/domain.h"
#include "core/snapshot_info.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace haloscope::analysis {

// Sums over the members of every cluster of a condensed tree, those of the clusters in it included:
// of its own points first, then added up from the leaves on, so that each particle counts once. In
// an order that hangs on the tree alone. Of clusters that reach over half a periodic box it is not
// known which images of members are the nearest: their places are wrong.
class ClusterMoments {
 public:
  ClusterMoments(const ClusterSearch& search, const SnapshotInfo& info);

  bool has_velocities() const { return velocities_; }
  int types() const { return types_; }  // GADGET's, of values by type

  // By cluster, code units; vectors cluster after cluster.
  std::vector<std::int64_t> members_by_type() const { return members_by_type_; }
  std::vector<double> mass_by_type() const { return mass_by_type_; }
  std::vector<double> mass() const;
  std::vector<double> center_of_mass() const;
  std::vector<double> rms_radius() const;  // about it, in three dimensions
  std::vector<double> velocity() const;
  std::vector<double> velocity_dispersion() const;  // in one dimension

 private:
  using Vector = std::array<double, 3>;
  // Means, and sums of squared deviations from them, weighted by mass.
  struct Moments {
    bool any = false;
    std::array<std::uint32_t, 3> reference{};  // place that those of the members are told from
    double mass = 0, place_square = 0, velocity_square = 0;
    Vector place{}, velocity{};  // lattice steps from the reference; code velocities
  };

  void add_points(const ClusterSearch& search, const SnapshotInfo& info);
  static void add_point(Moments& moments, const std::array<std::uint32_t, 3>& at,
                        const Vector& velocity, double mass);
  static void add(Moments& all, const Moments& one);
  static void combine(double mass, double other_mass, const Vector& away, Vector& mean,
                      double& square);

  Domain domain_;
  bool velocities_ = true;
  int types_ = 6;
  std::vector<Moments> moments_;
  std::vector<std::int64_t> members_by_type_;
  std::vector<double> mass_by_type_;
};

}  // namespace haloscope::analysis
