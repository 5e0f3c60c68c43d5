#include "app/session/command_table.h"

#include "analysis/finder.h"
#include "analysis/snapshot/output_guard.h"
#include "app/session/camera_motion.h"
#include "app/session/command_groups.h"
#include "app/session/command_text.h"
#include "app/session/files_read.h"
#include "core/text_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <system_error>

namespace haloscope::app::session {

namespace {

std::vector<Command> make_table() {
  std::vector<Command> all;
  for (auto part : {file_commands, camera_commands, look_commands, map_commands, finding_commands,
                    comparing_commands, slice_commands, halo_commands, measuring_commands,
                    selection_commands, brushing_commands, set_commands, path_commands,
                    layout_commands, setting_commands, program_commands})
    for (auto& command : part()) all.push_back(std::move(command));
  return all;
}

}  // namespace

const std::vector<Command>& command_table() {
  static const std::vector<Command> table = make_table();
  return table;
}

const Command* find_command(const std::string& name) {
  for (const auto& command : command_table())
    if (command.name == name) return &command;
  return nullptr;
}

double longest_side(const SceneFacts& scene) {
  if (scene.box_size > 0) return scene.box_size;
  double side = 0;
  for (std::size_t c = 0; c < 3; ++c)
    side = std::max(side, scene.bounds.high[c] - scene.bounds.low[c]);
  return side > 0 ? side : 1;
}

double length_at(const Call& call, std::size_t k, const SessionActions& actions) {
  const Length& length = std::get<Length>(call.values.at(k));
  if (!length.percent) return length.value;
  return in_code_units(length, require_scene(call, actions));
}

double in_code_units(const Length& length, const SceneFacts& scene) {
  return length.percent ? length.value / 100 * longest_side(scene) : length.value;
}

namespace {

std::array<int, 2> picture_size(const SceneFacts& scene, const State& state) {
  if (!scene.picture_size) return {state.width, state.height};
  return scene.picture_size(state);
}

}  // namespace

Camera first_camera(const SceneFacts& scene, const State& state) {
  const auto [width, height] = picture_size(scene, state);
  return first_camera(scene.bounds, width, height);
}

Camera fit(const Camera& camera, const SceneFacts& scene, const State& state) {
  const auto [width, height] = picture_size(scene, state);
  return fit(camera, scene.bounds, width, height);
}

SceneFacts require_scene(const Call& call, const SessionActions& actions) {
  SceneFacts scene = actions.scene();
  require(call, scene.open, "no snapshot is open: open FILE first");
  return scene;
}

void require_piece(const Call& call, const State& state, const SessionActions& actions,
                   const std::string& finder, std::uint64_t number) {
  const analysis::FinderWords& words = analysis::require_finder(finder).words();
  require(call, state.finding(finder).searched || actions.piece(finder, 0).has_value(),
          words.how.empty()
              ? fmt::format("no {} have been found here: find {} first", words.pieces, words.name)
              : fmt::format("no {} have been loaded: {} first", words.pieces, words.how));
  if (actions.piece(finder, number)) return;
  const SceneFacts scene = actions.scene();
  const auto count = scene.piece_counts.find(finder);
  require(call, false,
          fmt::format("there is no {} {}{}", words.piece, number,
                      count == scene.piece_counts.end()
                          ? std::string()
                          : fmt::format(": there are {}, from 0 on", count->second)));
}

Camera& require_camera(const Call& call, State& state, const SessionActions& actions) {
  if (!state.camera) state.camera = first_camera(require_scene(call, actions), state);
  return *state.camera;
}

namespace {

// Whatever else may be replaced.
void spare_what_is_read(const Call& call, const State& state, const SessionActions& actions) {
  if (!call.command->writes) return;
  for (std::size_t k = 0; k < call.command->arguments.size(); ++k) {
    if (call.command->arguments[k].named != Named::File) continue;
    // A new file replaces none, and folders need not be looked through.
    std::error_code failed;
    const std::string& path = text_at(call, k);
    if (path.empty() || !std::filesystem::exists(path, failed)) continue;
    const SceneFacts scene = actions.scene();
    if (!scene.recording.empty() && std::filesystem::equivalent(path, scene.recording, failed))
      throw Error("this session is recorded in that file", path, "choose another name");
    analysis::refuse_overwriting({path}, files_read(state, scene));
  }
}

}  // namespace

void run_command(const Call& call, State& state, SessionActions& actions) {
  spare_what_is_read(call, state, actions);
  State next = state;
  call.command->run(call, next, actions);
  state = std::move(next);
}

void run_command(const std::string& text, State& state, SessionActions& actions) {
  run_command(parse_command(text), state, actions);
}

Call as_recorded(const Call& call, const State& state) {
  return call.command->recorded ? parse_command(call.command->recorded(call, state)) : call;
}

std::optional<Call> merged(const Call& first, const Call& second) {
  if (first.command != second.command || !first.command->continuous) return {};
  Call both = first;
  const bool factor = first.command->name == "zoom";
  const std::size_t numbers = factor ? 1 : first.values.size();
  for (std::size_t k = 0; k < first.values.size(); ++k) {
    const double* a = std::get_if<double>(&first.values[k]);
    const double* b = std::get_if<double>(&second.values[k]);
    // Where the step happens must be the same place.
    if (!a || !b || k >= numbers) {
      if (first.values[k] != second.values[k]) return {};
      continue;
    }
    both.values[k] = factor ? *a * *b : *a + *b;
  }
  return both;
}

namespace {

std::string with_type(std::string arguments, const std::string& type) {
  constexpr std::string_view kPlace = "TYPE";
  if (const auto at = arguments.find(kPlace); at != std::string::npos)
    arguments.replace(at, kPlace.size(), type);
  return arguments;
}

}  // namespace

std::optional<std::string> line_for_key(const std::string& key, const std::string& type) {
  const std::string wanted = lower_case(key);
  for (const auto& command : command_table())
    for (const auto& binding : command.bindings)
      if (!binding.mouse && lower_case(binding.key) == wanted)
        return binding.arguments.empty() ? command.name
                                         : command.name + " " + with_type(binding.arguments, type);
  return {};
}

}  // namespace haloscope::app::session
