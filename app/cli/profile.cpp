#include "app/cli/profile.h"

#include "analysis/finding.h"
#include "analysis/measuring/profile_output.h"
#include "analysis/measuring/profile_plots.h"
#include "analysis/measuring/profile_search.h"
#include "analysis/option_parsing/option_error.h"
#include "analysis/snapshot/density_sentence.h"
#include "analysis/snapshot/open_snapshot.h"
#include "analysis/snapshot/output_guard.h"
#include "analysis/snapshot/tell_sentences.h"
#include "app/cli/option_flags.h"
#include "app/cli/snapshot_flags.h"
#include "core/error.h"
#include "io/catalogs/catalog_reader.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <memory>
#include <optional>

namespace haloscope::app::cli {

namespace {

constexpr const char* kProfile = "profile";

// All files that are written.
std::vector<std::string> require_profile_targets(const ProfileCommand& request) {
  request.outputs.require_targets();
  std::vector<std::string> written = request.outputs.paths;
  const auto plots = request.plots.require_targets({request.outputs.overwrite});
  written.insert(written.end(), plots.begin(), plots.end());
  if (written.empty())
    throw Error("there is nothing to write", kProfile, "give a file by -o, or a plot's by --plot");
  return written;
}

void measure_profile(const ProfileCommand& request, analysis::RunContext& context) {
  analysis::check_options(request.options);
  // Before what --overwrite would help against.
  analysis::refuse_overwriting(request.outputs.paths, {request.snapshot, request.options.catalog});
  const std::vector<std::string> written = require_profile_targets(request);
  const auto reader = analysis::open_snapshot(request.snapshot, request.said);
  const std::vector<std::string>& files = reader->info().files;
  std::vector<std::string> inputs{request.snapshot, request.options.catalog};
  inputs.insert(inputs.end(), files.begin(), files.end());
  std::optional<HaloCatalog> catalog;
  if (request.options.structure) {
    catalog = io::open_catalog(request.options.catalog, {}, context.progress);
    inputs.insert(inputs.end(), catalog->files.begin(), catalog->files.end());
  }
  analysis::refuse_overwriting(written, inputs);

  const analysis::RadialProfile profile = analysis::find_profile(
      *reader, request.options, catalog ? &*catalog : nullptr, context.progress);
  const auto origin = analysis::origin_lines(files, context.command_line);
  analysis::Finding plotted;
  // The command line comes behind, as with the plots of other commands.
  plotted.plots = analysis::profile_plots(profile, {origin.begin(), origin.end() - 1});
  analysis::Plot density = plotted.plots.front();
  density.notes.push_back(context.command_line);
  request.plots.require_plots(plotted);
  // R200 and the radius of relaxation are of no use where units are wrong; it was told in the log.
  const auto odd_density = analysis::check_density(*reader, true, context.progress);
  std::vector<std::string> noted = profile.said;
  if (odd_density) noted.push_back(*odd_density);
  const analysis::MeasuredDatasets datasets = analysis::profile_datasets(profile);
  write_measurement(request.outputs,
                    {analysis::profile_csv(profile, origin), datasets, density,
                     origin_texts(files, context.command_line, noted)},
                    context.progress);
  const EmptyPlots empty = request.plots.write(plotted, context.command_line);
  analysis::Sentences sentences = analysis::sentences_of_reader(*reader);
  sentences.told.insert(sentences.told.end(), profile.said.begin(), profile.said.end());
  analysis::tell_sentences(sentences, request.quiet, context);
  if (!request.quiet) {
    for (const std::string& line : analysis::profile_in_words(profile)) context.print(line);
    for (const std::string& path : empty.without(written)) context.print("wrote " + path);
  }
  empty.refuse();
}

}  // namespace

void run_profile(const ProfileCommand& request, analysis::RunContext& context) {
  analysis::with_flags_in_faults([&] { measure_profile(request, context); });
}

void add_profile_command(CLI::App& app, analysis::RunContext& context, std::function<void()>& run) {
  auto request = std::make_shared<ProfileCommand>();
  CLI::App* command = app.add_subcommand(
      kProfile, "Measure a radial profile: density, mass, velocities, temperature");
  command->footer(
      "About a point (--center) or a row of a catalog (--structure with --catalog), in logarithmic "
      "bins, for each type and for all. Plots: density, mass, velocity, dispersion, temperature.");
  command->add_option("SNAPSHOT", request->snapshot, "A file, one of several, or their folder")
      ->required();
  command
      ->add_option("-o,--output", request->outputs.paths,
                   "The numbers: .csv or .hdf5; a plot of the density: .svg; may be given several "
                   "times")
      ->type_name("FILE")
      ->allow_extra_args(false);
  request->plots.add_option(*command);
  add_option_flags<analysis::ProfileOptions>(*command, request->options);
  add_overwrite_option(*command, request->outputs.overwrite);
  command->add_flag("--quiet", request->quiet, "Print warnings and errors only");
  add_snapshot_options(*command, request->said);
  command->callback(
      [request, &context, &run] { run = [request, &context] { run_profile(*request, context); }; });
}

}  // namespace haloscope::app::cli
