#include "analysis/halos/halo_ids.h"

#include "io/loading/particle_ids.h"

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

namespace haloscope::analysis {

namespace {

namespace halos = compute::halos;
using Rows = std::vector<std::uint64_t>;

class IdReader {
 public:
  IdReader(const io::SnapshotReader& reader, const HaloSearch& found,
           const halos::HaloProperties& halos, const halos::HaloProperties* clusters,
           Progress& progress)
      : reader_(reader),
        found_(found),
        progress_(progress),
        halos_(halos),
        clusters_(clusters),
        kinds_(found.particles.types.size()) {
    out_.most_bound.resize(std::size_t(halos.count()));
    if (clusters) out_.most_bound_of_clusters.resize(std::size_t(clusters->count()));
  }

  HaloIds run(IdsOfKinds* all) {
    for (std::size_t kind = 0; kind < kinds_; ++kind) {
      const auto& columns = found_.particles.types[kind];
      if (!found_.has_members(columns.type)) continue;
      if (all)
        list(columns, kind, std::move((*all)[kind]));
      else
        look_up(columns, kind);
    }
    return std::move(out_);
  }

 private:
  // Takes use(row, its ID's place) for each most bound member of a kind.
  template <class Use>
  void each_most_bound(std::size_t kind, const Use& use) {
    const auto each = [&](const halos::HaloProperties& p, Rows& ids) {
      for (std::size_t h = 0; h < ids.size(); ++h)
        if (p.most_bound_slot[h] == kind) use(std::uint64_t(p.most_bound_row[h]), ids[h]);
    };
    each(halos_, out_.most_bound);
    if (clusters_) each(*clusters_, out_.most_bound_of_clusters);
  }

  void say_no_ids(const ParticleColumns& columns) {
    out_.said.push_back(no_ids_sentence(columns.name));
  }

  void list(const ParticleColumns& columns, std::size_t kind, Rows ids) {
    if (ids.size() != columns.count) {
      say_no_ids(columns);
      ids.resize(std::size_t(columns.count));
      std::iota(ids.begin(), ids.end(), std::uint64_t(0));
    }
    each_most_bound(kind, [&](std::uint64_t row, std::uint64_t& id) { id = ids[row]; });
    place_members(columns.type, kind, ids);
  }

  void look_up(const ParticleColumns& columns, std::size_t kind) {
    Rows rows;
    each_most_bound(kind, [&](std::uint64_t row, std::uint64_t&) { rows.push_back(row); });
    std::sort(rows.begin(), rows.end());
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    if (rows.empty()) return;
    Rows ids = io::load_ids_of(reader_, columns.type, columns.rejected_rows, rows, progress_);
    if (ids.empty()) {
      say_no_ids(columns);
      ids = rows;
    }
    each_most_bound(kind, [&](std::uint64_t row, std::uint64_t& id) {
      id = ids[std::size_t(std::lower_bound(rows.begin(), rows.end(), row) - rows.begin())];
    });
  }

  // The places of a halo's clusters in the list of them.
  std::pair<std::size_t, std::size_t> clusters_of(std::uint64_t halo) const {
    if (!found_.substructure) return {0, 0};
    const auto& parent = found_.substructure->parent;
    const auto [begin, end] = std::equal_range(parent.begin(), parent.end(), halo);
    return {std::size_t(begin - parent.begin()), std::size_t(end - parent.begin())};
  }

  // In each halo those of its clusters first. A halo has as many places as members.
  void place_members(int type, std::size_t kind, const Rows& ids) {
    auto &offset = out_.halos.offset[type], &length = out_.halos.length[type];
    auto& members = out_.halos.ids[type];
    auto& of_clusters = out_.clusters.offset[type];
    const auto& inner = found_.substructure;
    std::uint64_t count = 0;
    for (std::uint64_t h = 0; h < halos_.count(); ++h) {
      offset.push_back(count);
      length.push_back(found_.members.run(h, kind, kinds_).size());
      count += length.back();
    }
    members.resize(std::size_t(count));
    if (inner) of_clusters.resize(inner->parent.size());
    progress_.report("members' IDs", 0);
    tbb::parallel_for(std::uint64_t(0), halos_.count(), [&](std::uint64_t h) {
      if (progress_.cancelled()) return;
      std::uint64_t to = offset[std::size_t(h)];
      std::vector<std::uint32_t> placed;
      const auto [first, end] = clusters_of(h);
      for (std::size_t c = first; c < end; ++c) {
        const auto part = inner->members.run(c, kind, kinds_);
        of_clusters[c] = to;
        placed.insert(placed.end(), part.begin(), part.end());
        for (const std::uint32_t row : part) members[std::size_t(to++)] = ids[row];
      }
      std::sort(placed.begin(), placed.end());
      for (const std::uint32_t row : found_.members.run(h, kind, kinds_))
        if (!std::binary_search(placed.begin(), placed.end(), row))
          members[std::size_t(to++)] = ids[row];
    });
    progress_.report("members' IDs", 1);
  }

  const io::SnapshotReader& reader_;
  const HaloSearch& found_;
  Progress& progress_;
  const halos::HaloProperties& halos_;
  const halos::HaloProperties* clusters_;
  std::size_t kinds_;
  HaloIds out_;
};

}  // namespace

std::string no_ids_sentence(const std::string& type) {
  return fmt::format("{} has no IDs: members are named by their rows, counted from 0.", type);
}

IdsOfKinds read_all_ids(const io::SnapshotReader& reader, const HaloSearch& found,
                        Progress& progress) {
  IdsOfKinds all;
  const auto& types = found.particles.types;
  for (std::size_t kind = 0; kind < types.size(); ++kind)
    if (found.has_members(types[kind].type))
      all[kind] = io::load_ids(reader, types[kind].type, types[kind].rejected_rows, progress);
  return all;
}

IdsBeside::IdsBeside(const io::SnapshotReader& reader, const HaloSearch& found)
    : read_(std::async(std::launch::async, [this, &reader, &found] {
        return read_all_ids(reader, found, progress_);
      })) {}

IdsBeside::~IdsBeside() {
  progress_.cancel();
  if (read_.valid()) read_.wait();
}

IdsOfKinds IdsBeside::take() {
  return read_.get();
}

HaloIds read_halo_ids(const io::SnapshotReader& reader, const HaloSearch& found,
                      const compute::halos::HaloProperties& halos,
                      const compute::halos::HaloProperties* clusters, IdsOfKinds* all,
                      Progress& progress) {
  return IdReader(reader, found, halos, clusters, progress).run(all);
}

}  // namespace haloscope::analysis
