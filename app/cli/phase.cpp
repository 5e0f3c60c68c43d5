#include "app/cli/phase.h"

#include "analysis/measuring/phase_output.h"
#include "analysis/measuring/phase_search.h"
#include "analysis/option_parsing/option_error.h"
#include "analysis/snapshot/open_snapshot.h"
#include "analysis/snapshot/output_guard.h"
#include "analysis/snapshot/tell_sentences.h"
#include "app/cli/option_flags.h"
#include "app/cli/snapshot_flags.h"

#include <CLI/CLI.hpp>

#include <memory>

namespace haloscope::app::cli {

namespace {

void measure_phase(const PhaseCommand& request, analysis::RunContext& context) {
  analysis::check_options(request.options);
  // Before what --overwrite would help against.
  analysis::refuse_overwriting(request.outputs.paths, {request.snapshot});
  request.outputs.require_targets();
  const auto reader = analysis::open_snapshot(request.snapshot, request.said);
  const std::vector<std::string>& files = reader->info().files;
  analysis::refuse_overwriting(request.outputs.paths, files);

  const analysis::FoundPhase found =
      analysis::find_phase(*reader, request.options, context.progress);
  const auto origin = analysis::origin_lines(files, context.command_line);
  const analysis::MeasuredDatasets datasets = analysis::phase_datasets(found);
  write_measurement(
      request.outputs,
      {analysis::phase_csv(found, origin), datasets, analysis::phase_plot(found, origin),
       origin_texts(files, context.command_line, found.said)},
      context.progress);
  analysis::Sentences sentences = analysis::sentences_of_reader(*reader);
  sentences.told.insert(sentences.told.end(), found.said.begin(), found.said.end());
  analysis::tell_sentences(sentences, request.quiet, context);
  if (request.quiet) return;
  for (const std::string& line : analysis::phase_in_words(found)) context.print(line);
  for (const std::string& path : request.outputs.paths) context.print("wrote " + path);
}

}  // namespace

void run_phase(const PhaseCommand& request, analysis::RunContext& context) {
  analysis::with_flags_in_faults([&] { measure_phase(request, context); });
}

void add_phase_command(CLI::App& app, analysis::RunContext& context, std::function<void()>& run) {
  auto request = std::make_shared<PhaseCommand>();
  CLI::App* command = app.add_subcommand(
      "phase", "Sum particles in bins of two fields (a phase diagram), or of one");
  command->footer(
      "Without --x it is the diagram of density and temperature of the gas. Fields are those that "
      "`haloscope info` lists, Temperature and Speed, and single components as in Velocities[2].");
  command->add_option("SNAPSHOT", request->snapshot, "A file, one of several, or their folder")
      ->required();
  command
      ->add_option("-o,--output", request->outputs.paths,
                   "Edges and sums: .csv or .hdf5; a plot: .svg; may be given several times")
      ->required()
      ->type_name("FILE")
      ->allow_extra_args(false);
  add_option_flags<analysis::PhaseOptions>(*command, request->options);
  add_overwrite_option(*command, request->outputs.overwrite);
  command->add_flag("--quiet", request->quiet, "Print warnings and errors only");
  add_snapshot_options(*command, request->said);
  command->callback(
      [request, &context, &run] { run = [request, &context] { run_phase(*request, context); }; });
}

}  // namespace haloscope::app::cli
