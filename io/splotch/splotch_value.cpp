#include "core/edit_distance.h"
#include "core/error.h"
#include "core/text_values.h"
#include "io/splotch/splotch_keys.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <utility>
#include <vector>

namespace haloscope::io {

namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// Without the leading '+' that std::from_chars does not take.
std::string_view digits_of(const std::string& text) {
  std::string_view digits = text;
  if (digits.size() > 1 && digits[0] == '+' && digits[1] != '-') digits.remove_prefix(1);
  return digits;
}

template <class T>
bool parse_all(std::string_view text, T& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

SplotchValue::SplotchValue(std::string key, std::string text, std::string where)
    : key_(std::move(key)), text_(std::move(text)), where_(std::move(where)) {}

void SplotchValue::fail(const std::string& expected) const {
  throw Error("parameter " + key_ + " has the value '" + text_ + "'", where_,
              "it should be " + expected);
}

double SplotchValue::number() const {
  double value = 0;
  if (!parse_all(digits_of(text_), value) || !std::isfinite(value)) fail("a number");
  return value;
}

double SplotchValue::number_above(double limit) const {
  const double value = number();
  if (!(value > limit)) fail("a number above " + std::to_string(int(limit)));
  return value;
}

int SplotchValue::integer(int low, int high) const {
  int value = 0;
  if (!parse_all(digits_of(text_), value) || value < low || value > high)
    fail("a whole number from " + std::to_string(low) + " to " + std::to_string(high));
  return value;
}

int SplotchValue::one_of(std::initializer_list<int> values, const char* meaning) const {
  int value = 0;
  if (!parse_all(digits_of(text_), value) ||
      std::find(values.begin(), values.end(), value) == values.end())
    fail(meaning);
  return value;
}

bool SplotchValue::boolean() const {
  const std::string lower = lower_case(text_);
  for (const char* word : {"t", "true", ".true.", "y", "yes", "1"})
    if (lower == word) return true;
  for (const char* word : {"f", "false", ".false.", "n", "no", "0"})
    if (lower == word) return false;
  fail("T or F");
}

const SplotchKey* find_splotch_key(const std::string& name, int& type) {
  for (const SplotchKey& key : splotch_keys())
    if (!key.per_type && key.name == name) return &key;
  std::size_t stem = name.size();
  while (stem > 0 && is_digit(name[stem - 1])) --stem;
  if (!parse_all(std::string_view(name).substr(stem), type) || type > kMaxSplotchType)
    return nullptr;
  for (const SplotchKey& key : splotch_keys())
    if (key.per_type && key.name == std::string_view(name).substr(0, stem)) return &key;
  return nullptr;
}

std::string unknown_splotch_key(const std::string& name) {
  std::size_t stem = name.size();
  while (stem > 0 && is_digit(name[stem - 1])) --stem;
  const std::string number = stem < name.size() ? name.substr(stem) : "0";
  std::vector<std::string> known;
  for (const SplotchKey& key : splotch_keys())
    known.push_back(std::string(key.name) + (key.per_type ? number : ""));
  const auto nearest = nearest_word(name, known);
  return "'" + name + "' is not a Splotch parameter and has no effect" +
         (nearest ? "; did you mean '" + *nearest + "'?" : "");
}

}  // namespace haloscope::io
