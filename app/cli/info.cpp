#include "app/cli/info.h"

#include "analysis/snapshot/density_sentence.h"
#include "analysis/snapshot/json_text.h"
#include "analysis/snapshot/open_snapshot.h"
#include "analysis/snapshot/sidecar_options.h"
#include "app/cli/add_option.h"
#include "app/cli/catalog.h"
#include "app/cli/info_grid.h"
#include "app/cli/snapshot_flags.h"
#include "core/atomic_file.h"
#include "core/error.h"
#include "core/text_values.h"
#include "io/catalogs/catalog_reader.h"
#include "io/grids/grid_file.h"
#include "io/loading/box_check.h"
#include "io/loading/position_scan.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace haloscope::app::cli {

namespace {

struct InfoRequest {
  std::string file;
  std::string dataset;  // of a grid
  bool json = false, check = false, quick = false, save = false, overwrite = false;
  bool replaces_other = false;  // what lies in the sidecar's place is none
  analysis::SnapshotOptions snapshot;
};

// What lies where they are to be kept, and is no sidecar, is neither read nor lost unasked.
void guard_overrides(InfoRequest& request) {
  const std::string path = io::sidecar_path(request.file);
  const auto why = io::why_no_sidecar(path, analysis::sidecar_words());
  request.replaces_other = why && request.overwrite;
  if (why && !request.overwrite)
    throw Error("the output would replace a file that is no sidecar of haloscope's (" + *why + ")",
                path, "mend or move it, or replace it with --overwrite");
  require_writable(path);
}

std::vector<io::SidecarEntry> former_overrides(const InfoRequest& request) {
  if (request.replaces_other) return {};
  return io::read_sidecar(io::choose_sidecar(request.file).path, analysis::sidecar_words());
}

void save_overrides(const InfoRequest& request, analysis::RunContext& context) {
  const auto entries = request.snapshot.entries();
  if (entries.empty())
    throw Error("there is nothing to save", "--save-overrides",
                "give options such as --unit-length kpc/h with it");
  const std::string path = io::sidecar_path(request.file);
  std::map<std::string, std::string> all;
  for (const auto& entry : former_overrides(request)) all[entry.word] = entry.text;
  std::vector<std::string> kept;
  for (const auto& [word, text] : all)
    if (std::none_of(entries.begin(), entries.end(),
                     [&, &name = word](const auto& given) { return given.first == name; }))
      kept.push_back(fmt::format("{} = {}", word, text));
  for (const auto& [word, text] : entries) all[word] = text;
  io::write_sidecar(path, {all.begin(), all.end()});
  if (request.json) return;
  context.print("wrote " + path);
  if (request.snapshot.allow_outside)
    context.print("--allow-outside is not kept: it holds for one run");
  if (!kept.empty()) context.print(fmt::format("kept from before: {}", fmt::join(kept, ", ")));
}

// Nothing was told that only a snapshot can be told.
bool is_bare(const InfoRequest& request) {
  return request.snapshot.raw.empty() && request.snapshot.words.empty() && !request.save;
}

// A halo catalog is told about as `haloscope catalog` does.
bool is_catalog(const InfoRequest& request) {
  return request.snapshot.raw.empty() && io::catalog_kind(request.file).has_value();
}

void show_catalog(const InfoRequest& request, analysis::RunContext& context) {
  if (!request.snapshot.words.empty() || request.save)
    throw Error("this is a halo catalog: its units and box cannot be overridden", request.file,
                "leave those options out");
  CatalogRequest catalog;
  catalog.file = request.file;
  catalog.json = request.json;
  catalog.allow_missing_files = request.snapshot.allow_missing;
  run_catalog(catalog, context);
}

void show_snapshot(const InfoRequest& request, const io::SnapshotReader& reader,
                   analysis::RunContext& context) {
  SnapshotInfo info = reader.info();
  CountsByType counts;
  const std::uint64_t bytes = io::scan_bytes(reader);
  const bool scan = !request.quick && (request.check || bytes <= analysis::kScannedByDefault);
  if (scan) counts = io::scan_positions(reader, context.progress);
  const auto reading = scan ? analysis::MassReading::Yes : analysis::MassReading::None;
  if (const auto odd = analysis::density_sentence(reader, reading, context.progress))
    info.assumed.push_back(*odd);
  for (const auto& [number, count] : counts)
    if (const auto misfit = io::box_misfit(info, info.types.at(number).name, count))
      info.assumed.push_back(*misfit);
  const RenderMemory memory = estimate_render_memory(info);
  if (request.json) {
    nlohmann::json report = info_json(info, memory, counts);
    report["positions_checked"] = scan;
    context.print(analysis::json_text(report));
  } else {
    std::string text = info_text(info, memory, counts);
    if (!scan && !info.types.empty())
      text +=
          fmt::format("\npositions not checked ({}): --check reads them", bytes_in_words(bytes));
    context.print(text);
  }
  if (request.save) save_overrides(request, context);
}

// The snapshot; nothing where it is none, but a grid, or a folder with a halo catalog: these are
// shown.
std::unique_ptr<io::SnapshotReader> open_or_show_other(const InfoRequest& request,
                                                       analysis::RunContext& context) {
  try {
    if (request.replaces_other)
      return io::open_snapshot(request.file, analysis::merge_entries({}, request.snapshot));
    return analysis::open_snapshot(request.file, request.snapshot);
  } catch (const NotThisFormat&) {
    if (is_bare(request) && show_grid(request.file, request.dataset, request.json, context))
      return {};
    if (!io::folder_holds_catalog(request.file)) throw;
    show_catalog(request, context);
    return {};
  }
}

void run_info(InfoRequest request, analysis::RunContext& context) {
  if (!request.dataset.empty()) {
    if (!is_bare(request))
      throw Error("--dataset names a grid, and the other options a snapshot", request.file,
                  "leave one of them out");
    show_grid(request.file, request.dataset, request.json, context);
    return;
  }
  if (is_catalog(request)) return show_catalog(request, context);
  if (is_bare(request) && io::is_grid_file(request.file) &&
      show_grid(request.file, request.dataset, request.json, context))
    return;
  if (request.save) guard_overrides(request);
  const auto reader = open_or_show_other(request, context);
  if (reader) show_snapshot(request, *reader, context);
}

}  // namespace

void add_info_command(CLI::App& app, analysis::RunContext& context, std::function<void()>& run) {
  auto request = std::make_shared<InfoRequest>();
  CLI::App* command = app.add_subcommand(
      "info", "What a snapshot, halo catalog or grid holds, what was assumed, and what is wrong");
  command->footer(
      "FILE.haloscope.toml beside a snapshot (a file, one of a set, or the folder, whose holds for "
      "the files in it that have none) keeps what the file does not say, one "
      "'unit-length = \"kpc/h\"' a line; the command line wins.");
  command
      ->add_option("FILE", request->file,
                   "Snapshot, halo catalog or grid: a file, one of several, or their folder")
      ->required();
  command->add_option("--dataset", request->dataset, "The grid of a file of several: HDF5 or .vti")
      ->type_name("NAME");
  command->add_flag("--json", request->json, "As JSON (box_size is 0 where there is no box)");
  auto* check = command->add_flag("--check", request->check,
                                  "Read the positions of large snapshots too (beyond 2 GB)");
  command->add_flag("--quick", request->quick, "Read no positions and no masses")->excludes(check);
  command->add_flag("--save-overrides", request->save,
                    "Keep the options given here in FILE.haloscope.toml");
  add_overwrite_option(*command, request->overwrite);
  add_snapshot_options(*command, request->snapshot);
  command->callback(
      [request, &context, &run] { run = [request, &context] { run_info(*request, context); }; });
}

}  // namespace haloscope::app::cli
