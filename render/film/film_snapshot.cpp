#include "render/film/film_snapshot.h"

#include "analysis/snapshot/open_snapshot.h"
#include "core/error.h"
#include "io/loading/particle_ids.h"
#include "io/loading/select_rows.h"
#include "render/scene/prepare_particles.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

namespace haloscope::render {

namespace {

// IDs of particles that were loaded, in the order of their columns.
class LoadedIds {
 public:
  LoadedIds(const io::SnapshotReader& reader, const io::LoadRequest& load, Progress& progress)
      : reader_(reader), progress_(progress) {
    if (!load.selection.any()) return;
    std::vector<int> types;
    for (const auto& one : load.types) types.push_back(one.type);
    // The columns do not tell their rows: choose them once more.
    selected_ = io::select_rows(reader, types, load.selection, progress).rows;
  }

  std::vector<std::uint64_t> of(const ParticleColumns& columns) const {
    const auto selected = selected_.find(columns.type);
    if (selected == selected_.end())
      return io::load_ids(reader_, columns.type, columns.rejected_rows, progress_);
    std::vector<std::uint64_t> rows, kept;
    selected->second.each(
        0, selected->second.rows_in_file(),
        [&](std::uint64_t row, std::uint64_t, std::uint64_t) { rows.push_back(row); });
    std::set_difference(rows.begin(), rows.end(), columns.rejected_rows.begin(),
                        columns.rejected_rows.end(), std::back_inserter(kept));
    return io::load_ids_of(reader_, columns.type, {}, std::move(kept), progress_);
  }

 private:
  const io::SnapshotReader& reader_;
  Progress& progress_;
  std::map<int, io::RowMap> selected_;
};

Array<IdRow> sorted_ids(const ParticleColumns& columns, const LoadedIds& ids,
                        const std::string& name) {
  require_host_memory(columns.count * sizeof(IdRow), "sorting the particle IDs");
  auto sorted = sort_ids(ids.of(columns));
  if (sorted.size() != columns.count)
    throw Error(
        fmt::format("{} {} particles have {} IDs", columns.count, columns.name, sorted.size()),
        name, "copy the file again, or draw whole snapshots: --interpolate none");
  if (const auto repeated = repeated_id(sorted))
    throw Error(fmt::format("several {} particles have the ID {}, so that they cannot be followed "
                            "from snapshot to snapshot",
                            columns.name, *repeated),
                name, "draw whole snapshots: --interpolate none");
  return sorted;
}

}  // namespace

std::vector<const float*> FilmSnapshot::radii() const {
  std::vector<const float*> radii;
  for (std::size_t k = 0; k < particles.types.size(); ++k) radii.push_back(lengths.of(k).data());
  return radii;
}

FilmSnapshot load_film_snapshot(const std::string& name, const FilmSnapshotRequest& request,
                                Progress& progress) {
  const auto reader = analysis::open_snapshot(name, request.said);
  FilmSnapshot snapshot;
  snapshot.particles = io::load_particles(*reader, request.load, progress);
  clean_columns(snapshot.particles);
  if (request.ids) {
    const LoadedIds ids(*reader, request.load, progress);
    for (const auto& columns : snapshot.particles.types)
      snapshot.ids.push_back(sorted_ids(columns, ids, name));
  }
  snapshot.lengths = analysis::SmoothingLengths(request.lengths);
  snapshot.lengths.find(reader->info(), snapshot.particles, progress);
  return snapshot;
}

}  // namespace haloscope::render
