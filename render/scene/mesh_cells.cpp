#include "render/scene/mesh_cells.h"

#include "compute/exec/named_range.h"
#include "compute/splotch/voronoi_map.h"

#include <utility>
#include <vector>

namespace haloscope::render {

namespace splotch = compute::splotch;

MeshCells::MeshCells(const Domain& domain, ParticleColumns columns, const std::string& field,
                     double support_per_radius)
    : domain_(domain), columns_(std::move(columns)), field_(field) {
  std::erase_if(columns_.fields,
                [&](const auto& one) { return one.first != field || one.second.size() != 1; });
  for (float& radius : columns_.support_radius) radius = float(double(radius) / support_per_radius);
}

splotch::Frame MeshCells::draw(const splotch::View& view, const std::string& mean_field,
                               Progress& progress) const {
  splotch::Frame frame;
  const compute::TimedRange timer(frame.timings, "draw");
  splotch::VoronoiCells cells;
  cells.count = std::size_t(columns_.count);
  for (std::size_t c = 0; c < 3; ++c) cells.position[c] = columns_.position[c].data();
  cells.radius = columns_.support_radius.data();
  cells.mass = columns_.mass.empty() ? nullptr : columns_.mass.data();
  cells.uniform_mass = float(columns_.uniform_mass);
  const auto stored = columns_.fields.find(mean_field);
  if (!mean_field.empty() && stored != columns_.fields.end())
    cells.field = stored->second.front().data();
  splotch::SeenMap map = splotch::voronoi_map(view, domain_, cells, progress);
  frame.image = std::move(map.image);
  frame.counts.particles = columns_.count;
  frame.counts.medium = map.seen;
  frame.counts.inactive = columns_.count - map.seen;
  return frame;
}

}  // namespace haloscope::render
