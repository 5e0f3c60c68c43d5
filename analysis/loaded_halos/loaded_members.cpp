#include "analysis/loaded_halos/loaded_members.h"

#include "analysis/file_rows.h"
#include "analysis/loaded_halos/sphere_cells.h"
#include "core/array.h"
#include "io/loading/particle_ids.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_sort.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <utility>

namespace haloscope::analysis {

namespace {

constexpr std::size_t kRowsPerTask = std::size_t(1) << 14;

struct OwnedId {
  std::uint64_t id = 0;
  std::uint32_t halo = 0;
};

// By ID, each once.
std::vector<OwnedId> owners_of(const HaloMembers& members, int type, std::uint64_t halos) {
  const auto& ids = members.ids.at(type);
  const auto &offset = members.offset.at(type), &length = members.length.at(type);
  require_host_memory(2 * ids.size() * sizeof(OwnedId), "the IDs of the catalog's members");
  std::vector<OwnedId> owned;
  owned.reserve(ids.size());
  for (std::size_t halo = 0; halo < halos; ++halo)
    for (std::uint64_t k = 0; k < length[halo]; ++k)
      owned.push_back({ids[std::size_t(offset[halo] + k)], std::uint32_t(halo)});
  tbb::parallel_sort(owned.begin(), owned.end(), [](const OwnedId& a, const OwnedId& b) {
    return a.id != b.id ? a.id < b.id : a.halo > b.halo;
  });
  owned.erase(std::unique(owned.begin(), owned.end(),
                          [](const OwnedId& a, const OwnedId& b) { return a.id == b.id; }),
              owned.end());
  return owned;
}

void count_labels(const Labels& labels, std::vector<std::uint64_t>& counts) {
  counts.assign(std::size_t(labels.pieces), 0);
  for (const auto& [type, of] : labels.of)
    for (const std::uint32_t label : of)
      if (label != Labels::kNone) ++counts[label];
}

// The halo of each row, by its ID; tells which of the owned IDs were met.
std::vector<std::uint32_t> halos_of_rows(const std::vector<std::uint64_t>& ids,
                                         const std::vector<OwnedId>& owned,
                                         std::vector<std::atomic<std::uint32_t>>& met) {
  std::vector<std::uint32_t> halo(ids.size(), Labels::kNone);
  tbb::parallel_for(
      tbb::blocked_range<std::size_t>(0, ids.size(), kRowsPerTask), [&](const auto& rows) {
        for (std::size_t i = rows.begin(); i != rows.end(); ++i) {
          const auto at =
              std::lower_bound(owned.begin(), owned.end(), ids[i],
                               [](const OwnedId& o, std::uint64_t id) { return o.id < id; });
          if (at == owned.end() || at->id != ids[i]) continue;
          halo[i] = at->halo;
          met[std::size_t(at - owned.begin())].fetch_add(1, std::memory_order_relaxed);
        }
      });
  return halo;
}

}  // namespace

LoadedMembers members_by_id(const io::SnapshotReader& reader, const std::vector<int>& types,
                            const HaloMembers& members, std::uint64_t halos, Progress& progress) {
  LoadedMembers result;
  result.labels.pieces = halos;
  for (const int type : types) {
    if (!members.ids.count(type) || !reader.info().types.count(type)) continue;
    const std::vector<std::uint64_t> ids = io::load_ids(reader, type, {}, progress);
    const std::vector<OwnedId> owned = owners_of(members, type, halos);
    progress.report("finding members", 0);
    std::vector<std::atomic<std::uint32_t>> met(owned.size());
    result.labels.of[type] = halos_of_rows(ids, owned, met);
    // Types without IDs have rows all the same.
    if (ids.empty())
      result.labels.of[type].assign(std::size_t(reader.info().types.at(type).count), Labels::kNone);
    result.listed += owned.size();
    for (const auto& times : met) {
      result.found += times > 0;
      if (times > 1) result.repeated += times;
    }
    progress.report("finding members", 1);
  }
  count_labels(result.labels, result.counts);
  return result;
}

LoadedMembers members_by_sphere(const ParticleSet& particles, const std::vector<PiecePlace>& places,
                                Progress& progress) {
  LoadedMembers result;
  result.labels.pieces = places.size();
  const SphereCells cells(places, particles.domain);
  for (const ParticleColumns& columns : particles.types) {
    progress.report("finding members", 0);
    std::vector<std::uint32_t> halo(std::size_t(columns.count), Labels::kNone);
    tbb::parallel_for(
        tbb::blocked_range<std::size_t>(0, halo.size(), kRowsPerTask), [&](const auto& rows) {
          for (std::size_t i = rows.begin(); i != rows.end(); ++i)
            halo[i] = cells.nearest(
                {columns.position[0][i], columns.position[1][i], columns.position[2][i]});
        });
    result.labels.of[columns.type] =
        file_rows(std::move(halo), columns.rejected_rows, std::uint32_t(Labels::kNone));
    progress.report("finding members", 1);
  }
  count_labels(result.labels, result.counts);
  return result;
}

}  // namespace haloscope::analysis
