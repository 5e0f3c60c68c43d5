#include "analysis/clusters/cluster_search.h"

#include "analysis/clusters/cluster_cut.h"
#include "analysis/clusters/cluster_space.h"
#include "analysis/clusters/cluster_words.h"
#include "analysis/clusters/condensed_table.h"
#include "analysis/clusters/mass_weights.h"
#include "analysis/clusters/space_points.h"
#include "analysis/halos/halo_particles.h"
#include "analysis/halos/halo_types.h"
#include "analysis/halos/mean_spacing.h"
#include "analysis/option_parsing/option_error.h"
#include "analysis/snapshot/density_sentence.h"
#include "analysis/snapshot/peculiar_velocities.h"
#include "compute/exec/named_range.h"
#include "compute/halos/properties/properties.h"
#include "core/array.h"
#include "core/error.h"
#include "core/host_memory.h"
#include "io/loading/selected_snapshot.h"
#include "io/snapshots/gadget_units.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace haloscope::analysis {

namespace {

class Search {
 public:
  Search(const io::SnapshotReader& reader, const ClusterSearchRequest& request, Progress& progress)
      : reader_(reader),
        info_(reader.info()),
        request_(request),
        progress_(progress),
        selected_(io::as_selected(reader) != nullptr),
        reads_masses_(request.measured || is_in_spacings(request.options.cut)) {
    if (request_.resident && is_current(*request_.resident))
      known_ = known_positions(request_.resident);
  }

  ClusterSearch run() {
    check_options(request_.options);
    check_snapshot(info_, request_.options);
    if (selected_) require_whole(request_.options);
    choose();
    plan_quantities();
    const io::LoadRequest load = plan_load();
    require_memory(load);
    read_halo_particles(reader_, load, found_.particles, progress_, compute::alone());
    if (request_.measured) {
      choose_softening(info_, request_.options.softening, found_.particles);
      found_.particles.odd_density = check_density(reader_, !request_.tree, progress_);
    }
    found_.clusters = find_clusters(points(), request_.options, request_.device, progress_,
                                    request_.tree, request_.ranks);
    if (std::string words = graph_in_words(*found_.clusters.hierarchy); !words.empty())
      found_.particles.said.push_back(std::move(words));
    if (request_.measured) gather();
    return std::move(found_);
  }

 private:
  void choose() {
    HaloSearch& particles = found_.particles;
    particles.device = request_.device;
    particles.linked = clustered_types(info_, request_.options);
    const int type = particles.linked.front();
    if (request_.options.types.empty() && type != kDarkMatter)
      particles.said.push_back(fmt::format("There is no dark matter: {} are clustered.",
                                           particles_in_words({info_.types.at(type).name})));
    if (!reads_masses_ || !request_.options.has_clusters()) return;
    around_ = types_around(info_, particles, {"Clusters", "`types` does", !selected_});
    if (selected_) particles.said.push_back("Spheres count the selected particles alone.");
  }

  // None where points are positions as they were read.
  void plan_quantities() {
    const ClusterSpace space = parse_space(request_.options.space, request_.options.scale);
    if (space.kind != ClusterSpace::Kind::Positions)
      quantities_ = plan_space(info_, found_.particles.linked, space);
  }

  bool needs_velocities() const {
    return std::any_of(quantities_.begin(), quantities_.end(), [](const SpaceQuantity& one) {
      return one.source == SpaceQuantity::Source::Velocities;
    });
  }

  io::LoadRequest plan_load() const {
    const KnownPositions* const known = known_ ? &*known_ : nullptr;
    if (reads_masses_) return plan_halo_load(info_, found_.particles, around_, known);
    io::LoadRequest load;
    load.known = known;
    for (const int type : found_.particles.linked) {
      load.types.push_back({type, {}, false, !request_.options.weights.empty()});
      if (needs_velocities())
        load.types.back().fields.push_back(velocity_field(info_.types.at(type)));
    }
    return load;
  }

  void require_memory(const io::LoadRequest& load) const {
    std::uint64_t points = 0, around = 0;
    for (const int type : found_.particles.linked) points += info_.types.at(type).count;
    for (const int type : around_) around += info_.types.at(type).count;
    require_points(points, request_.options);
    const std::uint64_t particles = io::estimate_memory(info_, load);
    std::uint64_t after = bytes_of_search(points, request_.device) +
                          bytes_of_space(quantities_, points) +
                          bytes_of_extras(points, request_.options);
    if (request_.measured)
      after = std::max(after, bytes_kept(points) + bytes_of_extras(points, request_.options) +
                                  compute::halos::properties_memory(points, points + around));
    if (request_.measured && request_.options.selects())
      after = std::max(after,
                       bytes_kept(points) + bytes_of_extras(points, request_.options) +
                           bytes_of_writing(points, request_.options, false) +
                           2 * (points / request_.options.least_members()) * kCondensedTableBytes);
    require_host_memory(particles + after, fmt::format("the clusters of {} particles", points),
                        "choose fewer particle types, or fewer particles");
  }

  bool is_on_device(int type) const {
    return request_.resident->types.at(type).points->device().word() == request_.device.word();
  }

  // Those of several types one after the other.
  ClusterPoints points() {
    ClusterPoints points;
    const ParticleSet& particles = found_.particles.particles;
    points.step = particles.domain.step();
    points.length_unit = io::length_unit(info_.units);
    std::vector<const ParticleColumns*> types;
    bool resident = true;
    for (const ParticleColumns& columns : particles.types) {
      if (!found_.particles.has_members(columns.type)) continue;
      types.push_back(&columns);
      resident = resident && columns.positions_known && is_on_device(columns.type);
    }
    if (types.empty())
      throw Error("no particle that could be clustered is left", info_.files.front());
    points.numbering = numbering(types);
    for (const ParticleColumns* columns : types)
      points.types.push_back(
          {columns->type, columns->name, columns->count, columns->rejected_rows});
    if (quantities_.empty()) points.spacing = known_spacing();
    points.spacing_is_rough = !request_.options.has_clusters();
    if (!request_.options.weights.empty()) points.weights = mass_weights(types);
    points.mean_spacing = [this] {
      MeanSpacing spacing =
          mean_spacing(info_, found_.particles.particles, found_.particles.linked);
      if (!spacing.assumed.empty()) found_.particles.said.push_back(std::move(spacing.assumed));
      return spacing.length;
    };
    if (!quantities_.empty()) {
      put_into_space(points);
      return points;
    }
    if (resident) {
      for (const ParticleColumns* columns : types)
        points.sets.push_back(request_.resident->types.at(columns->type).points);
      return points;
    }
    for (const ParticleColumns* columns : types) points.columns.count += columns->count;
    if (types.size() > 1) join(types, points.columns.count);
    for (std::size_t axis = 0; axis < 3; ++axis)
      points.columns.column.push_back(types.size() > 1 ? joined_[axis].data()
                                                       : types.front()->position[axis].data());
    return points;
  }

  // Of what was clustered, where it fills a volume that is known. Pictures need none.
  std::optional<double> known_spacing() const {
    if (selected_ || !request_.measured) return {};
    try {
      return mean_spacing(info_, found_.particles.particles, found_.particles.linked).length;
    } catch (const Error&) {
      return {};
    }
  }

  void put_into_space(ClusterPoints& points) {
    SpacePoints placed = place_in_space(reader_, found_.particles, quantities_, progress_);
    lattice_ = std::move(placed.lattice);
    points.columns = lattice_.points();
    constexpr std::size_t kMost = compute::clusters::SpanningTreeSettings::kMostGraphDimensions;
    if (request_.options.method == TreeMethod::Cuslink && points.columns.column.size() > kMost)
      throw OptionError(fmt::format("cuslink takes spaces of a snapshot of up to {} numbers, and "
                                    "this one has {}",
                                    kMost, points.columns.column.size()),
                        marked("method"), "take `method` exact");
    points.step = lattice_.step;
    points.length_unit.clear();
    for (std::string& sentence : placed.said) found_.particles.said.push_back(std::move(sentence));
    found_.space = std::move(placed.parameters);
  }

  std::string numbering(const std::vector<const ParticleColumns*>& types) const {
    std::string text = selected_ ? "Points are the selected rows (Labels/PartType…/Row) of "
                                 : "Points are the rows of ";
    std::uint64_t first = 0;
    bool left_out = false;
    for (const ParticleColumns* columns : types) {
      text +=
          fmt::format("{}{}, from {}", first > 0 ? ", then those of " : "", columns->name, first);
      first += columns->count;
      left_out = left_out || !columns->rejected_rows.empty();
    }
    return text + (left_out ? "; rows that were left out while reading have no number." : ".");
  }

  void join(const std::vector<const ParticleColumns*>& types, std::uint64_t count) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      joined_[axis] = Array<std::uint32_t>(std::size_t(count));
      std::uint32_t* to = joined_[axis].data();
      for (const ParticleColumns* columns : types)
        to = std::copy(columns->position[axis].begin(), columns->position[axis].end(), to);
    }
  }

  // The members of each cluster, in each type ascending, as the catalog of halos takes them.
  void gather() {
    const auto& types = found_.particles.particles.types;
    const std::vector<std::uint32_t>& label = found_.clusters.label;
    const std::size_t kinds = types.size();
    compute::halos::HaloMembership& members = found_.particles.members;
    const auto first = found_.first_point();
    const auto each = [&](const auto& use) {
      for (std::size_t kind = 0; kind < kinds && !label.empty(); ++kind) {
        const auto point = first.find(types[kind].type);
        if (point == first.end()) continue;
        for (std::uint64_t row = 0; row < types[kind].count; ++row)
          if (const std::uint32_t c = label[std::size_t(point->second + row)]; c != Labels::kNone)
            use(std::size_t(c) * kinds + kind, std::uint32_t(row));
      }
    };
    members.begin.assign(std::size_t(found_.clusters.count()) * kinds + 1, 0);
    each([&](std::size_t run, std::uint32_t) { ++members.begin[run + 1]; });
    for (std::size_t run = 1; run < members.begin.size(); ++run)
      members.begin[run] += members.begin[run - 1];
    members.rows.resize(std::size_t(members.begin.back()));
    std::vector<std::uint64_t> next(members.begin.begin(), members.begin.end() - 1);
    each([&](std::size_t run, std::uint32_t row) { members.rows[next[run]++] = row; });
  }

  const io::SnapshotReader& reader_;
  const SnapshotInfo& info_;
  const ClusterSearchRequest& request_;
  Progress& progress_;
  bool selected_;                          // the reader shows a part of a snapshot
  bool reads_masses_;                      // mean spacings are told by them
  std::optional<KnownPositions> known_;    // empty: all are read
  std::vector<int> around_;                // counted by spheres alone
  std::vector<SpaceQuantity> quantities_;  // of another space than that of positions
  SpaceLattice lattice_;                   // of these
  std::array<Array<std::uint32_t>, 3> joined_;
  ClusterSearch found_;
};

}  // namespace

std::vector<int> clustered_types(const SnapshotInfo& info, const ClustersOptions& options) {
  HaloOptions halos;
  halos.types = options.types;
  std::vector<int> types = halo_types(info, halos).linked;
  std::sort(types.begin(), types.end());
  return types;
}

void check_snapshot(const SnapshotInfo& info, const ClustersOptions& options) {
  const std::vector<int> types = clustered_types(info, options);
  check_mass_weights(info, types, options);
  plan_space(info, types, parse_space(options.space, options.scale));
  if (options.cut.empty() || parse_cut(options.cut).kind != ClusterCut::Kind::Spacings) return;
  if (!(info.box_size > 0))
    throw OptionError("without a box there is no mean spacing of particles", info.files.front(),
                      "give the `cut` as a length (distance:LENGTH), or the box (--box)");
}

ClusterSearch search_clusters(const io::SnapshotReader& reader, const ClusterSearchRequest& request,
                              Progress& progress) {
  return Search(reader, request, progress).run();
}

std::map<int, std::uint64_t> ClusterSearch::first_point() const {
  std::map<int, std::uint64_t> first;
  std::uint64_t next = 0;
  for (const ParticleColumns& columns : particles.particles.types) {
    if (!particles.has_members(columns.type)) continue;
    first[columns.type] = next;
    next += columns.count;
  }
  return first;
}

}  // namespace haloscope::analysis
