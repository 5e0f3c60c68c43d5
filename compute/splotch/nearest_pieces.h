#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

// Which of several cells is nearest, all along one line.
namespace haloscope::compute::splotch {

// A cell as a line sees it: its generator is nearest to the line at `depth`, `distance2` (squared)
// away, and the cell reaches half a chord to both sides of that depth, whose square is `half2`.
struct LineCell {
  double depth, distance2, half2;
  std::uint32_t cell;  // any number by which the caller knows it
};

// A stretch of the line that belongs to one cell: `of` is its place in the list of LineCells.
struct LinePiece {
  double begin, end;
  std::uint32_t of;
};

// Finds the pieces of lines; keeps its memory from one line to the next.
class NearestPieces {
 public:
  // The pieces between `low` and `high`, in order: at each place the nearest generator among the
  // cells that reach it. What no cell reaches is in none. `cells` ascend by depth.
  //
  // Along a line the squared distance of a generator is t² − 2 t depth + …: apart from the t² that
  // all share it is straight, and steeper downwards the deeper it lies. So the nearest ones of all,
  // whatever their reach, are the lower hull of straight lines, which one pass finds. In a mesh
  // they nearly always reach what they are nearest to. Only where one does not, all cells are
  // asked.
  const std::vector<LinePiece>& find(const std::vector<LineCell>& cells, double low, double high);

 private:
  void find_hull(const std::vector<LineCell>& cells, double low);
  void ask_all(const std::vector<LineCell>& cells, double low, double high);
  void merge(const std::vector<LineCell>& cells, std::size_t first, std::size_t middle,
             std::size_t last);

  std::vector<LinePiece> hull_, found_, pieces_, merged_;
  std::vector<std::size_t> begins_, merged_begins_;  // of each list among the pieces, and the end
};

}  // namespace haloscope::compute::splotch
