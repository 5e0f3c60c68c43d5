#include "analysis/finder.h"

#include "analysis/options/option_checks.h"
#include "analysis/options/option_error.h"
#include "analysis/snapshot/open_snapshot.h"
#include "core/check.h"
#include "core/error.h"
#include "core/text_values.h"
#include "io/catalogs/write_catalog.h"

#include <fmt/format.h>

#include <cctype>

namespace haloscope::analysis {

std::string capitalized(std::string words) {
  if (!words.empty()) words[0] = char(std::toupper(static_cast<unsigned char>(words[0])));
  return words;
}

void Finder::check(const AnyOptions& options, const SnapshotInfo*) const {
  const OptionChecks checks;
  AnyOptions copy = options;
  visit(checks, copy);
}

void Finder::complete(AnyOptions&, const std::set<std::string>&, const SnapshotInfo&) const {}

bool Finder::completes_option(const std::string&) const {
  return false;
}

void Finder::require_output(const std::string& path, const AnyOptions&,
                            const Overwriting& overwriting) const {
  require_catalog_target(path, overwriting);
}

void Finder::write(const std::string& path, const Finding& finding, const std::string& command_line,
                   Progress& progress) const {
  if (finding.catalog.tables.empty())
    throw Error(fmt::format("{} has no catalog", name()), path, "write one of its plots");
  CatalogProvenance provenance = finding.provenance;
  provenance.command_line = command_line;
  io::write_catalog(path, finding.catalog, finding.members, provenance, progress);
}

namespace {

// What lists and circles read without asking.
void require_consistent(const Finding& finding) {
  for (const PieceColumn& column : finding.columns)
    HALOSCOPE_CHECK(column.values.size(), ==, finding.pieces);
  if (!finding.places.empty()) HALOSCOPE_CHECK(finding.places.size(), ==, finding.pieces);
  if (finding.labels) HALOSCOPE_CHECK(finding.labels->pieces, ==, finding.pieces);
  for (const auto& column : {finding.members_column, finding.radius_column})
    if (column) HALOSCOPE_CHECK(*column, <, finding.columns.size());
}

}  // namespace

std::shared_ptr<const Finding> find_in(const io::SnapshotReader& reader, const std::string& finder,
                                       const AnyOptions& options, const FindRequest& request,
                                       Progress& progress) {
  const Finder& who = require_finder(finder);
  who.check(options, &reader.info());
  auto finding = std::make_shared<Finding>(who.find(reader, options, request, progress));
  finding->finder = finder;
  finding->options = options;
  finding->files = reader.info().files;
  for (auto& [name, field] : finding->fields)
    if (field.limits[0] == field.limits[1]) field.limits = usual_limits(field);
  require_consistent(*finding);
  return finding;
}

std::shared_ptr<const Finding> find_in(const std::string& snapshot, const SnapshotOptions& said,
                                       const std::string& finder, const AnyOptions& options,
                                       const FindRequest& request, Progress& progress) {
  try {
    const auto reader = open_snapshot(snapshot, said);
    FindRequest asked = request;
    asked.rows_of_files = said.replicate == 1;
    return find_in(*reader, finder, options, asked, progress);
  } catch (const OptionError& error) {
    throw Error(with_words(error.what()), "find " + finder);
  }
}

}  // namespace haloscope::analysis
