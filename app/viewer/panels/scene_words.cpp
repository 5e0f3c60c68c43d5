#include "app/viewer/panels/scene_words.h"

#include "core/particles.h"
#include "io/loading/derived_fields.h"

#include <cstddef>

namespace haloscope::app::viewer {

std::string length_unit(const SceneModel& scene) {
  for (const auto& [number, type] : scene.info.types)
    if (const FieldInfo* place = type.find(Role::Position)) return place->unit;
  return {};
}

std::string unit_behind(const SceneModel& scene, int type, const std::string& field) {
  const auto found = scene.info.types.find(type);
  if (found == scene.info.types.end()) return {};
  std::string unit;
  if (const FieldInfo* stored = found->second.find(field)) {
    unit = stored->unit;
  } else {
    for (const FieldInfo& derived : io::derived_fields(scene.info, type))
      if (derived.name == field) unit = derived.unit;
    // Particles per volume (TypeInput::density_color).
    if (const std::string length = length_unit(scene);
        unit.empty() && field == kLocalDensity && !length.empty())
      unit = "(" + length + ")^-3";
  }
  return unit.empty() ? unit : " [" + unit + "]";
}

std::string type_word(const SceneModel& scene, int number) {
  constexpr int kNamed = 6;
  const auto type = scene.info.types.find(number);
  const bool coarse = type != scene.info.types.end() && type->second.low_resolution;
  return number < kNamed && !coarse ? type_name(number) : std::to_string(number);
}

std::string grouped(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (auto place = std::ptrdiff_t(digits.size()) - 3; place > 0; place -= 3)
    digits.insert(std::size_t(place), " ");
  return digits;
}

}  // namespace haloscope::app::viewer
