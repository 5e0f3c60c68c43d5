#include "analysis/snapshot/choose_types.h"
#include "app/session/command_groups.h"
#include "app/session/overlay_names.h"
#include "app/session/shown_look.h"
#include "core/edit_distance.h"
#include "core/text_values.h"
#include "render/colors/palette.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace haloscope::app::session {

namespace {

// The numbers behind a TYPE.
std::vector<int> types_at(const Call& call, std::size_t k, const SessionActions& actions) {
  const std::string& word = text_at(call, k);
  const SceneFacts scene = require_scene(call, actions);
  if (word == "all") return scene.types;
  for (const int type : scene.types)
    if (word == std::to_string(type) || word == type_name(type)) return {type};
  throw Error("the snapshot has no particles of type " + word, call.command->name);
}

// Runs `change` on the state of each type that argument 0 names.
template <class F>
void for_types(const Call& call, State& state, const SessionActions& actions, const F& change) {
  for (const int type : types_at(call, 0, actions)) change(type, state.types[type]);
}

void set_shown(const Call& call, State& state, const SessionActions& actions, bool shown) {
  for_types(call, state, actions, [&](int, TypeState& type) { type.shown = shown; });
}

void show_look(const Call& call, State& state, SessionActions& actions) {
  const SceneFacts scene = require_scene(call, actions);
  if (text_at(call, 0) == kMapWord) return show_map(call, state, scene);
  state.map.shown = false;
  for (const ShownLook& look : kShownLooks) {
    if (look.name != text_at(call, 0)) continue;
    const auto shown = types_in(look, scene.types, scene.hidden_at_first);
    require(call, !shown.empty(),
            fmt::format("the snapshot has no particles for the look {}", look.word));
    show_alone(state, shown, scene.types, scene.hidden_at_first);
  }
}

Command look_command() {
  Command command{"show_look",
                  "Particles",
                  "Draw gas, dark matter or stars alone, or all that is drawn at first, or a map",
                  {choice("NAME", {})},
                  {},
                  false,
                  show_look};
  for (const ShownLook& look : kShownLooks) {
    command.arguments[0].choices.emplace_back(look.name);
    command.bindings.push_back(
        {std::to_string(command.bindings.size() + 1), look.name,
         look.all ? "All types that are drawn at first" : std::string(look.word) + " alone",
         false});
  }
  command.arguments[0].choices.emplace_back(kMapWord);
  command.bindings.push_back({std::to_string(command.bindings.size() + 1), kMapWord,
                              "A map: surface density or the mean of a field, with its bar",
                              false});
  return command;
}

void set_field(const Call& call, State& state, SessionActions& actions) {
  const SceneFacts scene = require_scene(call, actions);
  const auto types = types_at(call, 0, actions);
  for (const int type : types) {
    std::vector<std::string> known;
    for (const auto* fields : {&scene.fields, &scene.colors})
      if (const auto found = fields->find(type); found != fields->end())
        known.insert(known.end(), found->second.begin(), found->second.end());
    TypeState& look = state.types[type];
    const std::string& word = text_at(call, 1);
    look.field = word == "auto" ? std::string() : field_called(call, word, known);
    look.scale.reset();
    look.limits.reset();
  }
}

// A color that commands change: of a type, or of a field that was found.
struct Colored {
  std::string name;  // as commands call it
  ColorChoice& look;
  // The scale that it has where nobody chose one; nothing while its field is being read.
  std::optional<Transform> automatic;

  // On screen.
  std::optional<Transform> scale() const { return look.scale ? look.scale : automatic; }
};

Colored color_of_type(int number, State& state, const SceneFacts& scene) {
  const auto automatic = scene.scales.find(number);
  Colored color{type_name(number), state.types[number], {}};
  if (automatic != scene.scales.end()) color.automatic = automatic->second;
  return color;
}

Colored color_of_finder(const Call& call, const std::string& name, State& state,
                        const SceneFacts& scene) {
  FindingState& finding = state.finding(name);
  require(call, finding.color_particles && !finding.color_field.empty(),
          fmt::format("no field of {0} colors the particles: color_by {0} FIELD first", name));
  Colored color{name, finding.look, {}};
  if (const auto found = scene.finding_fields.find(name); found != scene.finding_fields.end())
    if (const auto field = found->second.find(finding.color_field); field != found->second.end())
      color.automatic = field->second;
  return color;
}

Colored color_of_slice(State& state, const SceneFacts& scene) {
  Colored color{kSliceWord, state.slice.look, {}};
  if (scene.grid) color.automatic = scene.grid->scale;
  return color;
}

// Those that argument k names: particle types, a finder, the slice or the map. While a map is
// shown, there is no other color of particles.
std::vector<Colored> colors_at(const Call& call, State& state, const SessionActions& actions,
                               std::size_t k = 0) {
  const SceneFacts scene = require_scene(call, actions);
  const std::string& word = text_at(call, k);
  if (word == kMapWord || (word == "all" && state.map.shown))
    return {{kMapWord, state.map.color, scene.map_scale}};
  if (word == kSliceWord) return {color_of_slice(state, scene)};
  if (analysis::finder_named(word)) return {color_of_finder(call, word, state, scene)};
  std::vector<Colored> colors;
  for (const int type : types_at(call, k, actions))
    colors.push_back(color_of_type(type, state, scene));
  return colors;
}

void set_color_map(const Call& call, State& state, SessionActions& actions) {
  const std::string& name = text_at(call, 1);
  if (name != "auto") render::find_palette(name);  // throws, naming the nearest
  for (const Colored& color : colors_at(call, state, actions))
    color.look.color_map = name == "auto" ? "" : name;
}

// For the user's eyes: what was said, or all of the snapshot's types.
std::string types_in_words(const std::string& word) {
  return word == "all" ? "all types" : word;
}

// Several types together show the same one.
void next_color_map(const Call& call, State& state, SessionActions& actions) {
  const auto names = render::palette_names();
  const auto colors = colors_at(call, state, actions, 1);
  require(call, !names.empty() && !colors.empty(), "there are no color maps");
  const auto now = std::find(names.begin(), names.end(), colors.front().look.color_map);
  const long count = long(names.size());
  const long steps = std::lround(std::fmod(number_at(call, 0), double(count)));
  long place = now - names.begin() + steps;
  // From a type's own map, the first or last of the list.
  if (now == names.end()) place = steps > 0 ? steps - 1 : count + steps;
  const std::string& name = names[std::size_t(((place % count) + count) % count)];
  for (const Colored& color : colors) color.look.color_map = name;
  actions.announce(fmt::format("Color map of {}: {}", types_in_words(text_at(call, 1)), name));
}

// Limits that have no logarithm are left out of a logarithmic color.
bool limits_fit(std::optional<Transform> scale, const std::optional<Limits>& limits) {
  return scale != Transform::Log || !limits || (*limits)[0] > 0;
}

// An automatic scale may be another one soon, so that the limits are kept.
void tell_limits_wait(const Colored& color, SessionActions& actions) {
  actions.say(
      fmt::format("the automatic scale of {0} is a logarithm, which {1:g} has not: its limits "
                  "wait for another scale (scale {0} linear)",
                  color.name, (*color.look.limits)[0]));
}

void set_scale(const Call& call, State& state, SessionActions& actions) {
  const std::string& word = text_at(call, 1);
  std::string toggled;
  for (const Colored& color : colors_at(call, state, actions)) {
    std::optional<Transform> scale;
    if (word == "linear") scale = Transform::Linear;
    if (word == "log") scale = Transform::Log;
    if (word == "asinh") scale = Transform::Asinh;
    if (word == "toggle")
      scale = color.scale() == Transform::Log ? Transform::Linear : Transform::Log;
    if (!limits_fit(scale, color.look.limits))
      throw Error(
          fmt::format("the limits of {} begin at {:g}, which has no logarithm", color.name,
                      (*color.look.limits)[0]),
          call.command->name,
          fmt::format("choose others above 0 first: limits {0} LOW HIGH, or auto_limits {0}",
                      color.name));
    color.look.scale = scale;
    if (word == "toggle")
      toggled += fmt::format("{} {}", toggled.empty() ? "Scale of" : ", of", color.name) +
                 (scale == Transform::Log ? ": logarithmic" : ": linear");
    if (!limits_fit(color.scale(), color.look.limits)) tell_limits_wait(color, actions);
  }
  if (!toggled.empty()) actions.announce(toggled);
}

void auto_limits(const Call& call, State& state, SessionActions& actions) {
  for (const Colored& color : colors_at(call, state, actions)) color.look.limits.reset();
  actions.announce(fmt::format("Limits of {} from the data", types_in_words(text_at(call, 0))));
}

void set_limits(const Call& call, State& state, SessionActions& actions) {
  const Limits limits{number_at(call, 1), number_at(call, 2)};
  require(call, limits[0] < limits[1],
          fmt::format("the lower limit of {} must be smaller than the upper one, but {:g} is not "
                      "smaller than {:g}",
                      types_in_words(text_at(call, 0)), limits[0], limits[1]));
  for (const Colored& color : colors_at(call, state, actions)) {
    if (!limits_fit(color.look.scale, limits))
      throw Error(fmt::format("the color of {} is logarithmic, and {:g} has no logarithm",
                              color.name, limits[0]),
                  call.command->name,
                  fmt::format("choose limits above 0, or another scale first: scale {} linear",
                              color.name));
    color.look.limits = limits;
    if (!limits_fit(color.scale(), limits)) tell_limits_wait(color, actions);
  }
}

std::vector<Command> type_commands() {
  return {
      look_command(),
      {"show",
       "Particles",
       "Draw a particle type",
       {particle_type()},
       {},
       false,
       [](const Call& c, State& s, SessionActions& a) { set_shown(c, s, a, true); }},
      {"hide",
       "Particles",
       "Leave a particle type out",
       {particle_type()},
       {},
       false,
       [](const Call& c, State& s, SessionActions& a) { set_shown(c, s, a, false); }},
      {"brightness",
       "Particles",
       "Brightness of a type beside the others",
       {particle_type(), number("FACTOR")},
       {},
       false,
       [](const Call& call, State& state, SessionActions& actions) {
         const double factor = number_at(call, 1);
         require(call, factor >= 0 && factor <= 1e30, "FACTOR must not be negative");
         for_types(call, state, actions, [&](int, TypeState& t) { t.brightness = factor; });
       }},
      {"smoothing",
       "Particles",
       "Factor on a type's smoothing lengths",
       {particle_type(), number("FACTOR")},
       {},
       false,
       [](const Call& call, State& state, SessionActions& actions) {
         const double factor = number_at(call, 1);
         require(call, factor > 0, "FACTOR must be greater than 0");
         for_types(call, state, actions, [&](int, TypeState& t) { t.smoothing = factor; });
       }},
  };
}

std::vector<Command> color_commands() {
  return {
      {"field",
       "Particles",
       "Color a type by a field; auto: the program's choice",
       {particle_type(), name_of(Named::Field, "FIELD", {}, {"auto"})},
       {},
       false,
       set_field},
      {"color_map",
       "Particles",
       "Color map of a type, of what WHAT found, of the slice or the map, or a file; auto: its own",
       {colored(), name_of(Named::ColorMap, "NAME", {}, {"auto"})},
       {},
       false,
       set_color_map},
      {"next_color_map",
       "Particles",
       "The next color map of the list",
       {number("STEPS", "1"), colored("all")},
       {{"M", "1 TYPE", "The next color map of the type under the mouse, or unfolded", false},
        {"Shift+M", "-1 TYPE", "The color map before", false},
        {"Alt+M", "1 all", "The next color map, of all types", false},
        {"Alt+Shift+M", "-1 all", "The color map before, of all types", false}},
       false,
       next_color_map},
      {"scale",
       "Particles",
       "How a color follows its field, stored or found",
       {colored("all"), choice("SCALE", {"linear", "log", "asinh", "auto", "toggle"}, "toggle")},
       {{"L", "TYPE toggle", "Logarithmic or linear color of the type under the mouse, or unfolded",
         false},
        {"Alt+L", "all toggle", "Logarithmic or linear color, of all types", false}},
       false,
       set_scale},
      {"limits",
       "Particles",
       "Limits of a type's color, in the field's own units",
       {colored(), number("LOW"), number("HIGH")},
       {},
       false,
       set_limits},
      {"auto_limits",
       "Particles",
       "Limits of the color from the data",
       {colored("all")},
       {{"R", "TYPE", "Limits from the data, of the type under the mouse, or unfolded", false},
        {"Alt+R", "all", "Limits from the data, of all types", false}},
       false,
       auto_limits},
  };
}

void set_overlay(const Call& call, State& state, SessionActions&) {
  const std::string& name = text_at(call, 0);
  show_overlay(state.overlays, name, switched(call, 1, is_shown(state.overlays, name)));
}

std::vector<std::string> overlay_choices() {
  std::vector<std::string> names = overlay_names();
  names.push_back("halos");
  return names;
}

std::vector<Command> picture_commands() {
  return {
      {"exposure",
       "Picture",
       "Brighter by 2^EV after the automatic exposure",
       {number("EV")},
       {},
       false,
       [](const Call& call, State& state, SessionActions&) {
         const double ev = number_at(call, 0);
         require(call, std::abs(ev) <= 100, "EV must lie between -100 and 100");
         state.tone.exposure_ev = ev;
       }},
      {"tone",
       "Picture",
       "Fix the tone curve; without numbers: chosen from the picture",
       {number("SOFTENING", ""), number("WHITE", "")},
       {},
       false,
       [](const Call& call, State& state, SessionActions&) {
         require(call, given(call, 0) == given(call, 1), "SOFTENING and WHITE belong together");
         state.tone.softening.reset();
         state.tone.white.reset();
         if (!given(call, 0)) return;
         require(call, number_at(call, 0) > 0 && number_at(call, 1) > 0,
                 "both numbers must be greater than 0");
         state.tone.softening = number_at(call, 0);
         state.tone.white = number_at(call, 1);
       }},
      {"gamma",
       "Picture",
       "Display values to this power: above 1 darker; .exr files stay linear light",
       {number("POWER")},
       {},
       false,
       [](const Call& call, State& state, SessionActions&) {
         const double power = number_at(call, 0);
         require(call, power >= 0.01 && power <= 100, "POWER must lie between 0.01 and 100");
         state.tone.gamma = power;
       }},
      {"ground",
       "Picture",
       "White for print: the lightness of light is turned over, and maps stand on white; or dark",
       {choice("GROUND", {"dark", "white", "toggle"}, "toggle")},
       {},
       false,
       [](const Call& call, State& state, SessionActions&) {
         const std::string& word = text_at(call, 0);
         state.tone.white_ground = word == "toggle" ? !state.tone.white_ground : word == "white";
       }},
      {"letter_size",
       "Picture",
       "Factor on the letters and lines of overlays",
       {number("FACTOR")},
       {},
       false,
       [](const Call& call, State& state, SessionActions&) {
         const double factor = number_at(call, 0);
         require(
             call, factor >= kSmallestLetters && factor <= kLargestLetters,
             fmt::format("FACTOR must lie between {} and {}", kSmallestLetters, kLargestLetters));
         state.overlays.letters = factor;
       }},
      {"overlay",
       "Picture",
       "What is drawn over the picture",
       {choice("NAME", overlay_choices()), on_off()},
       {},
       false,
       set_overlay},
  };
}

}  // namespace

std::vector<Command> look_commands() {
  std::vector<Command> all;
  for (auto part : {type_commands(), color_commands(), picture_commands()})
    all.insert(all.end(), part.begin(), part.end());
  return all;
}

}  // namespace haloscope::app::session
