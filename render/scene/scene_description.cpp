#include "render/scene/scene_description.h"

#include "render/scene/choose_looks.h"
#include "render/scene/prepare_particles.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace haloscope::render {

namespace {

namespace splotch = compute::splotch;
using splotch::Mode;

nlohmann::json describe_colors(const DescribedScene& scene) {
  nlohmann::json colors = nlohmann::json::object();
  if (scene.request.mode == Mode::Map || scene.request.map.shown) return colors;
  static const char* const kTransforms[] = {"lin", "log", "asinh"};
  const auto& names = scene.loaded.names();
  for (std::size_t k = 0; k < names.size(); ++k) {
    const TypeLook& look = scene.looks.looks[k];
    if (look.color.empty()) continue;
    const auto& range = scene.looks.appearances[k].color;
    colors[names[k]] = {{"field", look.color},
                        {"transform", kTransforms[int(range.transform)]},
                        {"range",
                         {in_field_units(range.transform, double(range.low)),
                          in_field_units(range.transform, double(range.high))}},
                        {"transformed_range", {range.low, range.high}}};
  }
  return colors;
}

// Palettes and brightness.
void describe_light(const DescribedScene& scene, nlohmann::json& json) {
  const RenderRequest& request = scene.request;
  if (request.mode == Mode::Map) {
    json["palette"] = request.palette.empty() ? "viridis" : request.palette;
    return;
  }
  nlohmann::json palettes = nlohmann::json::object(), brightness = palettes;
  const auto& names = scene.loaded.names();
  for (std::size_t k = 0; k < names.size(); ++k) {
    const TypeLook& look = scene.looks.looks[k];
    const bool chosen =
        !request.palette.empty() && (!request.color || look.color == request.color->field);
    palettes[names[k]] = chosen ? request.palette : "default";
    if (request.mode == Mode::Classic && request.brightness.empty())
      brightness[names[k]] = "automatic";
    else
      brightness[names[k]] = look.asked_brightness;
  }
  json["brightness"] = brightness;
  json["palette"] = palettes;
}

void describe_choices(const DescribedScene& scene, nlohmann::json& json) {
  const auto& types = scene.loaded.types();
  for (std::size_t k = 0; k < types.size(); ++k) {
    const auto found = scene.request.choices.find(types[k]);
    if (found == scene.request.choices.end()) continue;
    const TypeChoice& choice = found->second;
    nlohmann::json& described = json["choices"][scene.loaded.names()[k]];
    described = {{"shown", is_shown(choice)},
                 {"brightness", choice.brightness},
                 {"smoothing", choice.smoothing}};
    if (!choice.color_map.empty()) described["color_map"] = choice.color_map;
  }
}

std::string particles_and_color(const DescribedScene& scene, std::size_t k) {
  static const char* const kTransforms[] = {"", "log ", "asinh "};
  const LoadedParticles& loaded = scene.loaded;
  std::string line = fmt::format("{}: {} particles", loaded.names()[k], loaded.counts()[k]);
  const TypeLook& look = scene.looks.looks[k];
  if (look.color.empty() || scene.request.mode == Mode::Map || scene.request.map.shown) return line;
  const auto& range = scene.looks.appearances[k].color;
  return line + fmt::format(", color {}{} {:.4g} … {:.4g}", kTransforms[int(range.transform)],
                            look.color, in_field_units(range.transform, double(range.low)),
                            in_field_units(range.transform, double(range.high)));
}

// How lengths were come by that the file lacks. Particles at one point have none of either kind and
// get the smallest.
void tell_lengths(const DescribedScene& scene, std::vector<std::string>& lines) {
  const LoadedParticles& loaded = scene.loaded;
  const auto& lengths = loaded.lengths();
  for (std::size_t k = 0; k < loaded.types().size(); ++k) {
    const std::string end =
        is_compact(look_of(scene.info, loaded.types()[k])) ? ", and kept short." : ".";
    if (lengths.has(k))
      lines.push_back("assumed: " + lengths.sentence(k) + end);
    else if (!lengths.sentence(k).empty())
      lines.push_back(lengths.sentence(k));
    if (loaded.estimated()[k] > 0)
      lines.push_back(fmt::format(
          "assumed: {} of {} {} particles have no smoothing length in the file: it was estimated "
          "from the local spacing in Morton order{}",
          loaded.estimated()[k], loaded.counts()[k], loaded.names()[k], end));
  }
}

}  // namespace

nlohmann::json describe(const DescribedScene& scene, const splotch::View& view) {
  const RenderRequest& request = scene.request;
  nlohmann::json json = {{"snapshot", request.snapshot},
                         {"types", scene.loaded.names()},
                         {"size", {view.width, view.height}},
                         {"eye", view.eye},
                         {"target", view.target},
                         {"up", view.up},
                         {"mode", request.mode == Mode::Map       ? "map"
                                  : request.mode == Mode::Classic ? "classic"
                                                                  : "default"}};
  if (view.perspective)
    json["fov"] = view.fov_degrees;
  else
    json["ortho"] = view.ortho_width;
  json["color"] = describe_colors(scene);
  json["exposure"] = request.exposure_ev.value_or(0);
  // Frames of before it was exported have none, and had 1.
  if (const double gamma = request.gamma.value_or(1); gamma != 1) json["gamma"] = gamma;
  if (request.white_ground.value_or(false)) json["ground"] = "white";
  json["smooth"] = request.smooth;
  describe_light(scene, json);
  describe_choices(scene, json);
  return json;
}

std::vector<std::string> sentences(const DescribedScene& scene) {
  std::vector<std::string> lines;
  for (std::size_t k = 0; k < scene.loaded.names().size(); ++k)
    lines.push_back(particles_and_color(scene, k));
  for (const auto& one : scene.info.assumed) lines.push_back("assumed: " + one.sentence);
  for (const auto& sentence : scene.loaded.particles().assumed)
    lines.push_back("assumed: " + sentence);
  tell_lengths(scene, lines);
  return lines;
}

}  // namespace haloscope::render
