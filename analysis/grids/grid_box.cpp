#include "analysis/grids/grid_box.h"

#include "compute/grids/smoothing.h"
#include "core/error.h"
#include "io/loading/selection.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

namespace haloscope::analysis {

namespace grids = compute::grids;

namespace {

bool has_box(const SnapshotInfo& info) {
  return info.periodic && info.box_size > 0;
}

// The region with its ends in order; in a periodic box it may go around the edge.
io::Region ordered(const SnapshotInfo& info, const io::Region& region) {
  const io::RegionTest refuses_empty_ones(region, info);
  io::Region in_order = region;
  if (has_box(info))
    for (std::size_t a = 0; a < 3; ++a)
      if (region.low[a] > region.high[a])
        in_order.high[a] +=
            info.box_size * std::ceil((region.low[a] - region.high[a]) / info.box_size);
  return in_order;
}

// The box around all particles of a set without one.
void put_around(const ParticleSet& particles, compute::Ranks& ranks, PlacedBox& box) {
  for (std::size_t a = 0; a < 3; ++a) {
    std::uint32_t low = ~0u, high = 0;
    for (const ParticleColumns& columns : particles.types)
      for (const std::uint32_t fixed : columns.position[a]) {
        low = std::min(low, fixed);
        high = std::max(high, fixed);
      }
    ranks.all_reduce(std::span(&low, 1), [](auto x, auto y) { return std::min(x, y); });
    ranks.all_reduce(std::span(&high, 1), [](auto x, auto y) { return std::max(x, y); });
    box.low[a] = particles.domain.to_world(low, int(a));
    box.high[a] = particles.domain.to_world(high, int(a)) + particles.domain.step();
  }
  // Particles in one plane, or at one point, have a box none the less.
  double longest = 0;
  for (std::size_t a = 0; a < 3; ++a) longest = std::max(longest, box.high[a] - box.low[a]);
  for (std::size_t a = 0; a < 3; ++a) {
    const double least = 1e-6 * longest;
    if (box.high[a] - box.low[a] >= least) continue;
    const double middle = (box.low[a] + box.high[a]) / 2;
    box.low[a] = middle - least / 2;
    box.high[a] = middle + least / 2;
  }
}

// Widths of the smoothing in cells, and the cells around the grid that it looks at.
void set_smoothing(const GridChoice& choice, PlacedBox& box) {
  if (choice.smoothing.width == 0) return;
  for (std::size_t a = 0; a < 3; ++a) {
    const double side = box.side_of_cell(a);
    box.smoothing[a] =
        choice.smoothing.in_cells ? choice.smoothing.width : choice.smoothing.width / side;
    if (box.smoothing[a] > box.cells[a])
      throw Error(fmt::format("a width of {:.6g} cells is more than the grid's {} along {}",
                              box.smoothing[a], box.cells[a], "xyz"[a]),
                  "--smooth", "choose a smaller one");
    if (!box.wraps[a] && box.edge == grids::Edge::Cut)
      box.margin[a] = grids::smoothing_reach(box.smoothing[a]);
  }
}

PlacedBox place_region(const SnapshotInfo& info, const GridChoice& choice) {
  PlacedBox box;
  box.cells = choice.cells;
  const io::Region region = ordered(info, *choice.region);
  box.low = region.low;
  box.high = region.high;
  for (std::size_t a = 0; a < 3; ++a)
    box.wraps[a] =
        has_box(info) && std::fabs((box.high[a] - box.low[a]) / info.box_size - 1) < 1e-9;
  set_smoothing(choice, box);
  return box;
}

}  // namespace

grids::GridFrame PlacedBox::frame(const Domain& domain) const {
  grids::GridBox whole;
  whole.inside = edge;
  bool padded = false;
  for (std::size_t a = 0; a < 3; ++a) {
    const double more = double(margin[a]) * side_of_cell(a);
    whole.low[a] = low[a] - more;
    whole.high[a] = high[a] + more;
    whole.cells[a] = cells[a] + 2 * std::uint32_t(margin[a]);
    padded = padded || margin[a] > 0;
  }
  if (padded) grids::make_frame(domain, {low, high, cells, edge});  // refuses what is too long
  return grids::make_frame(domain, whole, padded);
}

PlacedBox grid_box(const SnapshotInfo& info, const ParticleSet& particles, const GridChoice& choice,
                   compute::Ranks& ranks) {
  if (choice.region) return place_region(info, choice);
  PlacedBox box;
  box.cells = choice.cells;
  if (particles.domain.periodic) {
    box.low = particles.domain.origin;
    for (std::size_t a = 0; a < 3; ++a) {
      box.high[a] = box.low[a] + particles.domain.side;
      box.wraps[a] = true;
    }
  } else {
    put_around(particles, ranks, box);
    box.edge = grids::Edge::Keep;
  }
  set_smoothing(choice, box);
  return box;
}

io::Region region_around(const SnapshotInfo& info, const GridChoice& choice) {
  const PlacedBox box = place_region(info, choice);
  io::Region region{box.low, box.high};
  for (std::size_t a = 0; a < 3; ++a) {
    if (box.wraps[a]) {
      region.high[a] = region.low[a] + 2 * info.box_size;  // all of the axis, whatever was rounded
      continue;
    }
    const double more = double(box.margin[a] + grids::kReach) * box.side_of_cell(a);
    region.low[a] -= more;
    region.high[a] += more;
  }
  return region;
}

}  // namespace haloscope::analysis
