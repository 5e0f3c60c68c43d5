#include "analysis/halos/halo_finder.h"

#include "analysis/file_rows.h"
#include "analysis/halos/halo_output.h"
#include "analysis/halos/halo_provenance.h"
#include "analysis/halos/halo_search.h"
#include "analysis/halos/halo_table.h"
#include "analysis/halos/halo_types.h"
#include "analysis/halos/mass_function.h"
#include "analysis/halos/mass_function_plot.h"
#include "io/catalogs/write_catalog.h"
#include "io/snapshots/gadget_units.h"

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include <cmath>
#include <utility>

namespace haloscope::analysis {

namespace {

// Of a halo too loose to have an R200: particles at the linking length from each other.
double loose_radius(double members, double linking_length) {
  return linking_length * std::cbrt(members) / 2;
}

PieceColumn as_listed(const std::string& title, const CatalogColumn* column, std::uint64_t count) {
  PieceColumn listed{title, column ? column->unit : "", {}};
  listed.values.assign(std::size_t(count), 0);
  for (std::uint64_t h = 0; column && h < count; ++h)
    listed.values[std::size_t(h)] = column->value(h);
  return listed;
}

// Members, mass and R200 of each halo, and where it is.
void list_halos(const HaloTable& table, double linking_length, Finding& finding) {
  PieceColumn members = as_listed("Members", table.find(HaloRole::MemberCount), table.count);
  members.whole = true;
  PieceColumn mass = as_listed("Mass", table.find(HaloRole::Mass), table.count);
  PieceColumn r200 = as_listed("R200", table.find(HaloRole::Radius), table.count);
  const CatalogColumn* const place = table.find(HaloRole::Position);
  r200.unit = place ? place->unit : "";
  r200.help =
      "R200 is that of 200 times the critical density; none: too loose, of five members or\n"
      "fewer, or no cosmology in the file.";
  for (std::uint64_t h = 0; h < table.count; ++h) {
    double& radius = r200.values[std::size_t(h)];
    const bool has_radius = radius > 0;
    if (!has_radius) radius = kNotThere;
    finding.places.push_back(
        {table.vector(HaloRole::Position, h),
         has_radius ? radius : loose_radius(members.values[std::size_t(h)], linking_length),
         !has_radius});
  }
  finding.columns = {std::move(members), std::move(mass), std::move(r200)};
  finding.members_column = 0;
  finding.radius_column = 2;
}

std::string in_words(std::uint64_t halos, const HaloOptions& options, double linking_length,
                     const std::string& unit) {
  if (halos == 0) return fmt::format("No halo has {} members or more", options.min_members);
  std::string text = fmt::format("{} halo{} of {} members or more, linking length {:.6g}", halos,
                                 halos == 1 ? "" : "s", options.min_members, linking_length);
  if (!unit.empty()) text += " " + unit;
  if (!options.epsilon) text += fmt::format(" ({:.6g} mean spacings)", options.spacings);
  return text;
}

void measure(const io::SnapshotReader& reader, const HaloOptions& options, HaloSearch& search,
             bool rows_of_files, Finding& finding, Progress& progress) {
  FoundCatalog found = make_catalog(reader, search, progress, CatalogContent{true, rows_of_files});
  for (const std::string& sentence : found.said) finding.notes.push_back(sentence);
  finding.provenance = halo_provenance(reader.info(), options, search, found, {});
  if (!found.catalog.tables.empty()) {
    const HaloTable& table = found.catalog.tables.front();
    list_halos(table, search.linking_length, finding);
    finding.plots.push_back(
        mass_function_plot(mass_function(table, search, reader.info(), options.min_members),
                           options.min_members, finding.provenance.snapshot));
    if (table.count == 0) finding.plots.back().why_empty = "there are no halos";
  }
  finding.catalog = std::move(found.catalog);
  finding.members = std::move(found.members);
}

class HaloFinder final : public FinderOf<HaloOptions> {
 public:
  HaloFinder()
      : FinderOf({"halos", "halo", "halos",
                  "Friends-of-friends groups, or DBSCAN's clusters with min_points of 3 and more",
                  "No halo has so many members: lower the minimum or lengthen the linking."}) {}

  void check(const AnyOptions& options, const SnapshotInfo* info) const override {
    check_options(options.as<HaloOptions>());
    if (info) check_snapshot(*info, options.as<HaloOptions>());
  }
  void complete(AnyOptions& options, const std::set<std::string>& given,
                const SnapshotInfo& info) const override {
    if (given.count("attach")) return;
    HaloOptions halos = options.as<HaloOptions>();
    halos.attach = attached_in_window(info, halos.types);
    options = halos;
  }
  bool completes_option(const std::string& name) const override { return name == "attach"; }
  Finding search(const io::SnapshotReader& reader, const HaloOptions& options,
                 const FindRequest& request, Progress& progress) const override {
    HaloSearch search = search_halos(
        reader, {options, request.device, !request.only_labels, true, request.resident}, progress);
    Finding finding;
    finding.pieces = search.members.halos(search.particles.types.size());
    finding.summary = in_words(finding.pieces, options, search.linking_length,
                               io::length_unit(reader.info().units));
    finding.computed["epsilon"] = search.linking_length;
    for (const std::string& sentence : search.said) finding.notes.push_back(sentence);
    if (finding.pieces > 0) finding.labels = std::make_shared<const Labels>(halo_labels(search));
    if (!request.only_labels)
      measure(reader, options, search, request.rows_of_files, finding, progress);
    return finding;
  }
  void require_output(const std::string& path, const AnyOptions& options,
                      const Overwriting& overwriting) const override {
    require_halo_output(path, options.as<HaloOptions>(), overwriting);
  }
  void write(const std::string& path, const Finding& finding, const std::string& command_line,
             Progress& progress) const override {
    if (!is_csv(path)) return Finder::write(path, finding, command_line, progress);
    CatalogProvenance provenance = finding.provenance;
    provenance.command_line = command_line;
    io::write_catalog(path, without_member_lists(finding.catalog), {}, provenance, progress);
  }
};

}  // namespace

std::shared_ptr<const Finder> make_halo_finder() {
  return std::make_shared<HaloFinder>();
}

Labels halo_labels(const HaloSearch& search) {
  Labels labels;
  const auto& types = search.particles.types;
  labels.pieces = search.members.halos(types.size());
  for (std::size_t k = 0; k < types.size(); ++k) {
    if (!search.has_members(types[k].type)) continue;
    std::vector<std::uint32_t> read(types[k].count, Labels::kNone);
    tbb::parallel_for(std::uint64_t(0), labels.pieces, [&](std::uint64_t halo) {
      for (const std::uint32_t row : search.members.run(halo, k, types.size()))
        read[row] = std::uint32_t(halo);
    });
    // Rows that were not read are in no halo.
    labels.of[types[k].type] =
        file_rows(std::move(read), types[k].rejected_rows, std::uint32_t(Labels::kNone));
  }
  return labels;
}

}  // namespace haloscope::analysis
