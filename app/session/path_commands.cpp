#include "analysis/snapshot/output_guard.h"
#include "app/session/command_groups.h"
#include "app/session/path_exchange.h"
#include "app/session/path_moments.h"
#include "core/atomic_file.h"
#include "core/text_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace haloscope::app::session {

namespace {

// A path has one pair of limits: where one type is shown, those that were typed for it.
std::optional<Limits> keyed_limits(const State& state, const SceneFacts& scene) {
  const auto type = type_of_limits(state, scene);
  return type ? state.type(*type).limits : std::nullopt;
}

// Keys are numbered from 1, as the timeline shows them.
std::size_t key_at(const Call& call, std::size_t k, const State& state) {
  const double number = number_at(call, k);
  require(call, number >= 1 && number <= double(state.path.size()),
          state.path.empty() ? "the path has no keys"
                             : "KEY must lie between 1 and " + std::to_string(state.path.size()));
  return std::size_t(number) - 1;
}

// Puts the key at its time, in place of one that is there: the number of that one, from 1.
std::optional<std::size_t> insert(State& state, const KeyState& key) {
  auto& path = state.path;
  const auto place =
      std::lower_bound(path.begin(), path.end(), key.seconds,
                       [](const KeyState& k, double seconds) { return k.seconds < seconds; });
  const auto number = std::size_t(place - path.begin()) + 1;
  if (place == path.end() || place->seconds != key.seconds) {
    path.insert(place, key);
    return {};
  }
  *place = key;
  return number;
}

// Of a key. A preview of a longer path would last as long as the session.
double require_seconds(const Call& call, double seconds) {
  constexpr double kLongest = 1e6;
  require(call, seconds >= 0 && seconds <= kLongest, "SECONDS must lie between 0 and 1e6");
  return seconds;
}

void add_key(const Call& call, State& state, SessionActions& actions) {
  KeyState key;
  key.camera = require_camera(call, state, actions);
  const double next = state.path.empty() ? 0 : state.path.back().seconds + 1;
  key.seconds = require_seconds(call, given(call, 0) ? number_at(call, 0) : next);
  key.exposure_ev = state.tone.exposure_ev;
  key.limits = keyed_limits(state, actions.scene());
  key.snapshot = double(state.current);
  if (const auto replaced = insert(state, key))
    actions.announce(
        fmt::format("key {} at {:g} s was replaced by this camera", *replaced, key.seconds));
}

void move_key(const Call& call, State& state, SessionActions&) {
  const std::size_t place = key_at(call, 0, state);
  KeyState key = state.path[place];
  key.seconds = require_seconds(call, number_at(call, 1));
  state.path.erase(state.path.begin() + std::ptrdiff_t(place));
  for (const auto& other : state.path)
    require(call, other.seconds != key.seconds, "another key is at that time");
  insert(state, key);
}

// As a film does: the camera goes along with the set that is followed.
void show_on_path(const KeyState& moment, const SceneFacts& scene, State& state,
                  SessionActions& actions) {
  show_moment(moment, scene, state);
  if (const auto middle = actions.followed_middle()) state.camera->center = *middle;
  actions.set_play_head(moment.seconds);
}

void export_frames(const Call& call, State& state, SessionActions& actions) {
  require(call, state.path.size() >= 2, "a film needs two keys or more: add_key");
  FilmRequest film;
  film.path = text_at(call, 0);
  film.fps = number_at(call, 1);
  require(call, film.fps > 0 && film.fps <= 1000, "FPS must lie between 0 and 1000");
  if (given(call, 2)) film.frames = std::uint64_t(number_at(call, 2));
  if (!text_at(call, 3).empty()) {
    const PixelSize size = parse_size(call.command->name, text_at(call, 3));
    film.width = size.width;
    film.height = size.height;
  }
  film.overlays = switched(call, 4, true);
  film.overwrite = call.overwrite;
  actions.export_frames(state, film);
}

void save_path(const Call& call, State& state, SessionActions& actions) {
  require(call, !state.path.empty(), "the path has no keys");
  const std::string toml = render::path_as_toml(to_path_file(state.path));
  analysis::require_target(text_at(call, 0), analysis::OutputFormat::Toml,
                           analysis::overwriting_by_word(call.overwrite));
  AtomicFile file(text_at(call, 0));
  file.write(toml.data(), toml.size());
  file.commit();
  actions.wrote(text_at(call, 0));
}

void load_path(const Call& call, State& state, SessionActions& actions) {
  KeyState first;
  first.camera = require_camera(call, state, actions);
  first.exposure_ev = state.tone.exposure_ev;
  state.path = from_path_file(render::read_path(text_at(call, 0)), first);
}

}  // namespace

std::vector<Command> path_commands() {
  return {
      {"save_path",
       "Path",
       "Write the path as a text file",
       {file_name()},
       {},
       false,
       save_path,
       true},
      {"load_path",
       "Path",
       "Read such a file, or a Splotch scene",
       {file_name()},
       {},
       false,
       load_path},
      {"add_key",
       "Path",
       "Add this camera to the path; without a time one second after the last",
       {number("SECONDS", "")},
       {{"K", "", "", false}},
       false,
       add_key},
      {"move_key",
       "Path",
       "Give a key another time",
       {number_of(Named::Key, "KEY"), number("SECONDS")},
       {},
       false,
       move_key},
      {"delete_key",
       "Path",
       "Remove a key",
       {number_of(Named::Key, "KEY")},
       {},
       false,
       [](const Call& call, State& state, SessionActions&) {
         state.path.erase(state.path.begin() + std::ptrdiff_t(key_at(call, 0, state)));
       }},
      {"go_to_key",
       "Path",
       "Show the camera, exposure and limits of a key; the snapshot stays",
       {number_of(Named::Key, "KEY")},
       {},
       false,
       [](const Call& call, State& state, SessionActions& actions) {
         const KeyState key = state.path[key_at(call, 0, state)];
         const auto from = state.camera;
         show_on_path(key, actions.scene(), state, actions);
         if (from) actions.glide_from(*from);
       }},
      {"go_to_time",
       "Path",
       "Show what the path shows at a time; the snapshot stays",
       {number("SECONDS")},
       {},
       false,
       [](const Call& call, State& state, SessionActions& actions) {
         require(call, !state.path.empty(), "the path has no keys");
         const SceneFacts scene = actions.scene();
         const double seconds =
             std::clamp(number_at(call, 0), state.path.front().seconds, state.path.back().seconds);
         show_on_path(PathMoments(state, scene).at(seconds), scene, state, actions);
       }},
      {"clear_path",
       "Path",
       "Remove all keys",
       {},
       {},
       false,
       [](const Call&, State& state, SessionActions&) { state.path.clear(); }},
      {"preview_path",
       "Path",
       "Play the path in the window",
       {},
       {{"P", "", "", false}},
       false,
       [](const Call& call, State& state, SessionActions& actions) {
         require(call, state.path.size() >= 2, "a path needs two keys or more: add_key");
         actions.preview_path(state);
       }},
      {"export_frames",
       "Path",
       "Write the film: frames/%05d.png, or film.mp4",
       {file_name(), number("FPS", "30"), whole("FRAMES", ""), text("WIDTHxHEIGHT", ""),
        on_off("on")},
       {},
       false,
       export_frames,
       true},
  };
}

}  // namespace haloscope::app::session
