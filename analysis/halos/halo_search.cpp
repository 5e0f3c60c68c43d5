#include "analysis/halos/halo_search.h"

#include "analysis/halos/halo_particles.h"
#include "analysis/halos/halo_types.h"
#include "analysis/halos/halos_over_ranks.h"
#include "analysis/halos/mean_spacing.h"
#include "analysis/option_parsing/option_error.h"
#include "analysis/snapshot/row_parts.h"
#include "analysis/snapshot/same_snapshot.h"
#include "compute/exec/mpi/rank_watch.h"
#include "compute/halos/properties/properties.h"
#include "core/array.h"
#include "core/error.h"
#include "core/log.h"
#include "core/text_values.h"
#include "io/loading/density_check.h"
#include "io/loading/particle_loader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <utility>

namespace haloscope::analysis {

namespace {

namespace halos = compute::halos;

class Search {
 public:
  Search(const io::SnapshotReader& reader, const HaloSearchRequest& request, Progress& progress)
      : reader_(reader),
        info_(reader.info()),
        request_(request),
        progress_(progress),
        ranks_(compute::ranks_or_alone(request.ranks)),
        parts_(ranks_) {
    if (request_.resident && is_current(*request_.resident))
      known_ = known_positions(request_.resident);
  }

  HaloSearch run() {
    check_options(request_);
    if (several()) {
      require_for_ranks(request_);
      require_same_snapshot(ranks_, info_);
    }
    choose();
    around_ = types_around(info_, found_, {"Halos", "`types` and `attach` do"});
    choose_tools();
    io::LoadRequest load = plan_halo_load(info_, found_, around_, known_ ? &*known_ : nullptr);
    require_memory(load);
    if (several()) load.together = &parts_;
    read_halo_particles(reader_, load, found_, progress_, ranks_);
    check_density();
    set_linking_length();
    if (request_.wants_substructure()) check_substructure();
    choose_softening(info_, request_.softening, found_);
    if (found_.odd_density && ranks_.first()) log::warn(*found_.odd_density);
    if (several())
      find_halos_over_ranks(ranks_, reader_, tools_, request_, found_, progress_);
    else
      find();
    return std::move(found_);
  }

 private:
  void choose() {
    check_snapshot(info_, request_);
    const HaloTypes chosen = halo_types(info_, request_);
    found_.linked = chosen.linked;
    found_.attached = chosen.attached;
    if (const int type = found_.linked.front(); request_.types.empty() && type != kDarkMatter)
      found_.said.push_back(fmt::format("There is no dark matter: {} particles are linked.",
                                        info_.types.at(type).name));
    for (const auto* types : {&found_.linked, &found_.attached})
      for (const int type : *types)
        halos::require_countable(info_.types.at(type).count, info_.types.at(type).name);
  }

  bool several() const { return ranks_.size() > 1; }

  // Of several ranks each has a part, and a quarter more for what lies around its halos.
  std::uint64_t part_of(std::uint64_t count) const {
    const auto n = std::uint64_t(ranks_.size());
    return several() ? (count + n - 1) / n + count / (4 * n) : count;
  }

  // Of the whole snapshot.
  std::uint64_t own_count(const std::vector<int>& types) const {
    std::uint64_t n = 0;
    for (const int type : types) n += info_.types.at(type).count;
    return n;
  }
  std::uint64_t count_of(const std::vector<int>& types) const { return part_of(own_count(types)); }

  // What is held at once, from reading to writing: the particles, and what the search takes, or
  // beside the rows of all members their measuring or their IDs.
  void require_memory(const io::LoadRequest& load) const {
    const std::uint64_t linked = count_of(found_.linked), attached = count_of(found_.attached);
    const std::uint64_t search = bytes_of_search(linked, attached);
    const std::uint64_t members = linked + attached;
    std::uint64_t after = halos::properties_memory(members, members + count_of(around_));
    if (request_.list_members) after = std::max(after, bytes_of_ids(members));
    after += members * sizeof(std::uint32_t);
    if (request_.labels) after += members * sizeof(std::uint32_t);
    const std::uint64_t particles = part_of(io::estimate_memory(info_, load));
    const std::uint64_t here = compute::ranks_of_this_machine(ranks_);
    require_host_memory(
        here * (particles + std::max(search, after)),
        fmt::format("the halos of {} particles ({} to read them, {} to find and list the halos)",
                    own_count(found_.linked) + own_count(found_.attached),
                    bytes_in_words(here * particles),
                    bytes_in_words(here * std::max(search, after)))
            .c_str());
  }

  // The fullest of the moments: linking, beside the positions where these are of several types;
  // attaching, with labels as they came and by type beside the tree; gathering the members; both
  // again inside the halos, beside their members.
  std::uint64_t bytes_of_search(std::uint64_t linked, std::uint64_t attached) const {
    const bool several = found_.linked.size() > 1;
    const std::uint64_t inside = request_.wants_substructure()
                                     ? halos::substructure_memory(linked, attached) +
                                           (linked + attached) * sizeof(std::uint32_t)
                                     : 0;
    const std::uint64_t gathering =
        std::max(halos::finder_memory(linked, attached, several), inside);
    // Index and tree are on the GPU, if there is one.
    if (found_.device.is_gpu()) return gathering;
    const std::uint64_t joined = several ? linked * 3 * sizeof(std::uint32_t) : 0;
    const std::uint64_t labels = (2 * linked + attached) * sizeof(std::uint32_t);
    const std::uint64_t tree = linked * compute::spatial::Neighbors::kBytesPerPoint;
    const std::uint64_t linking = tools_.clustering->memory(linked, request_.algorithm);
    const std::uint64_t attaching = attached > 0 ? labels + tree : 0;
    const std::uint64_t searching = std::max(linking, attaching);
    return std::max(std::max(joined, inside) + searching, gathering);
  }

  // Those of all members, and while they are looked up those of all particles of one type.
  std::uint64_t bytes_of_ids(std::uint64_t members) const {
    std::uint64_t most = 0;
    for (const auto* types : {&found_.linked, &found_.attached})
      for (const int type : *types) most = std::max(most, info_.types.at(type).count);
    return (members + part_of(most)) * sizeof(std::uint64_t);
  }

  // Where all matter was read for the search its masses are known already.
  void check_density() {
    if (found_.matter.all) found_.odd_density = io::odd_density(info_, found_.matter.mass);
  }

  void set_linking_length() {
    std::uint64_t linked = 0;
    for (const auto& columns : found_.particles.types)
      if (is_among(found_.linked, columns.type)) linked += columns.count;
    linked = ranks_.sum(linked);
    if (linked == 0) throw Error("no particle that could be linked is left", info_.files.front());
    if (request_.epsilon) found_.linking_length = *request_.epsilon;
    if (request_.epsilon && !request_.sub_spacings) return check_length();
    auto spacing = mean_spacing(info_, found_.particles, found_.linked, ranks_);
    spacing_ = spacing.length;
    if (!spacing.assumed.empty()) found_.said.push_back(std::move(spacing.assumed));
    if (!request_.epsilon) found_.linking_length = request_.spacings * spacing_;
    check_length();
  }

  // Wrong units are the usual reason, and all that follows would be of one halo as wide as the box.
  void check_length() const {
    if (!info_.periodic || found_.linking_length <= info_.box_size / 2) return;
    // After a semicolon.
    std::string remedy = found_.odd_density.value_or(
        "correct the units or the box (--unit-length, --box), or give a shorter one");
    if (remedy.ends_with('.')) remedy.pop_back();
    remedy.front() = char(std::tolower(static_cast<unsigned char>(remedy.front())));
    throw Error(fmt::format("the linking length, {:.6g}, is more than half the box of {:.6g}",
                            found_.linking_length, info_.box_size),
                info_.files.front(), remedy);
  }

  halos::SubstructureSettings substructure_settings() const {
    halos::SubstructureSettings settings;
    auto& clusters = settings.finder.clusters;
    clusters.linking_length =
        request_.sub_epsilon ? *request_.sub_epsilon : *request_.sub_spacings * spacing_;
    clusters.min_points = request_.sub_points();
    clusters.algorithm = request_.algorithm;
    settings.finder.min_members = request_.sub_members();
    if (request_.sub_halos) settings.halos = *request_.sub_halos;
    return settings;
  }

  void check_substructure() const {
    const auto inner = substructure_settings().finder.clusters;
    if (inner.linking_length > found_.linking_length)
      throw OptionError("the linking length inside the halos is longer than that of the halos",
                        marked(request_.sub_epsilon ? "sub_epsilon" : "sub_linking_length"),
                        "give a shorter one");
    if (inner.min_points < request_.min_points)
      throw OptionError("the minimum number of points inside the halos is below that of the halos",
                        marked("sub_min_points"), "give the same or more");
  }

  void choose_tools() {
    found_.device = request_.device;
    tools_ = halos::finder_tools(found_.device);
    tools_.progress = &progress_;
    const std::uint64_t linked = count_of(found_.linked);
    tools_.clustering->require_memory(linked, request_.algorithm);
    if (!found_.attached.empty() && !tools_.neighbors->can_hold(linked))
      throw OptionError(
          fmt::format("attaching to {} particles takes a tree over all of them ({}), which "
                      "is more than there is room for",
                      linked, bytes_in_words(linked * compute::spatial::Neighbors::kBytesPerPoint)),
          marked("attach"), "choose fewer types, do not attach, or try the other --device");
  }

  halos::FinderInput::Kind::Part part_of(int type) const {
    using enum halos::FinderInput::Kind::Part;
    return is_among(found_.linked, type) ? Linked : found_.has_members(type) ? Attached : None;
  }

  // Those that these columns are of; null: they were read.
  std::shared_ptr<const compute::spatial::PointSet> resident_points(
      const ParticleColumns& columns) const {
    return columns.positions_known ? request_.resident->types.at(columns.type).points : nullptr;
  }

  void find() {
    halos::FinderInput input;
    input.domain = found_.particles.domain;
    for (const auto& columns : found_.particles.types) {
      halos::FinderInput::Kind kind;
      kind.part = part_of(columns.type);
      kind.count = columns.count;
      for (std::size_t axis = 0; axis < 3; ++axis)
        kind.position[axis] = columns.position[axis].data();
      kind.points = resident_points(columns);
      // Of the file only: GADGET-4 knows no other.
      if (!columns.support_radius.empty()) kind.first_radius = columns.support_radius.data();
      input.kinds.push_back(kind);
    }
    halos::FinderSettings settings;
    settings.clusters = {found_.linking_length, request_.min_points, request_.algorithm};
    settings.min_members = request_.min_members;
    found_.members = halos::find_halos(tools_, input, settings, found_.timings);
    if (request_.wants_substructure())
      found_.substructure = halos::find_substructure(tools_, input, found_.members, settings,
                                                     substructure_settings(), found_.timings);
    found_.peak_device_memory = tools_.clustering->peak_device_memory();
  }

  const io::SnapshotReader& reader_;
  const SnapshotInfo& info_;
  const HaloSearchRequest& request_;
  Progress& progress_;
  compute::Ranks& ranks_;
  const RowParts parts_;
  std::optional<KnownPositions> known_;  // empty: all are read
  std::vector<int> around_;              // counted by spheres alone
  double spacing_ = 0;                   // mean, of the linked particles
  halos::FinderTools tools_;
  HaloSearch found_;
};

}  // namespace

HaloSearch search_halos(const io::SnapshotReader& reader, const HaloSearchRequest& request,
                        Progress& progress) {
  return Search(reader, request, progress).run();
}

bool HaloSearch::has_members(int type) const {
  return is_among(linked, type) || is_among(attached, type);
}

}  // namespace haloscope::analysis
