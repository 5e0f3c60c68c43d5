#pragma once

#include "app/session/state.h"

#include <array>
#include <map>
#include <optional>
#include <string>
#include <toml++/toml.h>
#include <utility>
#include <vector>

namespace haloscope::app::session {

// Reads what state_fields.h names; see there. What is missing stays as it is. Every method throws
// BadFile, with file and line, for a value that cannot be meant; what nobody asked for by the end
// becomes a warning.
class TomlReader {
 public:
  template <class T>
  using Names = std::vector<std::pair<const char*, T>>;

  TomlReader(const toml::table& table, std::string where, std::vector<std::string>& warnings)
      : table_(table), where_(std::move(where)), warnings_(warnings) {}

  // A key that somebody else reads.
  void know(const std::string& name) { known_.push_back(name); }
  // Warns of the keys that were not asked for.
  void finish() const;

  void flag(const char* name, bool& value);
  void flag(const char* name, std::optional<bool>& value);
  void number(const char* name, double& value);
  void positive(const char* name, double& value);
  void positive(const char* name, std::optional<double>& value);
  void within(const char* name, double& value, double low, double high);
  template <class T>
  void count(const char* name, T& value, int least) {
    if (const auto read = whole(name, least, std::int64_t(std::numeric_limits<T>::max() >> 1)))
      value = T(*read);
  }
  void count(const char* name, std::optional<std::uint64_t>& value);
  void text(const char* name, std::string& value);
  void texts(const char* name, std::vector<std::string>& values);
  void text_if_any(const char* name, std::string& value) { text(name, value); }
  void texts_if_any(const char* name, std::vector<std::string>& values) { texts(name, values); }
  template <std::size_t N>
  void numbers(const char* name, std::array<double, N>& values) {
    if (const auto read = list_of_numbers(name, N))
      std::copy(read->begin(), read->end(), values.begin());
  }
  void rotation(const char* name, Rotation& value);
  void limits(const char* name, std::optional<Limits>& value);
  void color(const char* name, std::optional<std::array<double, 3>>& value);
  template <class T>
  void choice(const char* name, T& value, const Names<T>& names) {
    std::vector<std::string> words;
    for (const auto& [word, meaning] : names) words.emplace_back(word);
    if (const auto place = word_of(name, words)) value = names[*place].second;
  }
  template <class T>
  void optional_choice(const char* name, std::optional<T>& value, const Names<T>& names) {
    T read{};
    if (!find(name)) return;
    choice(name, read, names);
    value = read;
  }

  template <class T>
  void section(const char* name, T& value) {
    if (const toml::node* node = find(name)) read_table(*node, name, value);
  }
  template <class T>
  void section(const char* name, std::optional<T>& value) {
    if (find(name)) section(name, value.emplace());
  }
  template <class T>
  void numbered_sections(const char* name, std::map<int, T>& values) {
    const toml::node* node = find(name);
    if (!node) return;
    for (const auto& [key, inner] : require_table(*node, name))
      read_table(inner, name, values[type_number(key)]);
  }
  template <class T>
  void list(const char* name, std::vector<T>& values) {
    const toml::node* node = find(name);
    if (!node) return;
    for (const toml::node& inner : require_list(*node, name))
      read_table(inner, name, values.emplace_back());
  }

  // A fault at that key, or at the table where there is none.
  [[noreturn]] void fail(const std::string& name, const std::string& what) const;

 private:
  const toml::node* find(const std::string& name);
  // The text of a node, its bytes where the key says so.
  std::string text_of(const toml::node& node, const std::string& name, bool bytes) const;
  std::optional<std::int64_t> whole(const char* name, std::int64_t least, std::int64_t most);
  std::optional<std::vector<double>> list_of_numbers(const char* name, std::size_t count);
  std::optional<std::size_t> word_of(const char* name, const std::vector<std::string>& words);
  const toml::table& require_table(const toml::node& node, const char* name) const;
  const toml::array& require_list(const toml::node& node, const char* name) const;
  int type_number(const toml::key& key) const;
  std::string place(const toml::source_region& source) const;

  template <class T>
  void read_table(const toml::node& node, const char* name, T& value) {
    TomlReader inner(require_table(node, name), where_, warnings_);
    visit(inner, value);
    inner.finish();
  }

  const toml::table& table_;
  std::string where_;
  std::vector<std::string>& warnings_;
  std::vector<std::string> known_;
};

}  // namespace haloscope::app::session
