#include "analysis/snapshot/choose_types.h"

#include "analysis/option_parsing/option_error.h"
#include "core/edit_distance.h"
#include "core/error.h"
#include "core/text_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>

namespace haloscope::analysis {

namespace {

std::string in_words(const SnapshotInfo& info) {
  std::string text;
  for (const auto& [number, type] : info.types)
    text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", type.name, number);
  return text.empty() ? "it has no particles at all" : "it has " + text;
}

int type_number(const std::string& word, const std::map<std::string, int>& names,
                const std::string& option) {
  int number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error == std::errc() && end == word.data() + word.size() && number >= 0) return number;
  const auto found = names.find(lower_case(word));
  if (found != names.end()) return found->second;
  std::vector<std::string> known;
  for (const auto& [name, n] : names) known.push_back(name);
  const auto nearest = nearest_word(word, known);
  throw OptionError(fmt::format("'{}' is not a particle type", word), option,
                    nearest ? "did you mean " + *nearest + "?"
                            : "use gas, dm, disk, bulge, stars, bh, or numbers");
}

}  // namespace

std::vector<int> choose_types(const SnapshotInfo& info, const std::vector<std::string>& words,
                              const std::string& option) {
  const std::string& file = info.files.empty() ? std::string() : info.files.front();
  std::vector<int> types;
  if (words.empty()) {
    for (const auto& [number, type] : info.types)
      if (type.count > 0 && type.find(Role::Position)) types.push_back(number);
    if (types.empty()) throw Error("there are no particles with positions to draw", file);
    return types;
  }
  std::map<std::string, int> names;
  for (int n = 0; n < 6; ++n) names[type_name(n)] = n;
  for (const auto& [number, type] : info.types) names[type.name] = number;
  for (const auto& word : words) {
    const int number = type_number(word, names, option);
    const auto found = info.types.find(number);
    if (found == info.types.end() || found->second.count == 0)
      throw Error(
          fmt::format("the snapshot has no particles of type {} ({})", number, type_name(number)),
          file, in_words(info));
    if (std::find(types.begin(), types.end(), number) == types.end()) types.push_back(number);
  }
  return types;
}

}  // namespace haloscope::analysis
