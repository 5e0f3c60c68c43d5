#include "analysis/topology/peaks_finder.h"

#include "analysis/option_parsing/option_error.h"
#include "analysis/topology/describe_peaks.h"
#include "analysis/topology/peaks_catalog.h"
#include "analysis/topology/peaks_options.h"
#include "analysis/topology/peaks_output.h"
#include "analysis/topology/peaks_plots.h"
#include "analysis/topology/peaks_search.h"
#include "analysis/topology/peaks_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace haloscope::analysis {

namespace {

void measure(const io::SnapshotReader& reader, const PeaksOptions& options, PeaksSearch& search,
             bool rows_of_files, Finding& finding, Progress& progress) {
  const SnapshotInfo& info = reader.info();
  const bool super = search.peaks.tree->levels() == compute::topology::Levels::Super;
  FoundCatalog catalog =
      make_catalog(reader, search.particles, progress,
                   {true, rows_of_files, super ? "peak" : "void", super ? "peaks" : "voids"});
  add_empty_rows(*search.peaks.tree, search.peaks.structures, search.measured, catalog);
  HaloTable& table = catalog.catalog.tables.front();
  if (!super) place_at_minima(*search.peaks.tree, search.peaks.structures, table);
  add_grid_columns(*search.peaks.tree, search.peaks.structures, search.peaks.mass_of_one, table);
  std::vector<std::string> assumed = sentences_of(info.assumed);
  for (const auto* sentences : {&search.particles.particles.assumed, &search.particles.said})
    for (const std::string& sentence : *sentences) assumed.push_back(with_flags(sentence));
  if (search.particles.odd_density) assumed.push_back(*search.particles.odd_density);
  if (const std::size_t all = search.peaks.structures.count(); all > search.measured.size())
    catalog.said.push_back(fmt::format(
        "{} of {} {} have no members: Pos is the {} there, and all that members "
        "would tell is 0.",
        all - search.measured.size(), all, super ? "peaks" : "voids", super ? "peak" : "minimum"));
  for (const std::string& sentence : catalog.said) {
    finding.notes.push_back(sentence);
    assumed.push_back(with_flags(sentence));
  }
  finding.provenance = peaks_provenance(search.peaks, options, info.files, assumed);
  finding.provenance.parameters["softening"] = search.particles.softening;
  list_peaks(search.peaks, search.members, &table, finding);
  finding.catalog = std::move(catalog.catalog);
  finding.members = std::move(catalog.members);
}

class PeaksFinder final : public FinderOf<PeaksOptions> {
 public:
  PeaksFinder()
      : FinderOf({"peaks", "peak", "peaks",
                  "Peaks of the density and what belongs to them, by the merge tree of a grid",
                  "No peak is left: lower the thresholds.", true, true}) {}

  void check(const AnyOptions& options, const SnapshotInfo* info) const override {
    check_options(options.as<PeaksOptions>());
    if (info) check_snapshot(*info, options.as<PeaksOptions>());
  }
  std::vector<OptionPreset> presets() const override {
    const auto preset = [](std::string name, std::string help, const char* levels,
                           const char* smooth, const char* halos, const char* voids) {
      return OptionPreset{std::move(name),
                          std::move(help),
                          {{"levels", levels},
                           {"smooth", smooth},
                           {"threshold", "none"},
                           {"persistence", "none"},
                           {"halos", halos},
                           {"voids", voids}}};
    };
    return {
        preset("all peaks", "All peaks of the density as it is.", "super", "none", "none", "none"),
        preset("halos (82, 200)",
               "All that is joined above 82 times the mean and somewhere above 200 times. 82 "
               "is what friends-of-friends of 0.2 mean spacings comes to.",
               "super", "none", "82,200", "none"),
        preset("voids (0.2, 0.2)",
               "Basins of minima below 0.2 times the mean, joined where the wall between them "
               "is below 0.2 times, as ZOBOV and VIDE have them; the density is smoothed.",
               "sub", kVoidSmoothing, "none", "0.2,0.2")};
  }
  // What voids bring along is written out, so that page, recording and state tell it.
  void complete(AnyOptions& options, const std::set<std::string>&,
                const SnapshotInfo&) const override {
    options = completed(options.as<PeaksOptions>());
  }
  Finding search(const io::SnapshotReader& reader, const PeaksOptions& asked,
                 const FindRequest& request, Progress& progress) const override {
    const PeaksOptions options = completed(asked);
    const bool known = request.known && shares_work(*request.known, options);
    PeaksSearch search =
        search_peaks(reader,
                     {options, request.device, !request.only_labels, request.resident,
                      known ? request.known->peaks : nullptr, request.ranks, request.lists_members,
                      request.labels_of_cells, request.values_of_cells},
                     progress);
    Finding finding;
    if (!compute::ranks_or_alone(request.ranks).first()) return finding;
    // The window has said what reading took for granted when it drew what is read.
    if (!request.resident)
      for (const std::string& sentence : search.particles.particles.assumed)
        finding.notes.push_back(sentence);
    if (!search.peaks.tree->knows_basins() && options.segments == SegmentKind::Watershed)
      search.particles.said.push_back(
          "Triplets know no basins: segments are branches (`segments` branch).");
    for (const std::string& sentence : search.particles.said) finding.notes.push_back(sentence);
    if (search.hint) finding.notes.push_back(std::move(*search.hint));
    if (!request.only_labels) {
      measure(reader, options, search, request.rows_of_files, finding, progress);
      finding.plots = peaks_plots(*search.peaks.tree, search.peaks.structures,
                                  *search.peaks.diagram, finding.provenance.snapshot);
    }
    describe_peaks(search.peaks, options, finding);
    finding.labels = std::move(search.labels);
    label_there(search.peaks, options, finding);
    return finding;
  }

  bool shares_work(const Finding& found, const AnyOptions& options) const override {
    return found.peaks && found.peaks->cells &&
           have_one_tree(found.options.as<PeaksOptions>(), options.as<PeaksOptions>());
  }
  Finding take_again(const Finding& former, const AnyOptions& options) const override {
    return peaks_again(former, completed(options.as<PeaksOptions>()));
  }
  void check_again(const Finding&, const AnyOptions& options) const override {
    check_options(options.as<PeaksOptions>());
  }
  // A "distance" is a difference: sliders of all finders say so.
  AnyOptions cut_elsewhere(const AnyOptions& any, const std::string& where,
                           std::optional<std::uint64_t> members) const override {
    PeaksOptions options = any.as<PeaksOptions>();
    if (members)
      throw OptionError("peaks have no least number of members", marked("min_cluster_size"),
                        "leave it out");
    if (!options.halos.empty())
      throw OptionError("halos are whole components, which no persistence divides", marked("halos"),
                        "find peaks without it first");
    if (!options.voids.empty())
      throw OptionError("voids are joined by their walls, not by persistence", marked("voids"),
                        "find peaks without it first, with levels=sub");
    constexpr const char* kDistance = "distance:";
    options.persistence = where == "off" ? std::string() : where;
    if (where.starts_with(kDistance))
      options.persistence = "abs:" + where.substr(std::string(kDistance).size());
    check_options(options);
    return options;
  }
  std::optional<std::uint64_t> piece_at(const Finding& found, const Vec& point) const override {
    if (!found.peaks) return {};
    const CellLabels& labels = found.peaks->structures.labels();
    const auto cell = cell_at(found.peaks->tree->grid(), found.peaks->period, point);
    if (!cell || *cell >= labels.size() || labels[*cell] == Labels::kNone) return {};
    return labels[*cell];
  }
  std::vector<std::uint64_t> pieces_within(const Finding& found,
                                           const std::array<double, 2>& births,
                                           const std::array<double, 2>& deaths) const override {
    if (!found.peaks || !found.peaks->diagram) return {};
    return found.peaks->diagram->within(*found.peaks->tree, found.peaks->structures, births,
                                        deaths);
  }
  void require_output(const std::string& path, const AnyOptions&,
                      const Overwriting& overwriting) const override {
    require_peaks_output(path, overwriting);
  }
  void write(const std::string& path, const Finding& finding, const std::string& command_line,
             Progress& progress) const override {
    CatalogProvenance provenance = finding.provenance;
    provenance.command_line = command_line;
    write_peaks(path,
                {*finding.peaks, finding.options.as<PeaksOptions>(), finding.catalog,
                 finding.members, std::move(provenance), finding.labels.get()},
                progress);
  }
};

}  // namespace

std::shared_ptr<const Finder> make_peaks_finder() {
  return std::make_shared<PeaksFinder>();
}

}  // namespace haloscope::analysis
