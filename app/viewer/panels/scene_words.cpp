#include "app/viewer/panels/scene_words.h"

#include "core/particles.h"
#include "core/unit_words.h"
#include "io/loading/derived_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
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
  // "Velocities[0]" has the unit of Velocities.
  if (const FieldInfo* stored = found->second.find(field.substr(0, field.find('[')))) {
    unit = stored->unit;
  } else {
    for (const FieldInfo& derived : io::derived_fields(scene.info, type))
      if (derived.name == field) unit = derived.unit;
    // Particles per volume (TypeInput::density_color).
    if (const std::string length = length_unit(scene);
        unit.empty() && field == kLocalDensity && !length.empty())
      unit = unit_power(length, -3);
  }
  return unit.empty() ? unit : " [" + unit + "]";
}

std::string type_word(const SceneModel& scene, int number) {
  constexpr int kNamed = 6;
  const auto type = scene.info.types.find(number);
  const bool other =
      type != scene.info.types.end() &&
      (type->second.low_resolution || type->second.name == fmt::format("type {}", number));
  return number < kNamed && !other ? type_name(number) : std::to_string(number);
}

std::string grouped(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (auto place = std::ptrdiff_t(digits.size()) - 3; place > 0; place -= 3)
    digits.insert(std::size_t(place), " ");
  return digits;
}

namespace {

std::string in_digits(double value, int digits, bool zeros, bool power = false) {
  constexpr double kShort = 1e-3, kLong = 1e6;
  if (value == 0) return "0";
  if (!std::isfinite(value)) return fmt::format("{}", value);
  const double size = std::abs(value);
  const bool plain = !power && size >= kShort && size < kLong;
  const int before = plain ? int(std::floor(std::log10(size))) : 0;
  const int behind = std::max(0, digits - 1 - before);
  const std::string words =
      plain ? fmt::format("{:.{}f}", value, behind) : fmt::format("{:.{}e}", value, digits - 1);
  const auto e = words.find('e');
  std::string mantissa = words.substr(0, e);
  if (!zeros && mantissa.find('.') != std::string::npos) {
    mantissa.erase(mantissa.find_last_not_of('0') + 1);
    if (mantissa.back() == '.') mantissa.pop_back();
  }
  return plain ? mantissa : fmt::format("{}e{}", mantissa, std::stoi(words.substr(e + 1)));
}

}  // namespace

std::string readable(double value, int digits) {
  return in_digits(value, digits, false);
}

std::array<std::string, 2> readable_ends(double low, double high, int digits) {
  std::array<std::string, 2> words{readable(low, digits), readable(high, digits)};
  const auto has_power = [](double value, const std::string& text) {
    return std::isfinite(value) && text.find('e') != std::string::npos;
  };
  if (has_power(low, words[0]) || has_power(high, words[1]))
    words = {in_digits(low, digits, false, true), in_digits(high, digits, false, true)};
  return words;
}

std::string with_digits(double value, int digits) {
  return in_digits(value, digits, true);
}

}  // namespace haloscope::app::viewer
