#include "analysis/halos/halo_provenance.h"

#include "analysis/option_parsing/option_error.h"
#include "analysis/option_parsing/option_values.h"
#include "core/version.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace haloscope::analysis {

namespace {

std::string names_of(const std::vector<int>& types, const SnapshotInfo& info) {
  std::vector<std::string> names;
  for (const int type : types) names.push_back(info.types.at(type).name);
  return fmt::format("{}", fmt::join(names, ","));
}

// As the search took them.
HaloOptions with_defaults(HaloOptions options) {
  if (!options.wants_substructure()) return options;
  options.sub_min_points = options.sub_points();
  options.sub_min_members = options.sub_members();
  return options;
}

// What was taken for granted from opening the snapshot to measuring the halos, sentences with
// options as flags of the command line.
std::vector<std::string> assumed_for_halos(const SnapshotInfo& info, const HaloSearch& found,
                                           const FoundCatalog& catalog) {
  std::vector<std::string> all = sentences_of(info.assumed);
  for (const auto* sentences : {&found.particles.assumed, &found.said, &catalog.said})
    for (const std::string& sentence : *sentences) all.push_back(with_flags(sentence));
  if (found.odd_density) all.push_back(*found.odd_density);
  return all;
}

}  // namespace

CatalogProvenance halo_provenance(const SnapshotInfo& info, const HaloOptions& options,
                                  const HaloSearch& found, const FoundCatalog& catalog,
                                  const std::string& command_line) {
  CatalogProvenance p;
  p.program_version = version();
  p.snapshot = fmt::format("{}", fmt::join(info.files, " "));
  p.command_line = command_line;
  for (const OptionValue& one : values_of(with_defaults(options)))
    if (*one.about.catalog_name) p.parameters[one.about.catalog_name] = one.value;
  p.parameters["linking length"] = found.linking_length;
  p.parameters["softening"] = found.softening;
  p.parameters["linked types"] = names_of(found.linked, info);
  p.parameters["attached types"] = names_of(found.attached, info);
  p.parameters["assumed"] =
      fmt::format("{}", fmt::join(assumed_for_halos(info, found, catalog), " "));
  return p;
}

}  // namespace haloscope::analysis
