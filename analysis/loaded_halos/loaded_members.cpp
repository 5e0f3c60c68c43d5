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
#include <cmath>
#include <cstddef>
#include <numeric>
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

std::uint64_t members_of_type(const HaloMembers& members, int type, std::uint64_t halos) {
  const auto& length = members.length.at(type);
  return std::accumulate(length.begin(), length.begin() + std::ptrdiff_t(halos), std::uint64_t(0));
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
    const TypeInfo& info = reader.info().types.at(type);
    const std::uint64_t in_lists = members_of_type(members, type, halos);
    if (info.count > 0 && !io::id_field(info)) {
      // Types without IDs have rows all the same.
      result.labels.of[type].assign(std::size_t(info.count), Labels::kNone);
      if (in_lists > 0) result.without_ids[type] = in_lists;
      continue;
    }
    const std::vector<std::uint64_t> ids = io::load_ids(reader, type, {}, progress);
    const std::vector<OwnedId> owned = owners_of(members, type, halos);
    result.listed_again += in_lists - owned.size();
    progress.report("finding members", 0);
    std::vector<std::atomic<std::uint32_t>> met(owned.size());
    result.labels.of[type] = halos_of_rows(ids, owned, met);
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

std::optional<LoadedMembers> members_by_row(const SnapshotInfo& info, const std::vector<int>& types,
                                            const HaloTable& table, bool incomplete) {
  const CatalogColumn* const length = table.find(table.name + "LenType");
  const CatalogColumn* const offset = table.find(table.name + "OffsetType");
  if (!length || (!offset && (table.name != "Group" || incomplete))) return {};
  LoadedMembers result;
  result.labels.pieces = table.count;
  for (const int type : types) {
    const std::uint64_t rows = info.types.at(type).count;
    std::vector<std::uint32_t>& halo = result.labels.of[type];
    halo.assign(std::size_t(rows), Labels::kNone);
    if (type >= length->components || (offset && type >= offset->components)) continue;
    std::uint64_t next = 0;
    for (std::uint64_t k = 0; k < table.count; ++k) {
      const double first = offset ? offset->value(k, type) : double(next);
      const double count = length->value(k, type);
      if (!(first >= 0) || !(count >= 0) || first + count > double(rows)) return {};
      next = std::uint64_t(first) + std::uint64_t(count);
      std::fill(halo.begin() + std::ptrdiff_t(first), halo.begin() + std::ptrdiff_t(next),
                std::uint32_t(k));
    }
  }
  count_labels(result.labels, result.counts);
  return result;
}

namespace {

// The largest halos, and some over the whole table: rows that are missing shift those behind them.
std::vector<std::uint32_t> halos_to_look_at(const std::vector<std::uint64_t>& counts) {
  constexpr std::size_t kLargest = 20, kSpread = 200;
  constexpr std::uint64_t kFewest = 10;  // members: nine of ten of them are a test
  std::vector<std::uint32_t> halos(counts.size());
  std::iota(halos.begin(), halos.end(), 0U);
  const auto largest = halos.begin() + std::ptrdiff_t(std::min(kLargest, halos.size()));
  std::partial_sort(halos.begin(), largest, halos.end(),
                    [&](std::uint32_t a, std::uint32_t b) { return counts[a] > counts[b]; });
  halos.erase(largest, halos.end());
  const std::size_t step = std::max<std::size_t>(1, counts.size() / kSpread);
  for (std::size_t k = step - 1; k < counts.size(); k += step)
    if (counts[k] >= kFewest) halos.push_back(std::uint32_t(k));
  std::sort(halos.begin(), halos.end());
  halos.erase(std::unique(halos.begin(), halos.end()), halos.end());
  return halos;
}

}  // namespace

bool lie_together(const LoadedMembers& members, const ParticleSet& particles,
                  const std::vector<PiecePlace>& places) {
  constexpr double kFarthest = 5, kPart = 0.9;  // radii; of the members
  const std::vector<std::uint32_t> halos = halos_to_look_at(members.counts);
  std::vector<char> looked(places.size(), 0);
  for (const std::uint32_t k : halos) looked[k] = 1;
  std::vector<std::uint64_t> near(places.size(), 0);
  const Domain& domain = particles.domain;
  for (const ParticleColumns& columns : particles.types) {
    // Rows that are left out stand in no column.
    if (!columns.rejected_rows.empty()) return false;
    const auto& halo = members.labels.of.at(columns.type);
    for (std::size_t i = 0; i < halo.size(); ++i) {
      if (halo[i] == Labels::kNone || !looked[halo[i]]) continue;
      double squared = 0;
      for (std::size_t a = 0; a < 3; ++a) {
        const double d =
            domain.to_world(columns.position[a][i], int(a)) - places[halo[i]].center[a];
        squared += std::pow(domain.periodic ? std::remainder(d, domain.side) : d, 2);
      }
      near[halo[i]] += squared <= std::pow(kFarthest * places[halo[i]].radius, 2);
    }
  }
  // One of twenty may be a bridge of several halos, with its center in one of them.
  std::size_t odd = 0;
  for (const std::uint32_t k : halos) odd += double(near[k]) < kPart * double(members.counts[k]);
  return 20 * odd <= halos.size();
}

LoadedMembers members_by_sphere(const ParticleSet& particles, const std::vector<PiecePlace>& places,
                                Progress& progress) {
  LoadedMembers result;
  result.labels.pieces = places.size();
  require_host_memory(2 * particles.count() * sizeof(std::uint32_t), "the halos of the particles");
  const SphereCells cells(places, particles.domain);
  for (const ParticleColumns& columns : particles.types) {
    progress.report("finding members", 0);
    std::vector<std::uint32_t> halo(std::size_t(columns.count), Labels::kNone);
    tbb::parallel_for(
        tbb::blocked_range<std::size_t>(0, halo.size(), kRowsPerTask), [&](const auto& rows) {
          if (progress.cancelled()) return;
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
