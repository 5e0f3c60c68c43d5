#include "io/catalogs/catalog_units.h"

#include "io/text/length_words.h"
#include "io/text/solar_mass.h"

#include <array>
#include <cctype>
#include <charconv>

namespace haloscope::io {

namespace {

bool remove_word(std::string& text, const std::string& word) {
  const auto at = text.find(word);
  if (at == std::string::npos) return false;
  text.erase(at, word.size());
  return true;
}

// A trailing power: "/h", "h^-1", "*a", "/a".
bool remove_end(std::string& text, const std::string& end) {
  if (!text.ends_with(end)) return false;
  text.resize(text.size() - end.size());
  return true;
}

struct BaseUnit {
  const char* name;
  double cgs;
  double length, mass, velocity;
};

constexpr std::array<BaseUnit, 6> kBaseUnits{{{"msun", kSolarMassG, 0, 1, 0},
                                              {"msol", kSolarMassG, 0, 1, 0},
                                              {"m_sun", kSolarMassG, 0, 1, 0},
                                              {"g", 1, 0, 1, 0},
                                              {"km/s", 1e5, 0, 0, 1},
                                              {"cm/s", 1, 0, 0, 1}}};

std::optional<BaseUnit> base_unit(const std::string& name) {
  if (const auto cm = length_in_cm(name, kParsecCm, true)) return BaseUnit{"", *cm, 1, 0, 0};
  for (const auto& base : kBaseUnits)
    if (name == base.name) return base;
  return {};
}

}  // namespace

std::optional<FieldScaling> parse_unit(const std::string& text) {
  std::string unit;
  for (char c : text)
    if (!std::isspace(static_cast<unsigned char>(c)))
      unit += char(std::tolower(static_cast<unsigned char>(c)));
  const bool physical = remove_word(unit, "physical");
  remove_word(unit, "comoving");
  remove_word(unit, "peculiar");
  std::erase_if(unit,
                [](char c) { return c == '(' || c == ')' || c == ',' || c == '{' || c == '}'; });
  FieldScaling scaling;
  if (remove_end(unit, "/h") || remove_end(unit, "h^-1") || remove_end(unit, "h-1")) scaling.h = -1;
  double power_of_a = 0;
  if (remove_end(unit, "*a")) power_of_a = 1;
  if (remove_end(unit, "/a")) power_of_a = -1;
  double factor = 1;
  if (!unit.empty() && std::isdigit(static_cast<unsigned char>(unit.front()))) {
    const auto [end, error] = std::from_chars(unit.data(), unit.data() + unit.size(), factor);
    if (error != std::errc() || !(factor > 0)) return {};
    unit.erase(0, std::size_t(end - unit.data()));
    if (unit.starts_with("*")) unit.erase(0, 1);
    // "10^10"
    if (unit.starts_with("^")) return {};
  }
  bool proper = physical;
  auto found = base_unit(unit);
  if (!found && unit.size() > 2 && (unit[0] == 'c' || unit[0] == 'p')) {
    proper = proper || unit[0] == 'p';
    found = base_unit(unit.substr(1));
  }
  if (!found) return {};
  scaling.to_cgs = factor * found->cgs;
  scaling.length = found->length;
  scaling.mass = found->mass;
  scaling.velocity = found->velocity;
  scaling.a = power_of_a + (found->length != 0 && !proper ? 1 : 0);
  return scaling;
}

void set_unit(CatalogColumn& column, const std::string& unit) {
  column.unit = unit;
  column.scaling = parse_unit(unit);
}

NameAndUnit split_unit(const std::string& text) {
  const auto trim = [](std::string part) {
    while (!part.empty() && std::isspace(static_cast<unsigned char>(part.back()))) part.pop_back();
    const auto first = part.find_first_not_of(" \t");
    return first == std::string::npos ? std::string() : part.substr(first);
  };
  const std::string whole = trim(text);
  for (const auto& [open, close] : {std::pair{'[', ']'}, std::pair{'(', ')'}}) {
    if (whole.empty() || whole.back() != close) continue;
    const auto at = whole.find(open);
    if (at == std::string::npos || at == 0) continue;
    const std::string unit = trim(whole.substr(at + 1, whole.size() - at - 2));
    // "A[x]" and "T[2]" are names; a blank before the bracket makes it a unit, known or not.
    const bool apart = std::isspace(static_cast<unsigned char>(whole[at - 1])) != 0;
    if (parse_unit(unit) || (open == '[' && apart)) return {trim(whole.substr(0, at)), unit};
  }
  return {whole, {}};
}

}  // namespace haloscope::io
