#include "io/text/headings.h"

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

}  // namespace

std::vector<std::string> split_headings(std::string_view line, CellDelimiter delimiter,
                                        std::size_t columns) {
  const auto words = split_words(line, delimiter);
  if (delimiter != CellDelimiter::Blanks) return words;
  auto names = with_units(words);
  return names.size() != columns && words.size() == columns ? words : names;
}

}  // namespace haloscope::io
