#include "analysis/snapshot/match_field.h"
#include "app/session/command_groups.h"
#include "core/edit_distance.h"
#include "core/particles.h"
#include "core/text_values.h"
#include "io/loading/derived_fields.h"

#include <fmt/format.h>

#include <algorithm>

// The map in place of light.
namespace haloscope::app::session {

namespace {

constexpr const char* kSurfaceDensity = "surface_density";
constexpr const char* kVoronoi = "voronoi";

bool has_type(const SceneFacts& scene, int type) {
  return std::find(scene.types.begin(), scene.types.end(), type) != scene.types.end();
}

// The type that argument 0 names; none: all.
std::optional<int> mapped_type(const Call& call, const SceneFacts& scene) {
  const std::string& word = text_at(call, 0);
  if (word == "all") return {};
  for (const int type : scene.types)
    if (word == std::to_string(type) || word == type_name(type)) return type;
  throw Error("the snapshot has no particles of type " + word, call.command->name);
}

// "velocities[2]": one component of a field of several.
std::string component_called(const Call& call, const std::string& word, int type,
                             const SnapshotInfo& info) {
  try {
    const std::string field = analysis::match_field(info, {type}, word);
    io::plan_field(info, type, field);  // throws for a component that is not there
    return field;
  } catch (const Error& error) {
    throw Error(error.what(), call.command->name);
  }
}

std::string mapped_field(const Call& call, const std::optional<int>& type,
                         const SceneFacts& scene) {
  const std::string& word = text_at(call, 1);
  if (word == kSurfaceDensity) return {};
  require(call, type.has_value(),
          fmt::format("a mean is that of one type of particles: name it, as in map gas {}", word));
  require(call, lower_case(word) != lower_case(kLocalDensity),
          std::string(kLocalDensity) +
              " is made while a picture is drawn and has no mean: choose "
              "another field");
  if (word.ends_with(']') && scene.info) return component_called(call, word, *type, *scene.info);
  const auto fields = scene.fields.find(*type);
  return field_called(call, word,
                      fields == scene.fields.end() ? std::vector<std::string>{} : fields->second);
}

void choose_map(const Call& call, State& state, SessionActions& actions) {
  const SceneFacts scene = require_scene(call, actions);
  render::MapLook map = state.map;
  map.type = mapped_type(call, scene);
  map.field = mapped_field(call, map.type, scene);
  map.cells = text_at(call, 2) == kVoronoi;
  require(call, !map.cells || map.type == 0,
          "cells are those of gas: map gas surface_density voronoi");
  map.shown = true;
  // Limits are those of a quantity; its color map may well be that of another.
  if (map.type != state.map.type || map.field != state.map.field) {
    map.color.limits.reset();
    map.color.scale.reset();
  }
  state.map = map;
}

}  // namespace

std::string field_called(const Call& call, const std::string& word,
                         const std::vector<std::string>& known) {
  for (const auto& name : known)
    if (name == word) return name;
  for (const auto& name : known)
    if (lower_case(name) == lower_case(word)) return name;
  const auto nearest = nearest_word(word, known);
  throw Error(
      "there is no field '" + word + "'", call.command->name,
      nearest ? "did you mean '" + *nearest + "'?" : "the inspector's page Look lists them");
}

void show_map(const Call& call, State& state, const SceneFacts& scene) {
  require(call, !scene.types.empty(), "the snapshot has no particles to make a map of");
  require(call, !state.map.type || has_type(scene, *state.map.type),
          fmt::format("the snapshot has no particles of the map's type, {}: choose another one "
                      "(map TYPE)",
                      state.map.type.value_or(0)));
  state.map.shown = true;
}

std::vector<Command> map_commands() {
  return {
      {"map",
       "Particles",
       "Show a map in place of light: the surface density of TYPE, or the mean of FIELD in it, "
       "weighted by mass; of a moving mesh's gas by its cells (voronoi), where the view is "
       "parallel",
       {particle_type("all"), text("FIELD", kSurfaceDensity),
        choice("kernels|voronoi", {"kernels", kVoronoi}, "kernels")},
       {},
       false,
       choose_map},
  };
}

}  // namespace haloscope::app::session
