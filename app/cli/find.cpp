#include "app/cli/find.h"

#include "analysis/finder.h"
#include "analysis/option_parsing/option_error.h"
#include "analysis/snapshot/open_snapshot.h"
#include "analysis/snapshot/output_guard.h"
#include "analysis/snapshot/tell_sentences.h"
#include "app/cli/add_option.h"
#include "app/cli/option_flags.h"
#include "app/cli/plot_outputs.h"
#include "app/cli/snapshot_flags.h"
#include "core/error.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

namespace haloscope::app::cli {

namespace {

struct FindCommand {
  const analysis::Finder* finder = nullptr;
  std::string snapshot, output, device = "auto";
  PlotOutputs plots;
  analysis::SnapshotOptions said;
  analysis::AnyOptions options;
  bool overwrite = false, quiet = false;
};

void run_find(const FindCommand& command, analysis::RunContext& context) {
  const analysis::Overwriting overwriting{command.overwrite};
  if (command.output.empty() && command.plots.empty())
    throw Error("there is nothing to write", command.finder->name(),
                "give a catalog's file by -o, or a plot's by --plot");
  // Before what --overwrite would help against.
  analysis::refuse_overwriting({command.output}, {command.snapshot});
  std::vector<std::string> outputs;
  if (!command.output.empty()) {
    command.finder->require_output(command.output, command.options, overwriting);
    outputs.push_back(command.output);
  }
  for (const std::string& path : command.plots.require_targets(overwriting))
    outputs.push_back(path);
  const auto reader = analysis::open_snapshot(command.snapshot, command.said);
  std::vector<std::string> inputs = reader->info().files;
  inputs.push_back(command.snapshot);
  analysis::refuse_overwriting(outputs, inputs);
  command.finder->require_options(command.options, &reader->info());

  analysis::FindRequest request;
  request.device = compute::choose_device(command.device);
  request.rows_of_files = command.said.replicate == 1;
  const auto finding = analysis::find_in(*reader, command.finder->name(), command.options, request,
                                         context.progress);
  // Before anything is written.
  command.plots.require_plots(*finding);
  if (!command.output.empty())
    command.finder->write(command.output, *finding, context.command_line, context.progress);
  const EmptyPlots empty = command.plots.write(*finding, context.command_line);
  analysis::tell_sentences({sentences_of(reader->info().assumed), finding->notes}, command.quiet,
                           context);
  if (!command.quiet) {
    context.print(finding->summary);
    for (const auto& path : empty.without(outputs)) context.print("wrote " + path);
  }
  empty.refuse();
}

void add_command(const analysis::Finder& finder, CLI::App& app, analysis::RunContext& context,
                 std::function<void()>& run) {
  auto request = std::make_shared<FindCommand>();
  request->finder = &finder;
  request->options = finder.options();
  CLI::App* command = app.add_subcommand(finder.name(), finder.words().help);
  command->add_option("SNAPSHOT", request->snapshot, "A file, one of several, or their folder")
      ->required();
  command->add_option("-o,--output", request->output,
                      "The catalog, or the fields where there is none: .hdf5 or .csv");
  request->plots.add_option(*command);
  add_option_flags(*command, request->options);
  add_device_option(*command, request->device, &request->said);
  add_overwrite_option(*command, request->overwrite);
  command->add_flag("--quiet", request->quiet, "Print warnings and errors only");
  add_snapshot_options(*command, request->said);
  command->callback([request, &context, &run] {
    run = [request, &context] {
      analysis::with_flags_in_faults([&] { run_find(*request, context); });
    };
  });
}

bool has_command(const CLI::App& app, const std::string& name) {
  const auto commands = app.get_subcommands([](const CLI::App*) { return true; });
  return std::any_of(commands.begin(), commands.end(),
                     [&](const CLI::App* command) { return command->get_name() == name; });
}

}  // namespace

void add_find_commands(CLI::App& app, analysis::RunContext& context, std::function<void()>& run) {
  for (const auto& finder : analysis::finders())
    if (!has_command(app, finder->name())) add_command(*finder, app, context, run);
}

}  // namespace haloscope::app::cli
