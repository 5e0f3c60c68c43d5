#pragma once

#include "analysis/option_parsing/option_about.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace haloscope::analysis {

// An option that has a value.
struct OptionValue {
  std::string name;
  OptionAbout about;
  // Lists have commas between their words.
  std::variant<double, std::int64_t, std::string> value;
  bool standard = false;  // an empty list or text, off, or the first word of a choice

  std::string state_name() const { return *about.state_name ? about.state_name : name; }
  std::string text() const;  // that OptionText reads
};

// A visitor that lists the options that have values, without those that another one replaces.
class OptionValues {
 public:
  void types(const char* name, const std::vector<std::string>& value, const OptionAbout& about);
  void positive(const char* name, double value, const OptionAbout& about) {
    add(name, about, value);
  }
  void positive(const char* name, const std::optional<double>& value, const OptionAbout& about) {
    if (value) add(name, about, *value);
  }
  void length(const char* name, const std::optional<double>& value, const OptionAbout& about) {
    positive(name, value, about);
  }
  template <class T>
  void count(const char* name, T value, int, const OptionAbout& about) {
    add(name, about, std::int64_t(value));
  }
  template <class T>
  void count(const char* name, const std::optional<T>& value, int, const OptionAbout& about) {
    if (value && *value == 0 && *about.zero)
      add(name, about, std::string(about.zero));
    else if (value)
      add(name, about, std::int64_t(*value));
  }
  void flag(const char* name, bool value, const OptionAbout& about) {
    add(name, about, std::string(value ? "on" : "off"), !value);
  }
  void text(const char* name, const std::string& value, const OptionAbout& about) {
    add(name, about, value.empty() ? std::string(about.empty) : value, value.empty());
  }
  template <class T>
  void choice(const char* name, T value, const OptionWords<T>& words, const OptionAbout& about) {
    for (const auto& [word, meaning] : words)
      if (meaning == value) add(name, about, std::string(word), value == words.front().second);
  }

  std::vector<OptionValue> take() { return std::move(values_); }

 private:
  void add(const char* name, const OptionAbout& about,
           std::variant<double, std::int64_t, std::string> value, bool standard = false);

  std::vector<OptionValue> values_;
};

template <class O>
std::vector<OptionValue> values_of(O options) {
  OptionValues values;
  visit(values, options);
  return values.take();
}

}  // namespace haloscope::analysis
