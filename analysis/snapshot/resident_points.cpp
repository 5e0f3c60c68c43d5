#include "analysis/snapshot/resident_points.h"

#include "compute/spatial/points_in_box.h"
#include "io/loading/sidecar.h"

#include <array>
#include <cstddef>
#include <filesystem>

namespace haloscope::analysis {

std::vector<std::string> files_behind(const std::string& snapshot, const SnapshotInfo& info) {
  std::vector<std::string> files = info.files;
  files.push_back(io::sidecar_path(snapshot));
  files.push_back(io::sidecar_path(std::filesystem::absolute(snapshot).parent_path().string()));
  return files;
}

bool is_current(const ResidentPoints& points) {
  return stamps_of(points.files) == points.stamps;
}

KnownPositions known_positions(std::shared_ptr<const ResidentPoints> points) {
  KnownPositions known;
  known.domain = points->domain;
  for (const auto& [type, one] : points->types)
    known.types[type] = {one.counts, one.rejected_rows,
                         [points, set = one.points](std::array<Array<std::uint32_t>, 3>& to) {
                           for (auto& axis : to)
                             axis = Array<std::uint32_t>(std::size_t(set->count()));
                           set->copy({to[0].data(), to[1].data(), to[2].data()});
                         },
                         [points, set = one.points](const LatticeBox& box) {
                           return compute::spatial::points_in_box(*set, box);
                         }};
  return known;
}

}  // namespace haloscope::analysis
