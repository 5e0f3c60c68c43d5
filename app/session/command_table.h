#pragma once

#include "app/session/session_actions.h"
#include "app/session/state.h"

#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

// The one table of commands. Menus, keys, the palette, --run files, recordings, the key sheet and
// docs/commands.md all come from it.
namespace haloscope::app::session {

enum class ArgumentKind {
  Number,
  WholeNumber,  // from 0 on
  Length,       // code units, or percent of the box's (else the scene's) longest side: "5%"
  Text,         // in "…" where it holds blanks
  Choice,       // one of `choices`
  OnOff,        // on, off, toggle
  Finder,       // the name of one, or one of `choices`
  Type,         // of particles: gas, dm, …, a number, or all
  Colored       // a type, a finder of which a field colors the particles, kSliceWord or kMapWord
};

// What a text is the name of, so that a line can be completed by what there is.
enum class Named {
  Nothing,
  File,
  Field,  // of the particles, or of what a finder has found
  ColorMap,
  Color,  // of a set
  Set,
  Bookmark,
  Plot,
  Option,   // KEY=VALUE of a finder, of `profile` or `phase`
  Piece,    // its number
  Key,      // of the path, its number
  Snapshot  // of the series, its number
};

struct Argument {
  std::string name;
  ArgumentKind kind = ArgumentKind::Number;
  std::string help;
  std::vector<std::string> choices;      // of a text: what it may begin with
  std::optional<std::string> otherwise;  // as typed, where it is left out; none: required
  bool many = false;                     // the last one: one or more
  bool of_pieces = false;                // a finder: those without pieces are not offered
  Named named = Named::Nothing;
};

struct Length {
  double value = 0;
  bool percent = false;
  bool operator==(const Length&) const = default;
};

enum class Switch { Off, On, Toggle };

// Text, Choice and Type are strings. An empty `otherwise` of a number or length is left out:
// std::monostate.
using Value = std::variant<std::monostate, double, Length, std::string, Switch>;

struct Command;

// A command with its arguments, one value per argument (`many`: more).
struct Call {
  const Command* command = nullptr;
  std::vector<Value> values;
  bool overwrite = false;  // said at the end, where the command writes a file

  bool operator==(const Call&) const = default;
};

// A key or mouse gesture, and the arguments that it gives ("" for gestures, which bring their own).
struct Binding {
  std::string key;        // "Ctrl+C", "Shift+M", "F12", "left drag"
  std::string arguments;  // the word TYPE: the particle type that the user has chosen
  std::string help;       // for the key sheet; empty: the command's
  bool mouse = false;
};

struct Command {
  std::string name;
  std::string group;  // menu
  std::string help;   // one line
  std::vector<Argument> arguments;
  std::vector<Binding> bindings;
  // Small steps of one motion: two in one frame are one.
  bool continuous = false;
  std::function<void(const Call&, State&, SessionActions&)> run;
  // Writes a file: the word `overwrite` at the end lets it replace a file of others.
  bool writes = false;
  // The line that a recording keeps of a call once it ran; none: the call as it was given. For
  // commands whose defaults may be others one day, or depend on the snapshot.
  std::function<std::string(const Call&, const State&)> recorded = {};
  // Walks through the steps of the history, and is none itself.
  bool no_step = false;
  // Its step goes back to the snapshot that was shown; those of others leave that as it is.
  bool shows_snapshot = false;
};

const std::vector<Command>& command_table();
const Command* find_command(const std::string& name);  // null: none

// "orbit 10 -5" → a call. Throws Error, one sentence: an unknown command with the nearest name, an
// argument that is missing, too many or of the wrong kind with what it should be.
Call parse_command(const std::string& text);

// The text that parses to the same call, to the bit.
std::string to_text(const Call& call);

// Does it. Throws Error and then leaves the state as it was.
void run_command(const Call& call, State& state, SessionActions& actions);
void run_command(const std::string& text, State& state, SessionActions& actions);

// What a recording keeps of a call that has just made this state.
Call as_recorded(const Call& call, const State& state);

// A step of a motion together with the next one; nothing when they are not of one motion.
std::optional<Call> merged(const Call& first, const Call& second);

// The command line behind a key such as "Ctrl+C", where the user has chosen that type of particles;
// nothing: the key is free.
std::optional<std::string> line_for_key(const std::string& key, const std::string& type = "all");

struct KeySheetRow {
  std::string group, key, command, help;
};
std::vector<KeySheetRow> key_sheet();

// "orbit YAW PITCH"
std::string usage(const Command& command);

// The table for docs/commands.md, in Markdown.
std::string command_reference();

}  // namespace haloscope::app::session
