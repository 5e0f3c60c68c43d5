#pragma once

#include "analysis/option_parsing/option_about.h"
#include "analysis/option_parsing/option_error.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <string>
#include <vector>

namespace haloscope::analysis {

// A visitor that throws OptionError for a value outside its option's range.
class OptionChecks {
 public:
  void types(const char*, const std::vector<std::string>&, const OptionAbout&) const {}
  void positive(const char* name, double value, const OptionAbout&) const {
    if (!(value > 0 && std::isfinite(value)))
      throw OptionError(marked(name) + " must be a positive number");
  }
  void positive(const char* name, const std::optional<double>& value,
                const OptionAbout& about) const {
    if (value) positive(name, *value, about);
  }
  void length(const char* name, const std::optional<double>& value,
              const OptionAbout& about) const {
    positive(name, value, about);
  }
  template <class T>
  void count(const char* name, T value, int least, const OptionAbout&) const {
    if (value < T(least))
      throw OptionError(fmt::format("{} must be {} or more", marked(name), least));
  }
  template <class T>
  void count(const char* name, const std::optional<T>& value, int least,
             const OptionAbout& about) const {
    if (value && !(*about.zero && *value == 0)) count(name, *value, least, about);
  }
  void flag(const char*, bool, const OptionAbout&) const {}
  void text(const char*, const std::string&, const OptionAbout&) const {}
  template <class T>
  void choice(const char*, T, const OptionWords<T>&, const OptionAbout&) const {}
};

}  // namespace haloscope::analysis
