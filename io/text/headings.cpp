#include "io/text/headings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

namespace haloscope::io {

namespace {

std::vector<std::string> split_words(std::string_view line, CellDelimiter delimiter) {
  std::vector<std::string> words;
  CellCursor cursor(line, delimiter);
  for (std::string_view word; cursor.next(word);) words.emplace_back(word);
  return words;
}

bool opens(const std::string& word) {
  return word.front() == '[' || word.front() == '(';
}

bool is_closed(const std::string& text) {
  const auto open = text.find_last_of("[(");
  return open == std::string::npos || text.find_first_of("])", open) != std::string::npos;
}

bool has_unit(const std::string& name) {
  return name.back() == ']' || name.back() == ')';
}

std::vector<std::string> with_units(const std::vector<std::string>& words) {
  std::vector<std::string> names;
  for (const auto& word : words) {
    const bool goes_on =
        !names.empty() && (!is_closed(names.back()) || (opens(word) && !has_unit(names.back())));
    if (goes_on)
      names.back() += " " + word;
    else
      names.push_back(word);
  }
  return names;
}

// 0, 1, 2 of "x", "Y", "z"; -1: another word.
int axis_of(std::string_view word) {
  if (word.size() != 1) return -1;
  const int c = std::tolower(static_cast<unsigned char>(word.front()));
  return c >= 'x' && c <= 'z' ? c - 'x' : -1;
}

std::string without_marks(std::string word) {
  while (!word.empty() && (opens(word) || word.front() == ',')) word.erase(0, 1);
  while (!word.empty() && (has_unit(word) || word.back() == ',')) word.pop_back();
  return word;
}

// "(ckpc/h)" of what stands behind the axes of a phrase: itself in brackets, or "in ckpc/h".
// Nothing where it is no unit.
bool unit_of_rest(const std::vector<std::string>& words, std::size_t from, std::string& unit) {
  std::string rest;
  for (std::size_t i = from; i < words.size(); ++i) rest += (rest.empty() ? "" : " ") + words[i];
  if (rest.empty()) return true;
  if (opens(rest) && has_unit(rest))
    unit = rest;
  else if (rest.rfind("in ", 0) == 0)
    unit = "(" + rest.substr(3) + ")";
  else
    return false;
  return true;
}

// "analog position x y z (ckpc/h)" is three names that share a prefix and a unit: "analog
// position_x (ckpc/h)", … ; any other phrase is one.
std::vector<std::string> names_of_phrase(const std::string& phrase) {
  const auto words = split_words(phrase, CellDelimiter::Blanks);
  std::string before;
  for (std::size_t i = 0; i + 2 < words.size(); ++i) {
    std::array<std::string, 3> axes;
    for (std::size_t k = 0; k < 3; ++k) axes[k] = without_marks(words[i + k]);
    std::string unit;
    if (axis_of(axes[0]) != 0 || axis_of(axes[1]) != 1 || axis_of(axes[2]) != 2 ||
        !unit_of_rest(words, i + 3, unit)) {
      before += (before.empty() ? "" : " ") + words[i];
      continue;
    }
    std::vector<std::string> names;
    for (const auto& axis : axes)
      names.push_back((before.empty() ? axis : before + "_" + axis) +
                      (unit.empty() ? "" : " " + unit));
    return names;
  }
  return {phrase};
}

// Commas and semicolons within brackets part no phrases.
std::vector<std::string> phrases_of(std::string_view line) {
  std::vector<std::string> phrases(1);
  int depth = 0;
  for (const char c : line) {
    if (c == '(' || c == '[') ++depth;
    if (c == ')' || c == ']') --depth;
    if ((c == ',' || c == ';') && depth <= 0)
      phrases.emplace_back();
    else
      phrases.back() += c;
  }
  for (auto& phrase : phrases) {
    const auto words = split_words(phrase, CellDelimiter::Blanks);
    phrase.clear();
    for (const auto& word : words) phrase += (phrase.empty() ? "" : " ") + word;
  }
  return phrases;
}

std::vector<std::string> names_of_phrases(std::string_view line) {
  std::vector<std::string> names;
  for (const auto& phrase : phrases_of(line)) {
    if (phrase.empty()) continue;
    for (auto& name : names_of_phrase(phrase)) names.push_back(std::move(name));
  }
  return names;
}

std::vector<std::string> names_of_words(std::string_view line) {
  std::string plain(line);
  std::replace_if(
      plain.begin(), plain.end(), [](char c) { return c == ',' || c == ';'; }, ' ');
  return with_units(split_words(plain, CellDelimiter::Blanks));
}

// Of "analog position x, y, z (kpc)" the prefix is that of all three.
void share_prefix(std::vector<std::string>& names) {
  for (std::size_t i = 0; i + 2 < names.size(); ++i) {
    const auto words = split_words(names[i], CellDelimiter::Blanks);
    if (words.size() < 2 || axis_of(words.back()) != 0) continue;
    const auto bare = [](const std::string& name) {
      return axis_of(name.substr(0, name.find_first_of(" [(")));
    };
    if (bare(names[i + 1]) != 1 || bare(names[i + 2]) != 2) continue;
    const std::string before = names[i].substr(0, names[i].find_last_of(' '));
    for (std::size_t k = 1; k < 3; ++k) names[i + k] = before + " " + names[i + k];
  }
}

}  // namespace

std::vector<std::string> split_headings(std::string_view line, CellDelimiter delimiter,
                                        std::size_t columns) {
  const auto words = split_words(line, delimiter);
  auto names = delimiter == CellDelimiter::Blanks ? with_units(words) : words;
  if (names.size() != columns && columns > 0)
    for (const auto& other : {words, names_of_phrases(line), names_of_words(line)})
      if (other.size() == columns) {
        names = other;
        break;
      }
  share_prefix(names);
  return names;
}

std::string commented_rows_in_words(std::uint64_t rows, std::uint64_t first_line) {
  if (rows == 1)
    return fmt::format("1 row begins with # and is left out: it is line {}.", first_line);
  return fmt::format("{} rows begin with # and are left out: the first is line {}.", rows,
                     first_line);
}

}  // namespace haloscope::io
