#include "analysis/option_parsing/option_error.h"
#include "analysis/snapshot/output_guard.h"
#include "app/session/beside_state.h"
#include "app/session/command_groups.h"
#include "app/session/numbered_file.h"
#include "app/session/state_file.h"
#include "core/text_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <iterator>

namespace haloscope::app::session {

namespace {

constexpr const char* kLast = "last";

// What belongs to a snapshot that is left.
void forget_findings(State& state) {
  for (auto& [finder, finding] : state.findings) {
    finding.searched = false;
    finding.selected.reset();
  }
}

void load(const Call& call, State& state, SessionActions& actions);

// Where files are chosen, dropped or typed, a saved state may be one of them.
bool names_state(const std::string& path) {
  const std::string ending = path.size() < 5 ? "" : path.substr(path.size() - 5);
  return std::equal(
      ending.begin(), ending.end(), std::begin(".toml"), std::end(".toml") - 1,
      [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; });
}

void open(const Call& call, State& state, SessionActions& actions) {
  for (std::size_t k = 0; k < call.values.size(); ++k) {
    if (!names_state(text_at(call, k))) continue;
    if (call.values.size() == 1) return load(call, state, actions);
    throw Error("a saved state opens alone, for it names its snapshots", text_at(call, k),
                "open it without the other files");
  }
  state.snapshots.clear();
  for (std::size_t k = 0; k < call.values.size(); ++k) state.snapshots.push_back(text_at(call, k));
  state.current = 0;
  // What belongs to particles that are gone.
  state.camera.reset();
  state.types.clear();
  forget_findings(state);
  state.selection = {};
  state.sets.clear();
  state.show_sets = analysis::ShowSets::Off;
  state.follow.clear();
  state.slab = {};
  state.ruler.reset();
  state.profile.reset();
  state.phase.reset();
  state.compared.reset();
  actions.open_snapshot(state);
}

void show_place(State& state, SessionActions& actions, std::size_t place) {
  state.current = place;
  forget_findings(state);
  actions.open_snapshot(state);
}

void step_snapshot(const Call& call, State& state, SessionActions& actions, long steps) {
  const long place = long(state.current) + steps;
  require(call, !state.snapshots.empty(), "no snapshot is open");
  require(call, place >= 0, "this is the first snapshot");
  require(call, place < long(state.snapshots.size()), "this is the last snapshot");
  show_place(state, actions, std::size_t(place));
}

void show_snapshot(const Call& call, State& state, SessionActions& actions) {
  const std::size_t count = state.snapshots.size();
  require(call, count > 0, "no snapshot is open");
  const std::string& word = text_at(call, 0);
  std::size_t place = count - 1;
  if (word != kLast) {
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), place);
    require(call, error == std::errc() && end == word.data() + word.size(),
            fmt::format("K '{}' is neither a whole number from 0 on nor {}", word, kLast));
    require(call, place < count,
            count == 1 ? "there is one snapshot, number 0"
                       : fmt::format("there are {} snapshots, from 0 to {}", count, count - 1));
  }
  if (place != state.current) show_place(state, actions, place);
}

void load(const Call& call, State& state, SessionActions& actions) {
  ReadState read = load_state(text_at(call, 0));
  find_snapshots(read, text_at(call, 0));
  find_palettes(read, text_at(call, 0));
  for (const auto& warning : read.warnings) actions.say(warning);
  const bool same = read.state.snapshots == state.snapshots && read.state.current == state.current;
  state = read.state;
  if (!same) actions.open_snapshot(state);
  actions.resize(state.width, state.height);
  // The one that is listed first: searches come one after another.
  for (const bool shown : {true, false})
    for (auto& [finder, finding] : state.findings) {
      if (!finding.searched || (finder == state.shown_finder) != shown) continue;
      try {
        actions.find(state, finder);
      } catch (const analysis::OptionError& error) {
        finding.searched = false;
        actions.say(fmt::format("find {}: {}", finder, analysis::with_words(error.what())));
      }
    }
}

void screenshot(const Call& call, State& state, SessionActions& actions) {
  StillRequest still;
  still.path = text_at(call, 0);
  const std::string& style = text_at(call, 1);
  still.overlays = style == "overlays";
  still.transparent = style == "transparent";
  still.window = style == "window";
  still.overwrite = call.overwrite;
  if (!text_at(call, 2).empty()) {
    const PixelSize size = parse_size(call.command->name, text_at(call, 2));
    still.width = size.width;
    still.height = size.height;
  }
  actions.export_still(state, still);
}

// By its number: a step of undo, unlike the next one and the one before.
Command snapshot_command() {
  Command command{"show_snapshot",
                  "File",
                  "A snapshot of the series by its number from 0, or the last; the camera stays",
                  {name_of(Named::Snapshot, "K", {}, {kLast})},
                  {{"Ctrl+Left", "0", "The first snapshot", false},
                   {"Ctrl+Right", kLast, "The last snapshot", false}},
                  false,
                  show_snapshot};
  command.recorded = [](const Call&, const State& state) {
    return fmt::format("show_snapshot {}", state.current);
  };
  command.shows_snapshot = true;
  return command;
}

std::vector<Command> series_commands() {
  return {
      {"open",
       "File",
       "Open a snapshot, a series in its order, or a saved state",
       {[] {
         Argument files = file_name();
         files.many = true;
         return files;
       }()},
       {{"Drop a file", "", "", true}},
       false,
       open},
      {"next_snapshot",
       "File",
       "The next snapshot of the series; the camera stays",
       {},
       {{"Right", "", "", false}},
       false,
       [](const Call& c, State& s, SessionActions& a) { step_snapshot(c, s, a, 1); }},
      {"previous_snapshot",
       "File",
       "The snapshot before; the camera stays",
       {},
       {{"Left", "", "", false}},
       false,
       [](const Call& c, State& s, SessionActions& a) { step_snapshot(c, s, a, -1); }},
      snapshot_command(),
      {"play",
       "File",
       "Play the series",
       {on_off()},
       {{"Space", "", "", false}},
       false,
       [](const Call& call, State&, SessionActions& actions) {
         actions.play_snapshots(switched(call, 0, actions.playing()));
       }},
  };
}

std::vector<Command> output_commands() {
  return {
      {"screenshot",
       "File",
       "Write the picture: .png, .exr; bare: without overlays; window: with the panels",
       {file_name(""), choice("STYLE", {"overlays", "bare", "transparent", "window"}, "overlays"),
        text("WIDTHxHEIGHT", "")},
       {{"F12", "", "Write the picture: haloscope-0001.png, …", false},
        {"Ctrl+F12", "\"\" bare", "Write the picture without overlays", false}},
       false,
       screenshot,
       true},
      {"save_state",
       "File",
       "Write all that is on screen as a text file",
       {file_name("")},
       {{"Ctrl+S", "", "Write all that is on screen: haloscope-0001.toml, …", false}},
       false,
       [](const Call& c, State& s, SessionActions& a) {
         const std::string path = text_at(c, 0).empty() ? numbered_file("toml") : text_at(c, 0);
         analysis::require_target(path, analysis::OutputFormat::Toml,
                                  analysis::overwriting_by_word(c.overwrite));
         save_state(s, path);
         a.wrote(path);
       },
       true},
      {"load_state", "File", "Show what such a file holds", {file_name()}, {}, false, load},
      {"copy_view",
       "Edit",
       "Camera and looks as text to the clipboard",
       {},
       {{"Ctrl+C", "", "", false}},
       false,
       [](const Call&, State& s, SessionActions& a) { a.set_clipboard(view_text(s)); }},
      {"paste_view",
       "Edit",
       "Camera and looks from the clipboard",
       {},
       {{"Ctrl+V", "", "", false}},
       false,
       [](const Call&, State& state, SessionActions& actions) {
         const auto from = state.camera;
         state = with_view(state, actions.clipboard());
         if (from && state.camera) actions.glide_from(*from);
       }},
  };
}

// A command that is no step of the history.
Command walking(const std::string& name, const std::string& help,
                std::function<void(const Call&, State&, SessionActions&)> run) {
  Command command{name, "Edit", help, {}, {}, false, std::move(run)};
  command.no_step = true;
  return command;
}

std::vector<Command> history_commands() {
  Command undo =
      walking("undo", "Take the last step back; searches nothing",
              [](const Call&, State& state, SessionActions& actions) { actions.undo(state); });
  undo.bindings = {{"Ctrl+Z", "", "", false}};
  Command redo =
      walking("redo", "Do again what was undone",
              [](const Call&, State& state, SessionActions& actions) { actions.redo(state); });
  redo.bindings = {{"Ctrl+Shift+Z", "", "", false}, {"Ctrl+Y", "", "", false}};
  Command one_step =
      walking("one_step", "What follows until it is off is one step of undo, as a drag is",
              [](const Call& call, State&, SessionActions& actions) {
                actions.one_step(text_at(call, 0) == "on");
              });
  one_step.arguments = {choice("WHEN", {"on", "off"})};
  return {undo, redo, one_step};
}

void tell_of(const Call& call, State& state, SessionActions& actions) {
  Question question{text_at(call, 0), state.shown_finder};
  const bool of_finder = question.what == "structures" || question.what == "piece";
  if (given(call, 1)) question.finder = text_at(call, 1);
  if (given(call, 2)) question.number = std::uint64_t(number_at(call, 2));
  require(call, of_finder || !given(call, 1), question.what + " takes no NAME");
  require(call, question.what == "piece" || !given(call, 2), question.what + " takes no number");
  actions.tell_of(state, question);
}

std::vector<Command> window_commands() {
  return {
      {"size",
       "Window",
       "Size of the window in pixels",
       {whole("WIDTH"), whole("HEIGHT")},
       {},
       false,
       [](const Call& call, State& state, SessionActions& actions) {
         for (const std::size_t k : {0u, 1u})
           require(call, number_at(call, k) >= 1 && number_at(call, k) <= 16384,
                   "both sides must lie between 1 and 16384");
         state.width = int(number_at(call, 0));
         state.height = int(number_at(call, 1));
         actions.resize(state.width, state.height);
       }},
      {"cancel",
       "Program",
       "Stop what was begun last of all that is running, or one job by its name",
       {choice("WHAT",
               {"last", "open", "halos", "find", "export", "count", "profile", "phase", "sets",
                "compare"},
               "last")},
       {{"Escape", "", "Stop what is running", false}},
       false,
       [](const Call& call, State&, SessionActions& actions) {
         const std::string& what = text_at(call, 0);
         if (what == "last") return actions.cancel();
         actions.cancel_job(what == "open"      ? JobKind::Open
                            : what == "find"    ? JobKind::Find
                            : what == "halos"   ? JobKind::Find  // its name in older recordings
                            : what == "export"  ? JobKind::Export
                            : what == "profile" ? JobKind::Profile
                            : what == "phase"   ? JobKind::Phase
                            : what == "sets"    ? JobKind::Sets
                            : what == "compare" ? JobKind::Compare
                                                : JobKind::Count);
       }},
      {"wait",
       "Program",
       "Until all work is done and the picture complete",
       {},
       {},
       false,
       [](const Call&, State&, SessionActions& a) { a.wait(); }},
      {"tell",
       "Program",
       "Tell the program that drives the session (--listen) what is open, seen, found or selected, "
       "or the picture; else the log",
       {choice("WHAT", told_words()),
        {"NAME", ArgumentKind::Finder, {}, {}, ""},
        number_of(Named::Piece, "N", "")},
       {},
       false,
       tell_of},
      {"tell_value",
       "Program",
       "Tell the map's value at a point of the picture: X and Y in widths of the picture from its "
       "middle",
       {number("X"), number("Y")},
       {},
       false,
       [](const Call& call, State& state, SessionActions& actions) {
         actions.tell_of(state, value_question(call));
       }},
      {"quit",
       "Program",
       "End the program",
       {},
       {{"Ctrl+Q", "", "", false}},
       false,
       [](const Call&, State&, SessionActions& a) { a.quit(); }},
  };
}

}  // namespace

const std::vector<std::string>& told_words() {
  static const std::vector<std::string> words{"snapshot",  "camera",  "structures", "piece",
                                              "selection", "picture", "state"};
  return words;
}

Question value_question(const Call& call) {
  Question question{"value", {}};
  question.at = PicturePoint{number_at(call, 0), number_at(call, 1)};
  return question;
}

std::vector<Command> file_commands() {
  std::vector<Command> all = series_commands();
  for (auto part : {output_commands, history_commands})
    for (auto& command : part()) all.push_back(std::move(command));
  return all;
}

std::vector<Command> program_commands() {
  return window_commands();
}

}  // namespace haloscope::app::session
