#include "render/scene/prepare_particles.h"
#include "render/scene/snapshot_scene.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>

namespace haloscope::render {

namespace splotch = compute::splotch;
using splotch::Mode;

// A limit of the color scale of type k as the field has it.
double SnapshotScene::in_field_units(std::size_t k, double limit) const {
  switch (plan_.looks[k].transform) {
    case splotch::Transform::Log:
      return std::pow(10.0, limit);
    case splotch::Transform::Asinh:
      return std::sinh(limit);
    default:
      return limit;
  }
}

nlohmann::json SnapshotScene::describe(const splotch::View& view) const {
  nlohmann::json scene = {{"snapshot", request_.snapshot},
                          {"types", names_},
                          {"size", {view.width, view.height}},
                          {"eye", view.eye},
                          {"target", view.target},
                          {"up", view.up},
                          {"mode", map_                             ? "map"
                                   : request_.mode == Mode::Classic ? "classic"
                                                                    : "default"}};
  if (view.perspective)
    scene["fov"] = view.fov_degrees;
  else
    scene["ortho"] = view.ortho_width;
  scene["color"] = describe_colors();
  scene["exposure"] = request_.exposure_ev.value_or(0);
  // Frames of before it was exported have none, and had 1.
  if (const double gamma = request_.gamma.value_or(1); gamma != 1) scene["gamma"] = gamma;
  scene["smooth"] = request_.smooth;
  describe_light(scene);
  describe_choices(scene);
  describe_halos(scene);
  return scene;
}

void SnapshotScene::describe_choices(nlohmann::json& scene) const {
  for (std::size_t k = 0; k < types_.size(); ++k) {
    const auto found = request_.choices.find(types_[k]);
    if (found == request_.choices.end()) continue;
    const TypeChoice& choice = found->second;
    nlohmann::json& said = scene["choices"][names_[k]];
    said = {{"shown", is_shown(choice)},
            {"brightness", choice.brightness},
            {"smoothing", choice.smoothing}};
    if (!choice.color_map.empty()) said["color_map"] = choice.color_map;
  }
}

nlohmann::json SnapshotScene::describe_colors() const {
  nlohmann::json colors = nlohmann::json::object();
  static const char* const kTransforms[] = {"lin", "log", "asinh"};
  for (std::size_t k = 0; k < names_.size(); ++k) {
    const auto& look = plan_.looks[k];
    if (look.color.empty() || map_) continue;
    const auto& range = appearances_[k].color;
    colors[names_[k]] = {{"field", look.color},
                         {"transform", kTransforms[int(range.transform)]},
                         {"range", {in_field_units(k, range.low), in_field_units(k, range.high)}},
                         {"transformed_range", {range.low, range.high}}};
  }
  return colors;
}

// Palettes and brightness.
void SnapshotScene::describe_light(nlohmann::json& scene) const {
  nlohmann::json palettes = nlohmann::json::object(), brightness = palettes;
  for (std::size_t k = 0; k < names_.size(); ++k) {
    if (map_) continue;
    const bool chosen = !request_.palette.empty() &&
                        (!request_.color || plan_.looks[k].color == request_.color->field);
    palettes[names_[k]] = chosen ? request_.palette : "default";
    const auto& b = request_.brightness;
    if (request_.mode == Mode::Classic && b.empty())
      brightness[names_[k]] = "automatic";
    else
      // Types of which nothing was loaded are no part of plan_, so count along the request.
      brightness[names_[k]] = b.empty() ? 1 : b.size() == 1 ? b.front() : b[asked_index_[k]];
  }
  if (map_)
    palettes = request_.palette.empty() ? "viridis" : request_.palette;
  else
    scene["brightness"] = brightness;
  scene["palette"] = palettes;
}

// Whence the lengths are that the file lacks. Particles at one point have none of either kind and
// get the smallest.
std::vector<std::string> SnapshotScene::length_sentences() const {
  std::vector<std::string> lines;
  for (std::size_t k = 0; k < names_.size(); ++k) {
    const std::string end = is_compact(look_of(info_, types_[k])) ? ", and kept short." : ".";
    if (!lengths_.of(k).empty())
      lines.push_back("assumed: " + lengths_.sentence(k) + end);
    else if (!lengths_.sentence(k).empty())
      lines.push_back(lengths_.sentence(k));
    if (estimated_[k] > 0)
      lines.push_back(fmt::format(
          "assumed: {} of {} {} particles have no smoothing length in the file: it was estimated "
          "from the local spacing in Morton order{}",
          estimated_[k], counts_[k], names_[k], end));
  }
  return lines;
}

std::vector<std::string> SnapshotScene::sentences() const {
  static const char* const kTransforms[] = {"", "log ", "asinh "};
  std::vector<std::string> lines;
  for (std::size_t k = 0; k < names_.size(); ++k) {
    std::string line = fmt::format("{}: {} particles", names_[k], counts_[k]);
    const auto& look = plan_.looks[k];
    if (!look.color.empty() && !map_)
      line += fmt::format(", color {}{} {:.4g} … {:.4g}", kTransforms[int(look.transform)],
                          look.color, in_field_units(k, appearances_[k].color.low),
                          in_field_units(k, appearances_[k].color.high));
    lines.push_back(line);
  }
  for (const auto& one : info_.assumed) lines.push_back("assumed: " + one.sentence);
  for (const auto& sentence : particles_.assumed) lines.push_back("assumed: " + sentence);
  for (const auto& sentence : length_sentences()) lines.push_back(sentence);
  lines.insert(lines.end(), plan_.said.begin(), plan_.said.end());
  return lines;
}

}  // namespace haloscope::render
