#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace haloscope::analysis {

// Points in a periodic cube, or without one, sorted into cells: finds nearest neighbors among some
// millions of halos.
class HaloPoints {
 public:
  // `box` 0: not periodic. The points are kept by reference.
  HaloPoints(const std::vector<std::array<double, 3>>& points, double box);

  struct Neighbor {
    std::uint64_t row = 0;
    double distance = 0;
  };
  // The nearest point within `limit` of `at`; of equally near ones the first.
  std::optional<Neighbor> nearest(const std::array<double, 3>& at, double limit) const;

 private:
  std::int64_t cell_of(double x, int axis) const;
  void search_cell(const std::array<std::int64_t, 3>& cell, const std::array<double, 3>& at,
                   std::optional<Neighbor>& best, double& limit) const;

  const std::vector<std::array<double, 3>>& points_;
  double box_ = 0;
  std::array<double, 3> origin_{};
  double cell_side_ = 1;
  std::array<std::int64_t, 3> cells_{1, 1, 1};  // per axis
  std::vector<std::uint64_t> begin_;            // of each cell in order_
  std::vector<std::uint64_t> order_;
};

}  // namespace haloscope::analysis
