#include "render/scene/set_center.h"

#include "analysis/snapshot/open_snapshot.h"
#include "io/loading/particle_loader.h"
#include "render/scene/shrinking_sphere.h"

#include <algorithm>
#include <vector>

namespace haloscope::render {

namespace {

// Of the particles that were read, those in the set: their positions alone.
ParticleColumns members_of(const ParticleColumns& all, const std::vector<std::uint16_t>& rows,
                           std::size_t set) {
  std::vector<std::uint64_t> in;
  auto left_out = all.rejected_rows.begin();
  std::uint64_t at = 0;
  for (std::size_t row = 0; row < rows.size() && at < all.count; ++row) {
    if (left_out != all.rejected_rows.end() && *left_out == row) {
      ++left_out;
      continue;
    }
    if (rows[row] >> set & 1u) in.push_back(at);
    ++at;
  }
  ParticleColumns some;
  some.type = all.type;
  some.count = in.size();
  for (std::size_t axis = 0; axis < 3; ++axis) {
    some.position[axis] = Array<std::uint32_t>(in.size());
    for (std::size_t k = 0; k < in.size(); ++k) some.position[axis][k] = all.position[axis][in[k]];
  }
  return some;
}

}  // namespace

std::optional<Vec> center_of_set(const analysis::SetMembers& members, std::size_t set,
                                 const analysis::SnapshotOptions& said, Progress& progress) {
  io::LoadRequest load;
  for (const auto& [type, rows] : members.of)
    if (std::any_of(rows.begin(), rows.end(),
                    [set](std::uint16_t word) { return word >> set & 1u; }))
      load.types.push_back({type, {}, false, false});
  if (load.types.empty()) return {};
  const auto reader = analysis::open_snapshot(members.snapshot, said);
  const ParticleSet particles = io::load_particles(*reader, load, progress);
  std::vector<ParticleColumns> parts;
  std::vector<const ParticleColumns*> types;
  for (const ParticleColumns& columns : particles.types)
    parts.push_back(members_of(columns, members.of.at(columns.type), set));
  for (const ParticleColumns& part : parts) types.push_back(&part);
  const auto bounds = shrinking_sphere(particles.domain, types);
  if (!bounds) return {};
  Vec center{};
  for (std::size_t axis = 0; axis < 3; ++axis)
    center[axis] = 0.5 * (bounds->low[axis] + bounds->high[axis]);
  return center;
}

}  // namespace haloscope::render
