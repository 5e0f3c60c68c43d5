#pragma once

#include "app/session/command_table.h"
#include "core/error.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

// How the table's parts are written; one function and file per menu.
namespace haloscope::app::session {

std::vector<Command> file_commands();
std::vector<Command> camera_commands();
std::vector<Command> look_commands();
std::vector<Command> finding_commands();
std::vector<Command> comparing_commands();
std::vector<Command> slice_commands();
std::vector<Command> halo_commands();
std::vector<Command> measuring_commands();
std::vector<Command> selection_commands();
std::vector<Command> brushing_commands();
std::vector<Command> set_commands();
std::vector<Command> path_commands();
std::vector<Command> layout_commands();
std::vector<Command> setting_commands();
std::vector<Command> program_commands();
std::vector<Command> map_commands();

// The look "map", as it was chosen last. Throws Error where the snapshot has nothing to show in it.
void show_map(const Call& call, State& state, const SceneFacts& scene);
// One of the fields that a type has, as the snapshot writes it, whatever the case of its letters
// is. Throws Error naming the nearest.
std::string field_called(const Call& call, const std::string& word,
                         const std::vector<std::string>& known);

inline Argument number(std::string name, std::optional<std::string> otherwise = {}) {
  return {std::move(name), ArgumentKind::Number, {}, {}, std::move(otherwise)};
}
inline Argument whole(std::string name, std::optional<std::string> otherwise = {}) {
  return {std::move(name), ArgumentKind::WholeNumber, {}, {}, std::move(otherwise)};
}
inline Argument length(std::string name, std::optional<std::string> otherwise = {}) {
  return {std::move(name), ArgumentKind::Length, {}, {}, std::move(otherwise)};
}
inline Argument text(std::string name, std::optional<std::string> otherwise = {}) {
  return {std::move(name), ArgumentKind::Text, {}, {}, std::move(otherwise)};
}
// A text that is the name of something, or begins with one of the words.
inline Argument name_of(Named what, std::string name, std::optional<std::string> otherwise = {},
                        std::vector<std::string> words = {}) {
  return {std::move(name),
          ArgumentKind::Text,
          {},
          std::move(words),
          std::move(otherwise),
          false,
          false,
          what};
}
inline Argument file_name(std::optional<std::string> otherwise = {}) {
  return name_of(Named::File, "FILE", std::move(otherwise));
}
// The number of something that is there.
inline Argument number_of(Named what, std::string name, std::optional<std::string> otherwise = {}) {
  return {
      std::move(name), ArgumentKind::WholeNumber, {}, {}, std::move(otherwise), false, false, what};
}
inline Argument particle_type(std::optional<std::string> otherwise = {}) {
  return {"TYPE", ArgumentKind::Type, {}, {}, std::move(otherwise)};
}
// A finder that finds pieces.
inline Argument finder_of_pieces() {
  return {"NAME", ArgumentKind::Finder, {}, {}, {}, false, true};
}
// Whose color is meant.
inline Argument colored(std::optional<std::string> otherwise = {}) {
  return {"TYPE|WHAT", ArgumentKind::Colored, {}, {}, std::move(otherwise)};
}
inline Argument choice(std::string name, std::vector<std::string> choices,
                       std::optional<std::string> otherwise = {}) {
  return {std::move(name), ArgumentKind::Choice, {}, std::move(choices), std::move(otherwise)};
}
inline Argument on_off(std::optional<std::string> otherwise = "toggle") {
  return {"on|off", ArgumentKind::OnOff, {}, {}, std::move(otherwise)};
}

inline double number_at(const Call& call, std::size_t k) {
  return std::get<double>(call.values.at(k));
}
inline bool given(const Call& call, std::size_t k) {
  return !std::holds_alternative<std::monostate>(call.values.at(k));
}
inline const std::string& text_at(const Call& call, std::size_t k) {
  return std::get<std::string>(call.values.at(k));
}
inline bool switched(const Call& call, std::size_t k, bool now) {
  const Switch said = std::get<Switch>(call.values.at(k));
  return said == Switch::Toggle ? !now : said == Switch::On;
}

// In code units. Throws Error for percents where nothing is open.
double length_at(const Call& call, std::size_t k, const SessionActions& actions);
double in_code_units(const Length& length, const SceneFacts& scene);
double longest_side(const SceneFacts& scene);
// A camera that sees all in the picture, as large as the window will be.
Camera first_camera(const SceneFacts& scene, const State& state);
Camera fit(const Camera& camera, const SceneFacts& scene, const State& state);

// What `tell_value` asks.
Question value_question(const Call& call);

// Throws Error where no snapshot is open.
SceneFacts require_scene(const Call& call, const SessionActions& actions);
// Throws Error where `finder` has found no piece of that number.
void require_piece(const Call& call, const State& state, const SessionActions& actions,
                   const std::string& finder, std::uint64_t number);
// Throws Error where there is none yet: nothing was open.
Camera& require_camera(const Call& call, State& state, const SessionActions& actions);
inline void require(const Call& call, bool good, const std::string& what) {
  if (!good) throw Error(what, call.command->name);
}

}  // namespace haloscope::app::session
