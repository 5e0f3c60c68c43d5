#include "app/cli/grid.h"

#include "app/cli/add_option.h"
#include "app/cli/run_on_devices.h"
#include "app/cli/snapshot_flags.h"
#include "core/text_values.h"

#include <CLI/CLI.hpp>

#include <map>
#include <memory>

namespace haloscope::app::cli {

namespace {

void add_values(CLI::App& command, analysis::GridChoice& choice) {
  using compute::grids::Assign;
  add_text(command, "--types", "gas,dm,…|0,1,…", "Particle types; default: all",
           [&choice](const std::string& text) { choice.types = parse_list("--types", text); });
  command.add_option("--field", choice.field, "A field of one value per particle")
      ->type_name("FIELD");
  add_text(command, "--quantity", "mass|density|count|sum|mean",
           "What cells hold: mass, mass per volume, the number of particles, the sum of the field, "
           "its mean weighted by mass; default: mean with --field, else mass",
           [&choice](const std::string& text) {
             choice.of = analysis::parse_grid_of("--quantity", text);
           });
  add_text(
      command, "--size", "N|NX,NY,NZ", "Cells along the axes; default: 256",
      [&choice](const std::string& text) { choice.cells = analysis::parse_cells("--size", text); });
  add_choice<Assign>(command, "--assign",
                     {{"ngp", Assign::Nearest},
                      {"cic", Assign::CloudInCell},
                      {"tsc", Assign::Triangular},
                      {"kernel", Assign::Kernel}},
                     "How a particle is shared among cells: nearest cell, cloud in cell (default), "
                     "triangular cloud, or its own smoothing kernel",
                     choice.assign);
  add_text(command, "--smooth", "R|Kcells",
           "Smooth by a Gaussian of this width: a length of the file, or cells as in 2cells",
           [&choice](const std::string& text) {
             choice.smoothing = analysis::parse_smoothing("--smooth", text);
           });
  command.add_flag("--overdensity", choice.overdensity, "Divide by the mean of all cells");
  command.add_flag("--log", choice.log, "Take the decimal logarithm, at last");
  add_text(command, "--region", "x0,y0,z0,x1,y1,z1",
           "The box that the grid covers, in the file's lengths; in a periodic one it may reach "
           "over the edge; default: the whole box",
           [&choice](const std::string& text) {
             const auto v = parse_numbers("--region", text, 6);
             choice.region = io::Region{{v[0], v[1], v[2]}, {v[3], v[4], v[5]}};
           });
}

}  // namespace

void run_grid_on(const std::vector<compute::Device>& devices, const analysis::GridCommand& request,
                 analysis::RunContext& context) {
  search_on_devices(devices, context, [&](analysis::RunContext& own, auto device) {
    analysis::run_grid(request, own, device);
  });
}

void add_grid_command(CLI::App& app, analysis::RunContext& context, std::function<void()>& run) {
  auto request = std::make_shared<analysis::GridCommand>();
  analysis::GridCommand& r = *request;
  CLI::App* command = app.add_subcommand("grid", "Make a density grid of a snapshot");
  command->footer(
      "All mass of the particles is in the grid, and the grid is the same to the byte on any "
      "device. The first axis of .hdf5 and .npy is x; .vti is read by ParaView.");
  command->add_option("SNAPSHOT", r.snapshot, "A file, one of several, or their folder")
      ->required();
  command->add_option("-o,--output", r.output, "The grid: .hdf5, .npy or .vti")->required();
  add_values(*command, r.choice);
  add_device_option(*command, r.device, &r.said);
  add_gpus_option(*command, r.gpus);
  command->add_option("--stats", r.stats, "Write counts, times and memory as JSON")
      ->type_name("FILE.json");
  add_overwrite_option(*command, r.overwrite);
  command->add_flag("--quiet", r.quiet, "Print warnings and errors only");
  add_snapshot_options(*command, r.said);
  command->callback([request, &context, &run] {
    run = [request, &context] {
      run_grid_on(devices_of_gpus(request->gpus, request->device, context), *request, context);
    };
  });
}

}  // namespace haloscope::app::cli
