#include "tests/oracles/gadget4_tree.h"

#include "compute/gravity/softening.h"

#include <cmath>
#include <limits>
#include <numeric>

namespace haloscope::test {

namespace {

constexpr std::size_t kMostInLeaf = 3;
constexpr int kDeepest = 31;  // cells two steps of the integers wide

std::int32_t offset(std::uint32_t to, std::uint32_t from) {
  return std::int32_t(to - from);
}

}  // namespace

Gadget4Tree::Gadget4Tree(std::vector<Point> points, std::vector<double> masses, const Point& shift,
                         double side, double softening, double opening_angle)
    : points_(std::move(points)),
      masses_(std::move(masses)),
      unit_(std::ldexp(side, -32)),
      support_(compute::gravity::kSplinePerPlummer * softening),
      opening_angle_(opening_angle) {
  for (Point& p : points_)
    for (std::size_t a = 0; a < 3; ++a) p[a] += shift[a];
  std::vector<int> all(points_.size());
  std::iota(all.begin(), all.end(), 0);
  build(all, {}, 0);
}

int Gadget4Tree::build(const std::vector<int>& members, const Point& corner, int level) {
  const std::uint32_t half = 1u << (31 - level);
  Cell cell;
  cell.level = level;
  for (std::size_t a = 0; a < 3; ++a) cell.middle[a] = corner[a] + half;
  std::array<std::vector<int>, 8> octants;
  std::array<double, 3> moment{};
  for (const int i : members) {
    const Point& p = points_[std::size_t(i)];
    const double mass = masses_[std::size_t(i)];
    unsigned octant = 0;
    cell.mass += mass;
    for (std::size_t a = 0; a < 3; ++a) {
      if (p[a] & half) octant |= 1u << a;
      moment[a] += mass * offset(p[a], cell.middle[a]);
    }
    octants[octant].push_back(i);
  }
  for (std::size_t a = 0; a < 3; ++a)
    cell.center_of_mass[a] =
        cell.middle[a] + std::uint32_t(std::int64_t(std::llround(moment[a] / cell.mass)));
  for (unsigned octant = 0; octant < 8; ++octant) {
    const std::vector<int>& inside = octants[octant];
    if (inside.size() <= kMostInLeaf || level == kDeepest) {
      cell.points.insert(cell.points.end(), inside.begin(), inside.end());
      continue;
    }
    Point low = corner;
    for (std::size_t a = 0; a < 3; ++a)
      if (octant & (1u << a)) low[a] += half;
    cell.cells.push_back(build(inside, low, level + 1));
  }
  cells_.push_back(std::move(cell));
  return int(cells_.size()) - 1;
}

double Gadget4Tree::squared_distance(const Point& a, const Point& b) const {
  double sum = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    const double d = unit_ * offset(a[k], b[k]);
    sum += d * d;
  }
  return sum;
}

bool Gadget4Tree::opens(const Cell& cell, const Point& at) const {
  if (cell.level == 0) return true;
  const double side = std::ldexp(1.0, 32 - cell.level);
  bool inside_neighborhood = true;
  for (std::size_t a = 0; a < 3; ++a)
    inside_neighborhood &= std::abs(double(offset(cell.middle[a], at[a]))) < side;
  if (inside_neighborhood) return true;
  const double world = side * unit_;
  return world * world >
         squared_distance(cell.center_of_mass, at) * opening_angle_ * opening_angle_;
}

double Gadget4Tree::potential(const Cell& cell, const Point& at) const {
  const auto of = [&](double mass, const Point& from) {
    return mass * compute::gravity::softened_potential(squared_distance(from, at), support_);
  };
  if (!opens(cell, at)) return of(cell.mass, cell.center_of_mass);
  double sum = 0;
  for (const int i : cell.points) sum += of(masses_[std::size_t(i)], points_[std::size_t(i)]);
  for (const int c : cell.cells) sum += potential(cells_[std::size_t(c)], at);
  return sum;
}

std::size_t Gadget4Tree::lowest() const {
  std::size_t best = 0;
  double least = std::numeric_limits<double>::max();
  for (std::size_t i = 0; i < points_.size(); ++i) {
    const double own = masses_[i] * compute::gravity::kSplinePerPlummer / support_;
    const double value = float(potential(cells_.back(), points_[i])) + own;
    if (value < least) {
      least = value;
      best = i;
    }
  }
  return best;
}

}  // namespace haloscope::test
