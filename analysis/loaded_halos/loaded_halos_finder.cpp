#include "analysis/loaded_halos/loaded_halos_finder.h"

#include "analysis/halos/mass_function.h"
#include "analysis/halos/mass_function_plot.h"
#include "analysis/loaded_halos/catalog_beside.h"
#include "analysis/loaded_halos/loaded_halos_options.h"
#include "analysis/loaded_halos/loaded_members.h"
#include "analysis/loaded_halos/placed_catalog.h"
#include "analysis/option_parsing/option_error.h"
#include "analysis/snapshot/choose_types.h"
#include "core/error.h"
#include "core/known_positions.h"
#include "io/loading/particle_ids.h"
#include "io/loading/particle_loader.h"
#include "io/snapshots/gadget_units.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace haloscope::analysis {

namespace {

std::string chosen_file(const LoadedHalosOptions& options, const SnapshotInfo& info) {
  if (!options.file.empty()) return options.file;
  if (auto beside = catalog_beside(info)) return *beside;
  throw OptionError("no halo catalog lies beside the snapshot", info.files.front(),
                    fmt::format("give {}", marked("file")));
}

ParticleSet read_positions_of(const io::SnapshotReader& reader, const std::vector<int>& types,
                              const FindRequest& request, Progress& progress) {
  io::LoadRequest load;
  for (const int type : types) load.types.push_back({type, {}, false, false});
  std::optional<KnownPositions> known;
  if (request.resident && is_current(*request.resident)) known = known_positions(request.resident);
  load.known = known ? &*known : nullptr;
  return io::load_particles(reader, load, progress);
}

// "gas, dm".
std::string types_in_words(const SnapshotInfo& info, const std::vector<int>& types) {
  std::vector<std::string> names;
  for (const int type : types) names.push_back(info.types.at(type).name);
  return fmt::format("{}", fmt::join(names, ", "));
}

bool any_ids(const SnapshotInfo& info, const std::vector<int>& types) {
  return std::any_of(types.begin(), types.end(),
                     [&](int type) { return io::id_field(info.types.at(type)) != nullptr; });
}

// Says by what they are members, and what is odd.
LoadedMembers find_members(const io::SnapshotReader& reader, const std::vector<int>& types,
                           const PlacedCatalog& placed, const FindRequest& request,
                           std::vector<std::string>& notes, Progress& progress) {
  if (!placed.members || !any_ids(reader.info(), types)) {
    if (placed.members)
      notes.push_back(
          fmt::format("{} of the snapshot have no particle IDs, by which the catalog "
                      "lists members.",
                      types_in_words(reader.info(), types)));
    const ParticleSet particles = read_positions_of(reader, types, request, progress);
    if (!request.resident)
      notes.insert(notes.end(), particles.assumed.begin(), particles.assumed.end());
    auto by_row = request.rows_of_files
                      ? members_by_row(reader.info(), types, placed.table(), placed.incomplete)
                      : std::optional<LoadedMembers>();
    if (by_row && lie_together(*by_row, particles, placed.places)) {
      notes.push_back("Members are the rows of the snapshot that the catalog tells.");
      return std::move(*by_row);
    }
    notes.push_back(
        by_row ? "The snapshot is not in the order of the catalog's groups: members of a halo are "
                 "the particles within its radius."
        : placed.incomplete
            ? "Files of the catalog are missing, so that it does not tell which particles are "
              "members: those of a halo are the particles within its radius."
        : placed.members
            ? "Members of a halo are the particles within its radius."
            : "The catalog lists no members: those of a halo are the particles within its radius.");
    return members_by_sphere(particles, placed.places, progress);
  }
  LoadedMembers found =
      members_by_id(reader, types, *placed.members, placed.table().count, progress);
  for (const auto& [type, listed] : found.without_ids)
    notes.push_back(
        fmt::format("{} has no particle IDs: its {} members that the catalog lists are left out.",
                    reader.info().types.at(type).name, listed));
  if (found.listed > 0 && found.found == 0)
    throw Error(fmt::format("none of the {} members that the catalog lists is in the snapshot",
                            found.listed),
                placed.catalog.files.front(), "load the catalog of this run");
  notes.push_back(
      fmt::format("Members are those whose IDs the catalog lists: the snapshot has {} "
                  "of {}.",
                  found.found, found.listed));
  if (found.repeated > 0)
    notes.push_back(fmt::format(
        "{} particles share the ID of a member with another: all are taken.", found.repeated));
  if (found.listed_again > 0)
    notes.push_back(fmt::format(
        "The catalog lists {} members more than once: they are of the last halo that lists them.",
        found.listed_again));
  return found;
}

PieceColumn listed_column(const std::string& title, const CatalogColumn* column,
                          std::uint64_t count) {
  PieceColumn listed{title, column ? column->unit : "",
                     std::vector<double>(std::size_t(count), kNotThere)};
  for (std::uint64_t row = 0; column && row < count; ++row)
    listed.values[std::size_t(row)] = column->value(row);
  return listed;
}

void list_loaded(const PlacedCatalog& placed, const LoadedMembers& members,
                 const SnapshotInfo& info, Finding& finding) {
  const HaloTable& table = placed.table();
  PieceColumn counts{"Members", "", {members.counts.begin(), members.counts.end()}, true};
  counts.help =
      "Particles of the snapshot: by IDs or rows that the catalog tells, else within the\n"
      "radius.";
  if (counts.values.empty()) counts.values.assign(std::size_t(table.count), kNotThere);
  finding.columns.push_back(std::move(counts));
  finding.columns.push_back(listed_column("Mass", table.find(HaloRole::Mass), table.count));
  PieceColumn radius{"Radius", io::length_unit(info.units), placed.given_radius};
  radius.help = "As the catalog has it, in the snapshot's lengths.";
  finding.columns.push_back(std::move(radius));
  finding.members_column = 0;
  finding.radius_column = 2;
  if (const CatalogColumn* const own = table.find(HaloRole::MemberCount)) {
    PieceColumn column = listed_column("In the catalog", own, table.count);
    column.whole = true;
    column.help = "As the catalog counts them: " + own->name + ".";
    finding.columns.push_back(std::move(column));
  }
  finding.places = placed.places;
}

class LoadedHalosFinder final : public FinderOf<LoadedHalosOptions> {
 public:
  LoadedHalosFinder()
      : FinderOf({"loaded_halos", "halo", "halos", "The halos of a catalog of anyone's",
                  "The catalog has no halos.", false, false, "load_halos FILE", "", "Load halos"}) {
  }

  Finding search(const io::SnapshotReader& reader, const LoadedHalosOptions& options,
                 const FindRequest& request, Progress& progress) const override {
    const SnapshotInfo& info = reader.info();
    const std::vector<int> types = choose_types(info, options.types, "`types`");
    const std::string file = chosen_file(options, info);
    PlacedCatalog placed = place_catalog(file, options.table, info, progress, options.incomplete);
    Finding finding;
    finding.pieces = placed.table().count;
    if (finding.pieces >= Labels::kNone)
      throw Error(fmt::format("{} halos are more than can be shown", finding.pieces), file);
    finding.notes = std::move(placed.notes);
    LoadedMembers members = find_members(reader, types, placed, request, finding.notes, progress);
    finding.summary =
        fmt::format("{} halo{} of {} ({}, {})", finding.pieces, finding.pieces == 1 ? "" : "s",
                    file, placed.catalog.format, placed.table().name);
    list_loaded(placed, members, info, finding);
    finding.labels = std::make_shared<const Labels>(std::move(members.labels));
    if (request.only_labels) return finding;
    finding.provenance.parameters["catalog"] = file;
    finding.provenance.snapshot = fmt::format("{}", fmt::join(info.files, " "));
    finding.plots.push_back(
        mass_function_plot(mass_function(placed.table(), info), 0, finding.provenance.snapshot));
    // Lists of members belong to the table that was chosen, and are written for groups alone.
    if (placed.members && placed.table().name != "Subhalo")
      finding.members = std::move(*placed.members);
    finding.catalog = std::move(placed.catalog);
    return finding;
  }
};

}  // namespace

std::shared_ptr<const Finder> make_loaded_halos_finder() {
  return std::make_shared<LoadedHalosFinder>();
}

}  // namespace haloscope::analysis
