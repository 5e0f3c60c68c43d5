#include "app/cli/add_option.h"
#include "app/cli/render.h"
#include "app/cli/snapshot_flags.h"
#include "app/cli/view.h"

#include <memory>

namespace haloscope::app::cli {

void add_view_command(CLI::App& app, analysis::RunContext& context, std::function<void()>& run) {
  auto request = std::make_shared<ViewCommand>();
  ViewCommand& r = *request;
  CLI::App* command = app.add_subcommand("view", "The window: explore, find halos, fly, film");
  command->footer(
      "Without a snapshot a start page opens. F1 in the window shows keys and commands; `haloscope "
      "view --headless --run FILE` does the same commands without a display.");
  command->add_option("SNAPSHOT", r.snapshots, "A file, one of several, or a series in its order");
  command->add_option("--state", r.state, "Begin as a saved state (save_state) says")
      ->type_name("FILE");
  command->add_option("--run", r.run, "Commands to do at once, one per line")->type_name("FILE");
  command->add_option("--replay", r.replay, "Play a recording")->type_name("FILE");
  command->add_option("--record", r.record, "Write down what is done")->type_name("FILE");
  command->add_flag("--headless", r.headless,
                    "Without a display; ends when all is done, or --listen is told quit");
  add_text(*command, "--listen", "PATH",
           "Let a program drive the session: commands come at this local socket, or - for standard "
           "input, and an answer goes back for each",
           [&r](const auto& t) {
             if (t.empty()) throw Error("a socket needs a name", "--listen", "give a path, or -");
             r.listen = t;
           });
  command->add_flag(
      "--keep-going", r.keep_going,
      "With --headless, tell what fails, do the rest and end with status 2; else the first fault "
      "ends it");
  command->add_flag("--list-commands", r.list_commands, "Print all commands and keys");
  command->add_flag("--real-time", r.real_time,
                    "Without a display, keep a recording's times and draw every frame");
  command->add_option("--stats", r.stats, "Write the times of frames as JSON")->type_name("FILE");
  add_overwrite_option(*command, r.overwrite);
  add_text(*command, "--size", "WxH", "Of the window, pixels; default 1280x800",
           [&r](const auto& t) { r.base.size = parse_size("--size", t); });
  add_text(*command, "--scale", "FACTOR", "Size of letters and buttons; default: the display's",
           [&r](const auto& t) {
             r.scale = parse_number("--scale", t);
             if (!(r.scale >= 0.25 && r.scale <= 8))
               throw Error("'" + t + "' does not lie between 0.25 and 8", "--scale");
           });
  add_no_cache_option(*command, r.base);
  add_snapshot_options(*command, r.base.said);
  add_selection_options(*command, r.base.selection);
  add_compute_options(*command, r.base.compute, &r.base.said);
  add_gpus_option(*command, r.base.compute.gpus);
  command->callback(
      [request, &context, &run] { run = [request, &context] { run_view(*request, context); }; });
}

}  // namespace haloscope::app::cli
