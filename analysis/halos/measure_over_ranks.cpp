#include "analysis/halos/measure_over_ranks.h"

#include "analysis/halos/halo_particles.h"
#include "analysis/snapshot/peculiar_velocities.h"
#include "analysis/snapshot/row_parts.h"
#include "compute/exec/named_range.h"
#include "compute/halos/halo_finder.h"
#include "core/give_back.h"
#include "io/loading/particle_ids.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <span>
#include <utility>

namespace haloscope::analysis {

namespace distributed = compute::distributed;
namespace halos = compute::halos;

namespace {

std::vector<std::uint64_t> own_counts(const HaloSearch& found) {
  std::vector<std::uint64_t> counts;
  for (const auto& columns : found.particles.types) counts.push_back(columns.count);
  return counts;
}

void drop_rejected(const ParticleColumns& columns, std::uint64_t first_row,
                   std::vector<std::uint64_t>& ids) {
  if (ids.empty() || columns.rejected_rows.empty()) return;
  std::size_t kept = 0, next = 0;
  for (std::size_t i = 0; i < ids.size(); ++i)
    if (next < columns.rejected_rows.size() && columns.rejected_rows[next] == first_row + i)
      ++next;
    else
      ids[kept++] = ids[i];
  ids.resize(kept);
}

}  // namespace

MeasureOverRanks::MeasureOverRanks(compute::Ranks& ranks, const io::SnapshotReader& reader,
                                   HaloSearch& found, MemberLists lists, Progress& progress)
    : ranks_(ranks),
      reader_(reader),
      found_(found),
      lists_(lists),
      progress_(progress),
      rows_(ranks, own_counts(found)) {
  // Rows of members have 32 bits.
  for (std::size_t k = 0; k < rows_.kinds(); ++k)
    if (has_members(k)) halos::require_countable(rows_.total(k), found_.particles.types[k].name);
  describe_kinds();
}

bool MeasureOverRanks::is_linked(std::size_t kind) const {
  return is_among(found_.linked, found_.particles.types[kind].type);
}

bool MeasureOverRanks::has_members(std::size_t kind) const {
  return found_.has_members(found_.particles.types[kind].type);
}

void MeasureOverRanks::measure(const std::vector<distributed::SharedHalo>& halos) {
  read_ids();
  progress_.report("members", 0);
  distributed::GatheredHalos gathered;
  {
    const compute::TimedRange timer(found_.timings, "gather");
    const auto workers = distributed::workers_of(halos, ranks_.size());
    gathered = distributed::gather_halos(
        ranks_, rows_,
        {found_.particles.domain, kinds_, halos, workers, halo_physics(reader_.info(), found_),
         [&](std::size_t kind) { give_back_columns(kind); }});
  }
  halos::HaloProperties own = measure_own(gathered);
  progress_.report("halos of all ranks", 0);
  const compute::TimedRange timer(found_.timings, "gather");
  auto members = distributed::collect_members(ranks_, gathered, own, lists_ == MemberLists::Ids);
  measured_->properties = distributed::collect_properties(ranks_, gathered, std::move(own));
  gathered = {};
  keep_counts();
  if (!ranks_.first()) return;
  found_.members = std::move(members.members);
  place_ids(members);
  found_.measured = std::move(measured_);
}

void MeasureOverRanks::read_ids() {
  const compute::TimedRange timer(found_.timings, "IDs");
  const RowParts parts(ranks_);
  ids_.resize(rows_.kinds());
  for (std::size_t k = 0; k < rows_.kinds(); ++k) {
    const auto& columns = found_.particles.types[k];
    if (!has_members(k)) continue;
    const std::uint64_t in_file = reader_.info().types.at(columns.type).count;
    const io::RowRange part = parts.rows_of(in_file);
    ids_[k] = io::load_ids_of(reader_, columns.type, io::RowMap(in_file, {part}), progress_);
    drop_rejected(columns, part.begin, ids_[k]);
    if (!ids_[k].empty()) kinds_[k].id = ids_[k].data();
  }
}

bool MeasureOverRanks::has_ids(std::size_t kind) const {
  return io::id_field(reader_.info().types.at(found_.particles.types[kind].type)) != nullptr;
}

void MeasureOverRanks::describe_kinds() {
  measured_->moving = true;
  for (std::size_t k = 0; k < rows_.kinds(); ++k) {
    const auto& columns = found_.particles.types[k];
    distributed::KindPart kind;
    kind.linked = is_linked(k);
    kind.members = has_members(k);
    kind.count = columns.count;
    for (std::size_t axis = 0; axis < 3; ++axis)
      kind.position[axis] = columns.position[axis].data();
    if (!columns.mass.empty()) kind.mass = columns.mass.data();
    kind.uniform_mass = columns.uniform_mass;
    const auto v = columns.fields.find(velocity_field(reader_.info().types.at(columns.type)));
    kind.moving = v != columns.fields.end();
    if (kind.moving)
      for (std::size_t axis = 0; axis < 3; ++axis) kind.velocity[axis] = v->second[axis].data();
    else if (kind.members)
      measured_->moving = false;
    kinds_.push_back(kind);
  }
}

halos::HaloProperties MeasureOverRanks::measure_own(const distributed::GatheredHalos& gathered) {
  const compute::TimedRange timer(found_.timings, "properties");
  halos::HaloParticles particles;
  particles.domain = found_.particles.domain;
  for (std::size_t k = 0; k < gathered.kinds.size(); ++k) {
    const auto& kind = gathered.kinds[k];
    halos::HaloParticles::Type type;
    type.type = found_.particles.types[k].type;
    type.around = !kinds_[k].members;
    type.count = kind.position[0].size();
    for (std::size_t axis = 0; axis < 3; ++axis) {
      type.position[axis] = kind.position[axis].data();
      if (measured_->moving && !type.around) type.velocity[axis] = kind.velocity[axis].data();
    }
    type.mass = kind.mass.data();
    particles.types.push_back(type);
  }
  return halos::measure_halos(found_.device, particles, gathered.members,
                              halo_physics(reader_.info(), found_), progress_);
}

// The particles were this rank's part; what the catalog tells is of all.
void MeasureOverRanks::keep_counts() {
  for (std::size_t k = 0; k < rows_.kinds(); ++k) {
    auto& columns = found_.particles.types[k];
    columns.count = rows_.total(k);
    columns.rejected_rows =
        ranks_.gather<std::uint64_t>(std::span<const std::uint64_t>(columns.rejected_rows));
  }
}

// Particles that were gathered where their halos are measured: the most memory is held there.
void MeasureOverRanks::give_back_columns(std::size_t kind) {
  auto& columns = found_.particles.types[kind];
  columns.position = {};
  columns.mass = {};
  columns.support_radius = {};
  for (auto& field : columns.fields)
    for (auto& component : field.second) component = {};
  give_back(ids_[kind]);
  auto& part = kinds_[kind];
  part.position = {};
  part.velocity = {};
  part.mass = nullptr;
  part.id = nullptr;
  part.groups = {};
}

void MeasureOverRanks::place_ids(distributed::CollectedMembers& members) {
  HaloIds& out = measured_->ids;
  const auto& p = measured_->properties;
  out.most_bound = std::move(members.most_bound);
  for (std::size_t k = 0; k < rows_.kinds(); ++k) {
    if (!has_members(k)) continue;
    const bool asked =
        lists_ != MemberLists::None || std::find(p.most_bound_slot.begin(), p.most_bound_slot.end(),
                                                 std::uint32_t(k)) != p.most_bound_slot.end();
    if (!has_ids(k)) {
      if (asked) out.said.push_back(no_ids_sentence(found_.particles.types[k].name));
      for (std::size_t h = 0; h < out.most_bound.size(); ++h)
        if (p.most_bound_slot[h] == k) out.most_bound[h] = p.most_bound_row[h];
    }
    if (lists_ != MemberLists::None) list_members(k, members.ids, out);
  }
}

void MeasureOverRanks::list_members(std::size_t kind, LargeVector<std::uint64_t>& ids,
                                    HaloIds& out) const {
  const int type = found_.particles.types[kind].type;
  auto &offset = out.halos.offset[type], &length = out.halos.length[type];
  const auto& begin = found_.members.begin;
  std::uint64_t before = 0;
  for (std::size_t run = kind; run + 1 < begin.size(); run += rows_.kinds()) {
    offset.push_back(before);
    length.push_back(begin[run + 1] - begin[run]);
    before += length.back();
  }
  if (lists_ != MemberLists::Ids) return;
  auto& list = out.halos.ids[type];
  // Of the only kind that has any they stand as they should.
  if (has_ids(kind) && ids.size() == before) {
    list = std::move(ids);
    return;
  }
  list.resize(std::size_t(before));
  tbb::parallel_for(std::size_t(0), offset.size(), [&](std::size_t h) {
    const auto first = std::ptrdiff_t(begin[h * rows_.kinds() + kind]);
    const auto copy = [&](const auto& from) {
      std::copy_n(from.begin() + first, length[h], list.begin() + std::ptrdiff_t(offset[h]));
    };
    if (has_ids(kind))
      copy(ids);
    else
      copy(found_.members.rows);
  });
}

}  // namespace haloscope::analysis
