#include "app/session/toml_reader.h"

#include "app/session/text_bytes.h"
#include "core/edit_distance.h"
#include "core/error.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <cmath>
#include <limits>

namespace haloscope::app::session {

void TomlReader::finish() const {
  for (const auto& [key, node] : table_) {
    const std::string name(key.str());
    if (std::find(known_.begin(), known_.end(), name) != known_.end()) continue;
    const auto nearest = nearest_word(name, known_);
    warnings_.push_back(fmt::format("{}: '{}' is unknown and passed over{}", place(key.source()),
                                    name, nearest ? "; did you mean '" + *nearest + "'?" : ""));
  }
}

std::string TomlReader::place(const toml::source_region& source) const {
  return fmt::format("{}:{}", where_, source.begin.line);
}

void TomlReader::fail(const std::string& name, const std::string& what) const {
  const toml::node* node = table_.get(name);
  throw BadFile(fmt::format("'{}' {}", name, what), place(node ? node->source() : table_.source()));
}

const toml::node* TomlReader::find(const std::string& name) {
  known_.push_back(name);
  return table_.get(name);
}

void TomlReader::flag(const char* name, bool& value) {
  const toml::node* node = find(name);
  if (!node) return;
  if (!node->is_boolean()) fail(name, "must be true or false");
  value = *node->value<bool>();
}

void TomlReader::flag(const char* name, std::optional<bool>& value) {
  bool read = false;
  if (!find(name)) return;
  flag(name, read);
  value = read;
}

void TomlReader::number(const char* name, double& value) {
  const toml::node* node = find(name);
  if (!node) return;
  const auto read = node->is_number() ? node->value<double>() : std::nullopt;
  if (!read || !std::isfinite(*read)) fail(name, "must be a number");
  value = *read;
}

void TomlReader::positive(const char* name, double& value) {
  number(name, value);
  if (!(value > 0)) fail(name, "must be greater than 0");
}

void TomlReader::positive(const char* name, std::optional<double>& value) {
  if (find(name)) positive(name, value.emplace(1));
}

void TomlReader::within(const char* name, double& value, double low, double high) {
  number(name, value);
  if (!(value >= low && value <= high))
    fail(name, fmt::format("must lie between {} and {}", low, high));
}

std::optional<std::int64_t> TomlReader::whole(const char* name, std::int64_t least,
                                              std::int64_t most) {
  const toml::node* node = find(name);
  if (!node) return {};
  if (!node->is_integer() || *node->value<std::int64_t>() < least ||
      *node->value<std::int64_t>() > most)
    fail(name, fmt::format("must be a whole number from {} on", least));
  return *node->value<std::int64_t>();
}

void TomlReader::count(const char* name, std::optional<std::uint64_t>& value) {
  if (const auto read = whole(name, 0, std::numeric_limits<std::int64_t>::max()))
    value = std::uint64_t(*read);
}

std::string TomlReader::text_of(const toml::node& node, const std::string& name, bool bytes) const {
  const std::string text = *node.value<std::string>();
  if (!bytes) return text;
  const auto plain = percent_unescaped(text);
  if (!plain) fail(name, "must have two hexadecimal digits behind each %");
  return *plain;
}

void TomlReader::text(const char* name, std::string& value) {
  for (const bool bytes : {false, true}) {
    const std::string key = name + std::string(bytes ? kBytesKey : "");
    // Only where it is there is it a name to suggest.
    const toml::node* node = !bytes || table_.contains(key) ? find(key) : nullptr;
    if (!node) continue;
    if (!node->is_string()) fail(key, "must be a text in quotes");
    if (bytes && table_.contains(name)) fail(key, fmt::format("and '{}' say the same", name));
    value = text_of(*node, key, bytes);
  }
}

void TomlReader::texts(const char* name, std::vector<std::string>& values) {
  for (const bool bytes : {false, true}) {
    const std::string key = name + std::string(bytes ? kBytesKey : "");
    const toml::node* node = !bytes || table_.contains(key) ? find(key) : nullptr;
    if (!node) continue;
    if (bytes && table_.contains(name)) fail(key, fmt::format("and '{}' say the same", name));
    values.clear();
    const toml::array* list = node->as_array();
    if (list)
      for (const toml::node& item : *list)
        if (item.is_string()) values.push_back(text_of(item, key, bytes));
    if (!list || values.size() != list->size()) fail(key, "must be a list of texts in quotes");
  }
}

std::optional<std::vector<double>> TomlReader::list_of_numbers(const char* name,
                                                               std::size_t count) {
  const toml::node* node = find(name);
  if (!node) return {};
  std::vector<double> values;
  if (const toml::array* list = node->as_array())
    for (const toml::node& item : *list) {
      const auto value = item.is_number() ? item.value<double>() : std::nullopt;
      if (!value || !std::isfinite(*value)) break;
      values.push_back(*value);
    }
  if (values.size() != count || node->as_array()->size() != count)
    fail(name, fmt::format("must be a list of {} numbers", count));
  return values;
}

void TomlReader::rotation(const char* name, Rotation& value) {
  const auto q = list_of_numbers(name, 4);
  if (!q) return;
  value = {(*q)[0], (*q)[1], (*q)[2], (*q)[3]};
  const double length =
      std::sqrt(value.w * value.w + value.x * value.x + value.y * value.y + value.z * value.z);
  if (!(length > 1e-6 && length < 1e6)) fail(name, "is no rotation");
  // Its own rounding is left alone, so that a state comes back to the bit.
  if (std::abs(length - 1) > 1e-14)
    value = {value.w / length, value.x / length, value.y / length, value.z / length};
}

void TomlReader::limits(const char* name, std::optional<Limits>& value) {
  const auto read = list_of_numbers(name, 2);
  if (!read) return;
  if (!((*read)[0] < (*read)[1])) fail(name, "must begin with the smaller number");
  value = Limits{(*read)[0], (*read)[1]};
}

void TomlReader::color(const char* name, std::optional<std::array<double, 3>>& value) {
  std::string word = value ? analysis::color_text(*value) : "own";
  text(name, word);
  value = analysis::parse_color(word);
  if (!value && word != "own")
    fail(name, "must be own, the name of a color, or six hexadecimal digits");
}

std::optional<std::size_t> TomlReader::word_of(const char* name,
                                               const std::vector<std::string>& words) {
  std::string word;
  if (!table_.contains(name)) {
    find(name);
    return {};
  }
  text(name, word);
  const auto found = std::find(words.begin(), words.end(), word);
  if (found == words.end()) {
    const auto nearest = nearest_word(word, words);
    fail(name, nearest ? fmt::format("is '{}'; did you mean '{}'?", word, *nearest)
                       : fmt::format("is '{}'; use {}", word, fmt::join(words, ", ")));
  }
  return std::size_t(found - words.begin());
}

const toml::table& TomlReader::require_table(const toml::node& node, const char* name) const {
  if (const toml::table* table = node.as_table()) return *table;
  throw BadFile(fmt::format("'{}' must be a section", name), place(node.source()));
}

const toml::array& TomlReader::require_list(const toml::node& node, const char* name) const {
  if (const toml::array* list = node.as_array()) return *list;
  throw BadFile(fmt::format("'{0}' must be a list of sections, [[{0}]]", name),
                place(node.source()));
}

int TomlReader::type_number(const toml::key& key) const {
  const std::string_view text = key.str();
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 0)
    throw BadFile(fmt::format("'{}' is not the number of a particle type", text),
                  place(key.source()));
  return number;
}

}  // namespace haloscope::app::session
