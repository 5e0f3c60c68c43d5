#include "analysis/selection/named_set.h"

#include "analysis/particle_colors.h"
#include "core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace haloscope::analysis {

namespace {

constexpr std::size_t kLongestName = 40;

// In the order of display_color().
constexpr const char* kColorNames[kPieceColors] = {"sky",  "orange", "violet",  "green",
                                                   "blue", "yellow", "magenta", "vermilion"};

// Places in kColorNames in the order in which sets get them. Green comes first: the looks of types
// have blues for dark matter, violet to gold for gas and cream for stars, and none of them is
// green. The blues come last, for dark matter hides them.
constexpr std::array<std::size_t, kPieceColors> kFirstColors{3, 1, 6, 5, 7, 2, 0, 4};

const NamedSet& require_set(const std::vector<NamedSet>& sets, const std::string& name,
                            const NamedSet& of) {
  const auto found = find_set(sets, name);
  if (!found)
    throw Error(fmt::format("there is no set '{}', of which '{}' is made", name, of.name));
  return sets[*found];
}

std::vector<std::string> operands(const NamedSet& set) {
  std::vector<std::string> names;
  if (!set.first.set.empty()) names.push_back(set.first.set);
  if (set.operation != SetOperation::None && !set.second.set.empty())
    names.push_back(set.second.set);
  return names;
}

// `above`: the sets that lead to this one.
void check_made_of(const std::vector<NamedSet>& sets, const NamedSet& set,
                   std::vector<std::string> above) {
  if (std::find(above.begin(), above.end(), set.name) != above.end())
    throw Error(fmt::format("the set '{}' is made of itself", set.name), {},
                "give the new set another name");
  above.push_back(set.name);
  for (const std::string& name : operands(set))
    check_made_of(sets, require_set(sets, name, set), above);
}

std::optional<double> byte_at(const std::string& text, std::size_t at) {
  int value = 0;
  for (const char c : text.substr(at, 2)) {
    const int digit = c >= '0' && c <= '9'   ? c - '0'
                      : c >= 'a' && c <= 'f' ? c - 'a' + 10
                      : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                             : -1;
    if (digit < 0) return {};
    value = 16 * value + digit;
  }
  return value / 255.;
}

int byte_of(double display) {
  return int(std::lround(255 * std::clamp(display, 0., 1.)));
}

}  // namespace

std::optional<std::size_t> find_set(const std::vector<NamedSet>& sets, const std::string& name) {
  for (std::size_t k = 0; k < sets.size(); ++k)
    if (sets[k].name == name) return k;
  return {};
}

void check_sets(const std::vector<NamedSet>& sets) {
  if (sets.size() > kMostSets)
    throw Error(fmt::format("there are {} sets already", kMostSets), {},
                "remove one of them first (remove_set)");
  for (const NamedSet& set : sets) {
    if (set.name.empty() || set.name.size() > kLongestName || set.name == "selection" ||
        set.name == "off")
      throw Error(
          fmt::format("'{}' cannot be the name of a set", set.name), {},
          fmt::format("take 1 to {} letters, and neither 'selection' nor 'off'", kLongestName));
    const auto same = [&](const NamedSet& other) { return other.name == set.name; };
    if (std::count_if(sets.begin(), sets.end(), same) > 1)
      throw Error(fmt::format("two sets have the name '{}'", set.name));
    check_made_of(sets, set, {});
  }
}

bool is_word_of_sets(const std::string& name) {
  static const std::vector<std::string> words{"own", "union", "intersection", "difference"};
  return std::find(words.begin(), words.end(), name) != words.end() ||
         parse_color(name).has_value();
}

std::vector<std::string> made_of(const std::vector<NamedSet>& sets, const std::string& name) {
  std::vector<std::string> names;
  for (const NamedSet& set : sets) {
    const auto of = operands(set);
    if (std::find(of.begin(), of.end(), name) != of.end()) names.push_back(set.name);
  }
  return names;
}

const std::vector<SetColor>& set_colors() {
  static const std::vector<SetColor> colors = [] {
    std::vector<SetColor> all;
    for (std::size_t k = 0; k < kPieceColors; ++k) {
      const auto& display = display_color(k);
      all.push_back({kColorNames[k], {}});
      // As a text of bytes brings it back.
      for (std::size_t c = 0; c < 3; ++c)
        all.back().display[c] = byte_of(double(display[c])) / 255.;
    }
    return all;
  }();
  return colors;
}

std::array<double, 3> next_color(const std::vector<NamedSet>& sets) {
  const auto uses = [&](std::size_t color) {
    return std::count_if(sets.begin(), sets.end(), [&](const NamedSet& set) {
      return set.color == set_colors()[color].display;
    });
  };
  const auto next =
      std::min_element(kFirstColors.begin(), kFirstColors.end(),
                       [&](std::size_t a, std::size_t b) { return uses(a) < uses(b); });
  return set_colors()[*next].display;
}

std::optional<std::array<double, 3>> parse_color(const std::string& text) {
  for (const SetColor& color : set_colors())
    if (text == color.name) return color.display;
  const std::size_t digits = text.starts_with('#') ? 1 : 0;
  if (text.size() != digits + 6) return {};
  std::array<double, 3> color{};
  for (std::size_t c = 0; c < 3; ++c) {
    const auto value = byte_at(text, digits + 2 * c);
    if (!value) return {};
    color[c] = *value;
  }
  return color;
}

std::string color_text(const std::array<double, 3>& color) {
  for (const SetColor& known : set_colors())
    if (known.display == color) return known.name;
  return fmt::format("#{:02x}{:02x}{:02x}", byte_of(color[0]), byte_of(color[1]),
                     byte_of(color[2]));
}

}  // namespace haloscope::analysis
