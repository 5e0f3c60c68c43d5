#pragma once

#include "analysis/option_parsing/any_options.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace haloscope::app::session {

// Options as fields of a state, for its writer and its reader: what is left at its default word,
// list or text is not written. A state may hold numbers that no search takes, as older programs let
// them be typed: the search tells them.
template <class V>
class OptionFields {
 public:
  explicit OptionFields(V& fields) : fields_(fields) {}

  void types(const char* name, std::vector<std::string>& value,
             const analysis::OptionAbout& about) {
    fields_.texts_if_any(key(name, about), value);
  }
  template <class T>  // a number or an optional one
  void positive(const char* name, T& value, const analysis::OptionAbout& about) {
    fields_.positive(key(name, about), value);
  }
  void length(const char* name, std::optional<double>& value, const analysis::OptionAbout& about) {
    fields_.positive(key(name, about), value);
  }
  template <class T>
  void count(const char* name, T& value, int least, const analysis::OptionAbout& about) {
    fields_.count(key(name, about), value, std::min(least, 1));
  }
  template <class T>
  void count(const char* name, std::optional<T>& value, int, const analysis::OptionAbout& about) {
    std::optional<std::uint64_t> number;
    if (value) number = std::uint64_t(*value);
    fields_.count(key(name, about), number);
    value.reset();
    if (number) value = T(std::min(*number, std::uint64_t(std::numeric_limits<T>::max())));
  }
  void flag(const char* name, bool& value, const analysis::OptionAbout& about) {
    std::optional<bool> on;
    if (value) on = value;
    fields_.flag(key(name, about), on);
    value = on.value_or(false);
  }
  void text(const char* name, std::string& value, const analysis::OptionAbout& about) {
    fields_.text_if_any(key(name, about), value);
  }
  template <class T>
  void choice(const char* name, T& value, const analysis::OptionWords<T>& words,
              const analysis::OptionAbout& about) {
    std::optional<T> chosen;
    if (value != words.front().second) chosen = value;
    fields_.optional_choice(key(name, about), chosen, words);
    value = chosen.value_or(words.front().second);
  }

 private:
  static const char* key(const char* name, const analysis::OptionAbout& about) {
    return *about.state_name ? about.state_name : name;
  }

  V& fields_;
};

template <class V, class O>
void visit_options(V& fields, O& options) {
  OptionFields<V> visitor(fields);
  visit(visitor, options);
}

}  // namespace haloscope::app::session
