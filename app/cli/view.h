#pragma once

#include "analysis/run_context.h"
#include "render/scene/render_request.h"

#include <functional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace haloscope::app::cli {

// `haloscope view` as plain data.
struct ViewCommand {
  std::vector<std::string> snapshots;  // one, a series in its order, or none: the start page
  render::RenderRequest base;          // units, selection, device, neighbors
  std::string state;                   // a file to begin with
  std::string run, replay, record;     // files of commands
  bool headless = false, real_time = false;
  std::string listen;          // socket or "-" of a program that drives the session; empty: none
  bool list_commands = false;  // only print them, as Markdown
  std::string stats;           // file for the times of frames
  bool overwrite = false;      // of stats and record: files of others
  bool keep_going = false;     // headless: faults are told and the session goes on
  double scale = 0;            // of letters and buttons; 0: the display's
};

// Opens the window, or without one plays the commands. Throws Error in the user's words.
void run_view(const ViewCommand& command, analysis::RunContext& context);

// Adds `view` to the command line; `run` is set when the user chose it.
void add_view_command(CLI::App& app, analysis::RunContext& context, std::function<void()>& run);

// Whether the program was built with a window.
bool has_window();

}  // namespace haloscope::app::cli
