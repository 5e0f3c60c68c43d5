#include "app/session/state_file.h"

#include "app/session/state_fields.h"
#include "app/session/toml_reader.h"
#include "app/session/toml_writer.h"
#include "core/atomic_file.h"
#include "core/error.h"
#include "core/input_file.h"

#include <algorithm>
#include <exception>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace haloscope::app::session {

namespace {

constexpr std::int64_t kVersion = 1;

toml::table parse_table(const std::string& text, const std::string& where) {
  try {
    return toml::parse(text, where);
  } catch (const toml::parse_error& error) {
    throw BadFile(std::string(error.description()),
                  fmt::format("{}:{}", where, error.source().begin.line),
                  "mend that line, or save the state anew");
  }
}

void require_version(TomlReader& reader, const toml::table& table, const char* name,
                     const std::string& where) {
  reader.know(name);
  const auto version = table[name].value<std::int64_t>();
  if (!version)
    throw BadFile(fmt::format("there is no '{} = {}' in it", name, kVersion), where,
                  "it is no saved state");
  if (*version < 1 || *version > kVersion)
    throw BadFile(fmt::format("its {} is {}; this program knows {}", name, *version, kVersion),
                  where, "open it with the program that wrote it");
}

// What single values cannot say.
void check_whole(const State& state, const TomlReader& reader) {
  if (state.current > 0 && state.current >= state.snapshots.size())
    reader.fail("current", "is beyond the last snapshot");
  if (state.selection.made_in > 0 && state.selection.made_in >= state.snapshots.size())
    reader.fail("selection.made_in", "is beyond the last snapshot");
  try {
    analysis::check_sets(state.sets);
  } catch (const Error& error) {
    reader.fail("set", fmt::format("cannot be: {}", error.what()));
  }
  if (!state.follow.empty() && !analysis::find_set(state.sets, state.follow))
    reader.fail("follow", "names no set");
  analysis::each_selection(state.sets, [&](const SelectionState& selection) {
    if (selection.made_in > 0 && selection.made_in >= state.snapshots.size())
      reader.fail("set", "was made beyond the last snapshot");
  });
  for (std::size_t k = 1; k < state.path.size(); ++k)
    if (!(state.path[k].seconds > state.path[k - 1].seconds))
      reader.fail("key", fmt::format("number {} is not later than the one before it", k + 1));
}

}  // namespace

std::string state_text(const State& state) {
  TomlWriter writer;
  writer.line("# What was on screen. Written by haloscope; `load_state` reads it.");
  writer.line(fmt::format("version = {}", kVersion));
  State copy = state;
  visit(writer, copy);
  return writer.text();
}

ReadState parse_state(const std::string& text, const std::string& where) {
  const toml::table table = parse_table(text, where);
  ReadState read;
  TomlReader reader(table, where, read.warnings);
  require_version(reader, table, "version", where);
  visit(reader, read.state);
  reader.finish();
  check_whole(read.state, reader);
  return read;
}

void save_state(const State& state, const std::string& path) {
  const std::string text = state_text(state);
  AtomicFile file(path);
  file.write(text.data(), text.size());
  file.commit();
}

ReadState load_state(const std::string& path) {
  std::ifstream file = open_input(path, "state");
  std::ostringstream text;
  text << file.rdbuf();
  if (file.bad() || text.fail()) throw Error("it cannot be read", path);
  return parse_state(text.str(), path);
}

bool is_state_file(const std::string& path) {
  try {
    load_state(path);
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

std::string view_text(const State& state) {
  TomlWriter writer;
  writer.line(fmt::format("haloscope_view = {}", kVersion));
  State copy = state;
  visit_view(writer, copy);
  return writer.text();
}

State with_view(const State& state, const std::string& text) {
  toml::table table;
  try {
    table = toml::parse(text);
  } catch (const toml::parse_error&) {
    table.clear();
  }
  if (!table.contains("haloscope_view"))
    throw Error("there is no view of haloscope in the clipboard", {}, "copy one with Ctrl+C");
  State next = state;
  next.camera.reset();
  next.types.clear();
  next.tone = {};
  next.map = {};
  std::vector<std::string> warnings;
  TomlReader reader(table, "clipboard", warnings);
  require_version(reader, table, "haloscope_view", "clipboard");
  visit_view(reader, next);
  return next;
}

}  // namespace haloscope::app::session
