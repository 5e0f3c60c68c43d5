#include "app/cli/convert.h"

#include "analysis/selection/convert_particles.h"
#include "app/cli/add_option.h"
#include "app/cli/filter_flags.h"
#include "app/cli/snapshot_flags.h"
#include "core/text_values.h"

#include <CLI/CLI.hpp>

#include <memory>

namespace haloscope::app::cli {

void add_convert_command(CLI::App& app, analysis::RunContext& context, std::function<void()>& run) {
  auto request = std::make_shared<analysis::ConvertCommand>();
  analysis::ConvertCommand& r = *request;
  CLI::App* command =
      app.add_subcommand("convert", "Write what is selected of a snapshot as a GADGET-4 snapshot");
  command->footer(
      "Values stay in the input's units and precision; positions become float64 inside the box, "
      "and rows without a finite position are left out.");
  command->add_option("SNAPSHOT", r.snapshot, "A file, one of several, or their folder")
      ->required();
  command->add_option("OUTPUT", r.output, "The file to write: .hdf5")->required();
  command
      ->add_option_function<std::string>(
          "--types", [&r](const std::string& t) { r.types = parse_list("--types", t); },
          "Particle types; default: all")
      ->type_name("gas,dm,…|0,1,…");
  command
      ->add_option_function<std::string>(
          "--add", [&r](const std::string& t) { r.added = parse_list("--add", t); },
          "Fields that are not in the file, made of its particles and written in float32: "
          "TreePotential, LocalDensity, Temperature, Speed; of TreePotential and LocalDensity all "
          "of the snapshot's particles count")
      ->type_name("FIELD,FIELD…");
  add_device_option(*command, r.said.device);
  command->add_flag("--compress", r.compress, "gzip the data: smaller and slower");
  add_overwrite_option(*command, r.overwrite);
  command->add_flag("--quiet", r.quiet, "Print warnings and errors only");
  add_selection_options(*command, r.selection);
  add_filter_options(*command, r.filter);
  add_snapshot_options(*command, r.said);
  command->callback([request, &context, &run] {
    run = [request, &context] { analysis::run_convert(*request, context); };
  });
}

}  // namespace haloscope::app::cli
