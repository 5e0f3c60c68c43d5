#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace haloscope::test {

// Potentials (G = 1) as GADGET-4 sums them for its subhalos: Barnes and Hut 1986 on an octree over
// the whole periodic box, masses alone in their center of mass, cells opened by their side against
// the distance (Springel et al. 2021, section 2.2). Its build cuts the box at halves, quarters, …
// from an origin that RANDOMIZE_DOMAINCENTER shifts by three random numbers at each decomposition,
// so its errors, some 1e-3 of the potential, depend on them.
class Gadget4Tree {
 public:
  using Point = std::array<std::uint32_t, 3>;

  // Positions in 2^-32 of the box, `shift` to be added; `side` and `softening` (the Plummer
  // equivalent) in world lengths; an `opening_angle` of 0 opens all.
  Gadget4Tree(std::vector<Point> points, std::vector<double> masses, const Point& shift,
              double side, double softening, double opening_angle);

  // The index of the lowest potential, its own subtracted, in single precision as there.
  std::size_t lowest() const;

 private:
  struct Cell {
    Point middle{}, center_of_mass{};
    int level = 0;
    double mass = 0;
    std::vector<int> cells;   // of more than three points
    std::vector<int> points;  // of the rest
  };

  int build(const std::vector<int>& members, const Point& corner, int level);
  bool opens(const Cell& cell, const Point& at) const;
  double squared_distance(const Point& a, const Point& b) const;
  double potential(const Cell& cell, const Point& at) const;

  std::vector<Point> points_;
  std::vector<double> masses_;
  std::vector<Cell> cells_;
  double unit_, support_, opening_angle_;
};

}  // namespace haloscope::test
