#include "analysis/finder.h"

#include "analysis/find_by.h"
#include "analysis/option_parsing/option_checks.h"
#include "analysis/option_parsing/option_error.h"
#include "analysis/snapshot/open_snapshot.h"
#include "core/check.h"
#include "core/error.h"
#include "core/text_values.h"
#include "core/version.h"
#include "io/catalogs/write_catalog.h"
#include "io/catalogs/write_fields.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

namespace haloscope::analysis {

std::string spaced(std::string name) {
  std::replace(name.begin(), name.end(), '_', ' ');
  return name;
}

std::string FinderWords::found() const {
  if (!only.empty()) return only;
  return has_pieces() ? pieces : spaced(name);
}

std::string piece_word(const Finding& found, const FinderWords& words, std::uint64_t count) {
  const bool one = count == 1;
  const std::string& called = found.called[one ? 0 : 1];
  return !called.empty() ? called : one ? words.piece : words.pieces;
}

std::string capitalized(std::string words) {
  if (!words.empty()) words[0] = char(std::toupper(static_cast<unsigned char>(words[0])));
  return words;
}

void Finder::require_options(const AnyOptions& options, const SnapshotInfo* info) const {
  const OptionChecks checks;
  AnyOptions copy = options;
  visit(checks, copy);
  check(options, info);
}

void Finder::check(const AnyOptions&, const SnapshotInfo*) const {}

void Finder::complete(AnyOptions&, const std::set<std::string>&, const SnapshotInfo&) const {}

bool Finder::completes_option(const std::string&) const {
  return false;
}

bool Finder::shares_work(const Finding&, const AnyOptions&) const {
  return false;
}

bool Finder::needs_reading(const Finding&, const AnyOptions&) const {
  return false;
}

Finding Finder::take_again(const Finding&, const AnyOptions&) const {
  throw OptionError(fmt::format("what {} finds is not taken again", name()));
}

void Finder::check_again(const Finding&, const AnyOptions&) const {}

AnyOptions Finder::cut_elsewhere(const AnyOptions&, const std::string&,
                                 std::optional<std::uint64_t>) const {
  throw OptionError(fmt::format("what {} finds is no hierarchy that could be cut", name()));
}

std::optional<std::uint64_t> Finder::piece_at(const Finding&, const Vec&) const {
  return {};
}

std::vector<std::uint64_t> Finder::pieces_within(const Finding&, const std::array<double, 2>&,
                                                 const std::array<double, 2>&) const {
  return {};
}

void Finder::require_output(const std::string& path, const AnyOptions&,
                            const Overwriting& overwriting) const {
  require_catalog_target(path, overwriting);
}

namespace {

// Row by row as they are in the snapshot.
void write_fields(const std::string& path, const Finding& finding, CatalogProvenance provenance,
                  Progress& progress) {
  if (finding.fields.empty())
    throw Error(fmt::format("{} has no catalog", finding.finder), path, "write one of its plots");
  if (provenance.program_version.empty()) provenance.program_version = version();
  if (provenance.snapshot.empty())
    provenance.snapshot = fmt::format("{}", fmt::join(finding.files, " "));
  std::vector<io::FieldColumn> fields;
  for (const auto& [name, field] : finding.fields) {
    io::FieldColumn& column = fields.emplace_back();
    column.name = name;
    column.unit = field.unit;
    for (const auto& [type, values] : field.values) column.values[type] = &values;
  }
  io::write_fields(path, fields, provenance, progress);
}

}  // namespace

void Finder::write(const std::string& path, const Finding& finding, const std::string& command_line,
                   Progress& progress) const {
  CatalogProvenance provenance = finding.provenance;
  provenance.command_line = command_line;
  if (finding.catalog.tables.empty()) return write_fields(path, finding, provenance, progress);
  io::write_catalog(path, finding.catalog, finding.members, provenance, progress);
}

namespace {

// What lists and circles read without asking.
void require_consistent(const Finding& finding, const FinderWords& words) {
  if (!words.has_pieces()) HALOSCOPE_CHECK(finding.pieces, ==, std::uint64_t(0));
  for (const PieceColumn& column : finding.columns)
    HALOSCOPE_CHECK(column.values.size(), ==, finding.pieces);
  if (!finding.places.empty()) HALOSCOPE_CHECK(finding.places.size(), ==, finding.pieces);
  if (finding.labels) HALOSCOPE_CHECK(finding.labels->pieces, ==, finding.pieces);
  for (const auto& column : {finding.members_column, finding.radius_column})
    if (column) HALOSCOPE_CHECK(*column, <, finding.columns.size());
}

// Limits that a finder has chosen tell nothing where no particle has a value.
void complete_limits(ParticleField& field) {
  const auto any = [&](const auto& values) {
    return std::any_of(values.second.begin(), values.second.end(),
                       [&](float value) { return field.can_show(value); });
  };
  if (std::none_of(field.values.begin(), field.values.end(), any))
    field.limits = kNoLimits;
  else if (field.limits[0] == field.limits[1])
    field.limits = usual_limits(field);
}

// What every finding has.
std::shared_ptr<const Finding> signed_by(const Finder& finder, Finding found,
                                         const AnyOptions& options,
                                         const std::vector<std::string>& files) {
  auto finding = std::make_shared<Finding>(std::move(found));
  finding->finder = finder.name();
  finding->options = options;
  finding->files = files;
  for (auto& [name, field] : finding->fields) complete_limits(field);
  require_consistent(*finding, finder.words());
  return finding;
}

}  // namespace

std::shared_ptr<const Finding> take_again(const Finding& found, const AnyOptions& options) {
  const Finder& who = require_finder(found.finder);
  return signed_by(who, who.take_again(found, options), options, found.files);
}

std::shared_ptr<const Finding> find_in(const io::SnapshotReader& reader, const std::string& finder,
                                       const AnyOptions& options, const FindRequest& request,
                                       Progress& progress) {
  return find_by(require_finder(finder), reader, options, request, progress);
}

std::shared_ptr<const Finding> find_by(const Finder& who, const io::SnapshotReader& reader,
                                       const AnyOptions& options, const FindRequest& request,
                                       Progress& progress) {
  who.require_options(options, &reader.info());
  return signed_by(who, who.find(reader, options, request, progress), options, reader.info().files);
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
