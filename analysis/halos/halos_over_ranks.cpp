#include "analysis/halos/halos_over_ranks.h"

#include "analysis/option_parsing/option_error.h"
#include "analysis/snapshot/peculiar_velocities.h"
#include "analysis/snapshot/row_parts.h"
#include "compute/distributed/attach_to_groups.h"
#include "compute/distributed/gather_halos.h"
#include "compute/distributed/link_groups.h"
#include "compute/distributed/shared_halos.h"
#include "compute/exec/named_range.h"
#include "compute/halos/halo_finder.h"
#include "io/loading/particle_ids.h"

#include <fmt/format.h>

#include <algorithm>
#include <list>
#include <memory>
#include <span>
#include <utility>

namespace haloscope::analysis {

namespace {

namespace distributed = compute::distributed;
namespace halos = compute::halos;

class SearchOverRanks {
 public:
  SearchOverRanks(compute::Ranks& ranks, const io::SnapshotReader& reader,
                  halos::FinderTools& tools, const HaloSearchRequest& request, HaloSearch& found,
                  Progress& progress)
      : ranks_(ranks),
        reader_(reader),
        tools_(tools),
        request_(request),
        found_(found),
        progress_(progress),
        rows_(ranks, own_counts(found)) {}

  void run() {
    require_countable();
    read_ids();
    describe_kinds();
    link();
    distributed::GatheredHalos gathered = gather();
    halos::HaloProperties own = measure(gathered);
    progress_.report("halos of all ranks", 0);
    const compute::TimedRange timer(found_.timings, "gather");
    auto members = distributed::collect_members(ranks_, gathered, own);
    measured_->properties = distributed::collect_properties(ranks_, gathered, std::move(own));
    gathered = {};
    keep_counts();
    found_.peak_device_memory = most_device_memory();
    if (!ranks_.first()) return;
    found_.members = std::move(members.members);
    place_ids(members);
    found_.measured = std::move(measured_);
  }

 private:
  static std::vector<std::uint64_t> own_counts(const HaloSearch& found) {
    std::vector<std::uint64_t> counts;
    for (const auto& columns : found.particles.types) counts.push_back(columns.count);
    return counts;
  }

  bool is_linked(std::size_t kind) const {
    return is_among(found_.linked, found_.particles.types[kind].type);
  }
  bool has_members(std::size_t kind) const {
    return found_.has_members(found_.particles.types[kind].type);
  }

  // Numbers of the linked particles of all kinds have 32 bits, and so have rows of members.
  void require_countable() const {
    std::uint64_t linked = 0;
    for (std::size_t k = 0; k < rows_.kinds(); ++k) {
      if (is_linked(k)) linked += rows_.total(k);
      if (has_members(k)) halos::require_countable(rows_.total(k), found_.particles.types[k].name);
    }
    halos::require_countable(linked, "the linked types");
  }

  void read_ids() {
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
    }
  }

  static void drop_rejected(const ParticleColumns& columns, std::uint64_t first_row,
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

  bool has_ids(std::size_t kind) const {
    return io::id_field(reader_.info().types.at(found_.particles.types[kind].type)) != nullptr;
  }

  void describe_kinds() {
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
      if (!ids_[k].empty()) kind.id = ids_[k].data();
      const auto v = columns.fields.find(velocity_field(reader_.info().types.at(columns.type)));
      kind.moving = v != columns.fields.end();
      if (kind.moving)
        for (std::size_t axis = 0; axis < 3; ++axis) kind.velocity[axis] = v->second[axis].data();
      else if (kind.members)
        measured_->moving = false;
      kinds_.push_back(kind);
    }
  }

  // Gives all particles that may be members their groups.
  void link() {
    progress_.report("link", 0);
    const distributed::LinkedNumbers numbers(rows_, kinds_);
    std::vector<distributed::NumberedPart> parts;
    for (std::size_t k = 0; k < kinds_.size(); ++k)
      if (kinds_[k].linked)
        parts.push_back({{kinds_[k].position, kinds_[k].count}, numbers.first(k)});
    linked_groups_ = distributed::link_groups(
        ranks_, *tools_.clustering, found_.particles.domain, parts,
        {found_.linking_length, request_.min_points, request_.algorithm}, found_.timings);
    std::size_t first = 0;
    for (auto& kind : kinds_) {
      if (!kind.linked) continue;
      kind.groups = std::span(linked_groups_).subspan(first, std::size_t(kind.count));
      first += std::size_t(kind.count);
    }
    if (!found_.attached.empty()) attach(parts);
  }

  void attach(const std::vector<distributed::NumberedPart>& linked) {
    progress_.report("attach", 0);
    const compute::TimedRange timer(found_.timings, "attach");
    const distributed::GroupsInSpace space(ranks_, *tools_.neighbors, found_.particles.domain,
                                           linked, linked_groups_);
    for (std::size_t k = 0; k < kinds_.size(); ++k) {
      if (!kinds_[k].members || kinds_[k].linked) continue;
      const auto& radii = found_.particles.types[k].support_radius;
      kinds_[k].groups = attached_groups_.emplace_back(space.attach(
          {kinds_[k].position, kinds_[k].count}, radii.empty() ? nullptr : radii.data(),
          found_.linking_length, {.progress = &progress_}));
    }
  }

  distributed::GatheredHalos gather() {
    progress_.report("members", 0);
    const compute::TimedRange timer(found_.timings, "gather");
    const distributed::LinkedNumbers numbers(rows_, kinds_);
    const auto shared = distributed::share_halos(ranks_, numbers, kinds_, request_.min_members);
    const auto workers = distributed::workers_of(shared, ranks_.size());
    return distributed::gather_halos(ranks_, rows_,
                                     {found_.particles.domain, kinds_, shared, workers, physics()});
  }

  halos::HaloPhysics physics() const {
    const SnapshotInfo& info = reader_.info();
    halos::HaloPhysics p = halos::make_physics(info.units, info.cosmology);
    p.softening = found_.softening;
    return p;
  }

  halos::HaloProperties measure(const distributed::GatheredHalos& gathered) {
    const compute::TimedRange timer(found_.timings, "properties");
    halos::HaloParticles particles;
    particles.domain = found_.particles.domain;
    for (std::size_t k = 0; k < gathered.kinds.size(); ++k) {
      const auto& kind = gathered.kinds[k];
      halos::HaloParticles::Type type;
      type.type = found_.particles.types[k].type;
      type.around = !kinds_[k].members;
      type.count = kind.row.size();
      for (std::size_t axis = 0; axis < 3; ++axis) {
        type.position[axis] = kind.position[axis].data();
        if (measured_->moving && !type.around) type.velocity[axis] = kind.velocity[axis].data();
      }
      type.mass = kind.mass.data();
      particles.types.push_back(type);
    }
    return halos::measure_halos(found_.device, particles, gathered.members, physics(), progress_);
  }

  // The particles were this rank's part; what the catalog tells is of all.
  void keep_counts() {
    for (std::size_t k = 0; k < rows_.kinds(); ++k) {
      auto& columns = found_.particles.types[k];
      columns.count = rows_.total(k);
      columns.rejected_rows =
          ranks_.gather<std::uint64_t>(std::span<const std::uint64_t>(columns.rejected_rows));
      columns.position = {};
      columns.mass = {};
      for (auto& field : columns.fields)
        for (auto& component : field.second) component = {};
    }
  }

  // Of all ranks.
  std::uint64_t most_device_memory() {
    std::uint64_t most = tools_.clustering->peak_device_memory();
    ranks_.all_reduce(std::span(&most, 1),
                      [](std::uint64_t a, std::uint64_t b) { return std::max(a, b); });
    return most;
  }

  void place_ids(distributed::CollectedMembers& members) {
    HaloIds& out = measured_->ids;
    const auto& p = measured_->properties;
    out.most_bound = std::move(members.most_bound);
    for (std::size_t k = 0; k < rows_.kinds(); ++k) {
      if (!has_members(k)) continue;
      const bool asked =
          request_.list_members || std::find(p.most_bound_slot.begin(), p.most_bound_slot.end(),
                                             std::uint32_t(k)) != p.most_bound_slot.end();
      if (!has_ids(k)) {
        if (asked) out.said.push_back(no_ids_sentence(found_.particles.types[k].name));
        for (std::size_t h = 0; h < out.most_bound.size(); ++h)
          if (p.most_bound_slot[h] == k) out.most_bound[h] = p.most_bound_row[h];
      }
      if (request_.list_members) list_members(k, members.ids, out);
    }
  }

  void list_members(std::size_t kind, const std::vector<std::uint64_t>& ids, HaloIds& out) const {
    const int type = found_.particles.types[kind].type;
    auto &offset = out.halos.offset[type], &length = out.halos.length[type];
    auto& list = out.halos.ids[type];
    const auto& begin = found_.members.begin;
    for (std::size_t run = kind; run + 1 < begin.size(); run += rows_.kinds()) {
      offset.push_back(list.size());
      length.push_back(begin[run + 1] - begin[run]);
      for (std::uint64_t i = begin[run]; i < begin[run + 1]; ++i)
        list.push_back(has_ids(kind) ? ids[std::size_t(i)]
                                     : std::uint64_t(found_.members.rows[std::size_t(i)]));
    }
  }

  compute::Ranks& ranks_;
  const io::SnapshotReader& reader_;
  halos::FinderTools& tools_;
  const HaloSearchRequest& request_;
  HaloSearch& found_;
  Progress& progress_;
  const distributed::RankedRows rows_;
  std::vector<std::vector<std::uint64_t>> ids_;  // of this rank's rows, by kind
  std::vector<distributed::KindPart> kinds_;
  std::vector<std::uint32_t> linked_groups_;
  std::list<std::vector<std::uint32_t>> attached_groups_;  // places stay
  std::shared_ptr<MeasuredHalos> measured_ = std::make_shared<MeasuredHalos>();
};

}  // namespace

void require_for_ranks(const HaloSearchRequest& request) {
  const auto refuse = [](const char* option, const char* what) {
    throw OptionError(std::string("several ranks or GPUs cannot ") + what + " yet", marked(option),
                      "leave it out, or start one process on one device");
  };
  if (request.sub_spacings) refuse("sub_linking_length", "search inside the halos");
  if (request.sub_epsilon) refuse("sub_epsilon", "search inside the halos");
}

void find_halos_over_ranks(compute::Ranks& ranks, const io::SnapshotReader& reader,
                           compute::halos::FinderTools& tools, const HaloSearchRequest& request,
                           HaloSearch& found, Progress& progress) {
  SearchOverRanks(ranks, reader, tools, request, found, progress).run();
}

}  // namespace haloscope::analysis
