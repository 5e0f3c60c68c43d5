#pragma once

#include "analysis/plot.h"
#include "analysis/topology/grid_tree.h"
#include "analysis/topology/structures.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace haloscope::analysis {

// The axis on which values of a tree's grid are plotted.
struct ValueAxis {
  explicit ValueAxis(const GridTree& tree);
  // Values at or below 0 have no place on a logarithmic axis.
  bool shows(double value) const;

  std::string title;  // name and unit
  AxisScale scale = AxisScale::Linear;
};

// Why plots of the pairs are empty, where they are.
const char* why_no_pairs(const GridTree& tree);
// An empty plot with the notes that plots of peaks have; `why`: where it stays empty.
Plot plot_of_peaks(const char* name, const char* why, const std::string& snapshot);

// The pairs of a merge tree as a scatter plot, those that are structures apart from noise. Where a
// threshold is dragged it is drawn again and again in a time by the number of structures: where all
// pairs lie is found once.
class PersistenceDiagram {
 public:
  explicit PersistenceDiagram(const GridTree& tree);

  // `found`: of the same tree. More than 5000 pairs of one kind are counted in tiles.
  Plot plot(const GridTree& tree, const Structures& found, const std::string& snapshot) const;
  // The structures that are plotted within these births and deaths, ends included, ascending. What
  // never ends is not plotted.
  std::vector<std::uint64_t> within(const GridTree& tree, const Structures& found,
                                    const std::array<double, 2>& births,
                                    const std::array<double, 2>& deaths) const;

 private:
  static constexpr int kTiles = 96;  // along each axis
  static constexpr std::uint16_t kNoTile = 0xffff;
  using Counts = std::vector<std::uint32_t>;  // of each tile

  double scaled(double value) const;
  double middle_of_tile(int tile) const;
  std::uint16_t tile_of(double birth, double death) const;
  // A death that cannot be shown is drawn at the lowest end that can.
  double shown_death(const GridTree& tree, std::uint32_t branch) const;
  PlotPoint point_of(const GridTree& tree, std::uint32_t branch) const;
  void add_tiles(const Counts& counts, std::size_t pairs, Plot& plot, PlotLayer& layer) const;

  ValueAxis axis_;
  std::vector<std::uint16_t> tile_;  // of each branch; kNoTile: it is no pair that is shown
  Counts counts_;
  std::size_t pairs_ = 0;  // that are shown
  double lowest_ = 0;      // end of a pair that can be shown
  double low_ = 0, side_ = 1;
};

}  // namespace haloscope::analysis
