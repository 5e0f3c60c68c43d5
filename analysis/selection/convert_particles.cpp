#include "analysis/selection/convert_particles.h"

#include "analysis/selection/followed_ids.h"
#include "analysis/snapshot/choose_types.h"
#include "analysis/snapshot/counts_text.h"
#include "analysis/snapshot/match_field.h"
#include "analysis/snapshot/open_snapshot.h"
#include "analysis/snapshot/output_guard.h"
#include "core/error.h"
#include "core/text_values.h"
#include "core/version.h"
#include "io/convert/convert_snapshot.h"

#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <memory>
#include <utility>

namespace haloscope::analysis {

namespace {

// The snapshot that --ids-of names; null where none is.
std::unique_ptr<io::SnapshotReader> open_ids_of(const ConvertCommand& request) {
  if (request.filter.ids_of.empty()) return nullptr;
  SnapshotOptions other;  // units and boxes change no ID
  other.allow_missing = request.said.allow_missing;
  other.allow_outside = request.said.allow_outside;
  return open_snapshot(request.filter.ids_of, other);
}

std::vector<std::string> added_fields(const SnapshotInfo& info, const std::vector<int>& types,
                                      const std::vector<std::string>& asked) {
  std::vector<std::string> fields;
  for (const std::string& word : asked) fields.push_back(match_field(info, types, word));
  return fields;
}

FollowedIds all_ids(const io::SnapshotReader& reader, Progress& progress) {
  std::map<int, io::RowMap> rows;
  for (const auto& [type, info] : reader.info().types)
    if (info.count > 0) rows.emplace(type, io::RowMap(info.count));
  return ids_of_rows(reader, rows, progress);
}

}  // namespace

void run_convert(const ConvertCommand& request, RunContext& context) {
  const std::string extension = lower_case(std::filesystem::path(request.output).extension());
  if (extension != ".hdf5" && extension != ".h5")
    throw Error("a snapshot is written as HDF5", request.output, "name it .hdf5");
  // First, for no --overwrite replaces what is read.
  refuse_overwriting({request.output}, {request.snapshot, request.filter.ids_of});
  require_target(request.output, OutputFormat::Hdf5, {request.overwrite});
  const auto reader = open_snapshot(request.snapshot, request.said);
  const SnapshotInfo& info = reader->info();
  const auto sought = open_ids_of(request);
  std::vector<std::string> inputs = info.files;
  inputs.push_back(request.snapshot);
  if (sought) {
    const std::vector<std::string>& files = sought->info().files;
    inputs.insert(inputs.end(), files.begin(), files.end());
    inputs.push_back(request.filter.ids_of);
  }
  refuse_overwriting({request.output}, inputs);
  const std::vector<int> types = choose_types(info, request.types);
  io::ParticleFilter filter = named_filter(info, types, request.filter.filter);
  std::vector<std::string> said;
  if (sought) {
    require_ids(info, types);
    FollowedIds ids = all_ids(*sought, context.progress);
    said = std::move(ids.said);
    filter.ids = as_sought_later(ids.lists);
    for (auto& sentence : types_without_ids(info, types, *filter.ids))
      said.push_back(std::move(sentence));
  }
  const io::ConvertRequest convert{
      request.output,
      types,
      request.selection,
      request.compress,
      {{"Program", "haloscope"}, {"Version", version()}, {"CommandLine", context.command_line}},
      filter,
      added_fields(info, types, request.added)};
  const io::ConvertResult result = io::convert_snapshot(*reader, convert, context.progress);
  if (request.quiet) return;
  for (const auto& one : info.assumed) context.print("assumed: " + one.sentence);
  for (const auto& sentence : said) context.print(sentence);
  for (const auto& sentence : result.said) context.print(sentence);
  for (const auto& [type, counts] : result.counts) {
    const std::string odd = counts_text(counts);
    context.print(fmt::format("{}: wrote {} of {} particles{}", info.types.at(type).name,
                              counts.shown(), counts.in_file, odd.empty() ? "" : "; " + odd));
  }
  std::error_code unknown;
  const auto bytes = std::filesystem::file_size(request.output, unknown);
  context.print(fmt::format("wrote {} ({})", request.output, bytes_in_words(unknown ? 0 : bytes)));
}

}  // namespace haloscope::analysis
