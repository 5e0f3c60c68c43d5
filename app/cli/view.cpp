#include "app/cli/view.h"

#include "analysis/cancelled_midway.h"
#include "analysis/snapshot/output_guard.h"
#include "app/cli/run_on_devices.h"
#include "app/session/state_file.h"
#include "app/session/toml_writer.h"
#include "app/viewer/line_history.h"
#include "app/viewer/loops.h"
#include "app/viewer/remote/listener.h"
#include "app/viewer/user_settings.h"
#include "app/viewer/viewer.h"
#include "core/error.h"
#include "core/log.h"
#include "io/bytes/numbered_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

namespace haloscope::app::cli {

namespace {

using viewer::Doorbell;
using viewer::Viewer;

// Where the program's log goes while a session shows it.
class LogToViewer {
 public:
  explicit LogToViewer(Viewer& viewer)
      : former_(log::set_sink(
            [&viewer](log::Level, const std::string& message) { viewer.mail(message); })) {}
  ~LogToViewer() { log::set_sink(std::move(former_)); }
  LogToViewer(const LogToViewer&) = delete;
  LogToViewer& operator=(const LogToViewer&) = delete;

 private:
  log::Sink former_;
};

bool is_same_file(const std::string& a, const std::string& b) {
  std::error_code unknown;
  return a == b || (std::filesystem::equivalent(a, b, unknown) && !unknown);
}

// A state opens the snapshots that it was saved with, whatever else is named.
void tell_of_both(const ViewCommand& command, analysis::RunContext& context) {
  if (command.state.empty() || command.snapshots.empty()) return;
  std::vector<std::string> own;
  try {
    own = session::load_state(command.state).state.snapshots;
  } catch (const Error&) {
    return;  // load_state tells
  }
  const std::string& named = command.snapshots.front();
  const bool same = std::any_of(own.begin(), own.end(), [&](const std::string& snapshot) {
    return is_same_file(snapshot, named);
  });
  if (own.empty() || same) return;
  context.print(
      fmt::format("warning: {} shows its own snapshot, {}, and not {}: leave one of them out, or "
                  "draw it with render {} --state {}",
                  command.state, own.front(), named, named, command.state));
}

// What the command line asks for comes first, as the user would have done it. `failed`: lines that
// were passed over.
std::vector<session::RecordedCall> calls_of(const ViewCommand& command,
                                            analysis::RunContext& context,
                                            const std::optional<std::array<int, 2>>& start_size,
                                            int& failed) {
  std::vector<session::RecordedCall> calls;
  session::Complain complain;
  if (command.keep_going)
    complain = [&](const std::string& fault) {
      ++failed;
      context.print("warning: " + fault);
    };
  const auto add = [&](const std::string& line) {
    calls.push_back({0, session::parse_command(line), "the command line", false});
  };
  if (command.base.size)
    add(fmt::format("size {} {}", command.base.size->width, command.base.size->height));
  else if (start_size)
    add(fmt::format("size {} {}", (*start_size)[0], (*start_size)[1]));
  if (!command.snapshots.empty()) {
    std::string line = "open";
    for (const auto& snapshot : command.snapshots) line += " " + session::quoted(snapshot);
    add(line);
  }
  tell_of_both(command, context);
  if (!command.state.empty()) add("load_state " + session::quoted(command.state));
  if (!command.run.empty())
    for (auto& call : session::read_recording(command.run, complain)) {
      call.seconds = 0;
      calls.push_back(std::move(call));
    }
  if (!command.replay.empty())
    for (auto& call : session::read_recording(command.replay, complain))
      calls.push_back(std::move(call));
  return calls;
}

// Of the window, where the user has chosen one; a state or a recording brings its own.
std::optional<std::array<int, 2>> chosen_size(const ViewCommand& command,
                                              const viewer::UserSettings& settings) {
  const bool own = command.base.size || !command.state.empty() || !command.replay.empty();
  const session::State usual;
  const auto size = settings.start_size();
  if (command.headless || own || size == std::array<int, 2>{usual.width, usual.height}) return {};
  return size;
}

// Several GPUs draw together, and the first of them does what one alone can do.
render::RenderRequest on_gpus(render::RenderRequest base, const analysis::RunContext& context) {
  render::ComputeRequest& how = base.compute;
  how.devices = devices_of_gpus(how.gpus, how.device, context);
  if (!how.devices.empty()) how.chosen = how.devices.front();
  return base;
}

void run_in_window(Viewer& viewer, const ViewCommand& command, viewer::UserSettings& settings,
                   analysis::RunContext& context) {
  if (const auto size = chosen_size(command, settings)) viewer.set_start_size(*size);
  viewer.set_recent(settings.recent);
  // What another program does is none of the user's history.
  if (command.listen.empty()) viewer.set_history(viewer::load_history(), viewer::keep_in_history);
  // What the user chooses is kept at once; a size of letters for this run alone is not.
  viewer.set_choices(
      settings.choices,
      [&](const session::UserChoices& choices) {
        settings.choices = choices;
        viewer::save_settings(settings);
      },
      [&](session::Remembered what) {
        if (what == session::Remembered::Commands) return viewer::forget_history();
        settings.recent.clear();
        viewer::save_settings(settings);
      });
  viewer.set_scale(command.scale > 0 ? command.scale : settings.choices.ui_scale);
  viewer.on_opened([&](const std::string& snapshot, const std::vector<std::string>& series) {
    settings.remember(snapshot, series);
    viewer.set_recent(settings.recent);
    viewer::save_settings(settings);
  });
  viewer::run_window(viewer, command.stats, context.progress);
  settings.last_size = {viewer.state().width, viewer.state().height};
  viewer::save_settings(settings);
}

}  // namespace

bool has_window() {
  return true;
}

void run_view(const ViewCommand& command, analysis::RunContext& context) {
  if (command.list_commands) return context.print(session::command_reference());
  // Faults of the files show before a window opens.
  int failed = 0;
  viewer::UserSettings settings;
  if (!command.headless) settings = viewer::load_settings();
  auto calls = calls_of(command, context, chosen_size(command, settings), failed);
  if (command.headless && command.run.empty() && command.replay.empty() && command.listen.empty())
    throw Error("there is nothing to do without a window", "--headless",
                "give commands with --run FILE, --replay FILE or --listen PATH");
  if (!command.keep_going)
    for (const auto& snapshot : command.snapshots) io::complete_path(snapshot);
  Doorbell bell;
  const std::function<void()> wake =
      command.headless ? std::function<void()>([&] { bell.ring(); }) : viewer::wake_window;
  // It ends last: what the session still has to answer is written then.
  std::unique_ptr<viewer::Listener> listener;
  if (!command.listen.empty()) listener = std::make_unique<viewer::Listener>(command.listen, wake);
  Viewer viewer(on_gpus(command.base, context), wake);
  if (listener) viewer.drive_by(listener->exchange());
  const LogToViewer log(viewer);
  const analysis::Overwriting overwriting{command.overwrite};
  if (!command.record.empty()) {
    analysis::require_target(command.record, analysis::OutputFormat::Recording, overwriting);
    viewer.record(command.record);
  }
  viewer.on_said([&](bool warning, const std::string& text) {
    failed += int(warning);
    if (command.headless || warning) context.print((warning ? "warning: " : "") + text);
  });
  if (command.keep_going) viewer.set_keep_going();
  if (!command.stats.empty())
    analysis::require_target(command.stats, analysis::OutputFormat::Json, overwriting);
  viewer.play(std::move(calls), !command.headless || command.real_time);
  if (command.headless)
    viewer::run_headless(viewer, bell,
                         {command.scale > 0 ? command.scale : 1, command.real_time, command.stats},
                         context.progress);
  else
    run_in_window(viewer, command, settings, context);
  viewer.stop();
  if (context.progress.cancelled())
    throw analysis::CancelledMidway("what was written until then is whole");
  if (command.headless && failed > 0)
    throw Error(fmt::format("{} command{} failed, as told above; the others are done", failed,
                            failed == 1 ? "" : "s"),
                "--keep-going");
}

}  // namespace haloscope::app::cli
