#pragma once

#include "analysis/option_parsing/option_about.h"

#include <string>
#include <vector>

namespace haloscope::analysis {

// A visitor that lists the options' names and what is said of them.
class OptionNames {
 public:
  template <class T>
  void types(const char* name, const T&, const OptionAbout& about) {
    add(name, about);
  }
  template <class T>
  void positive(const char* name, const T&, const OptionAbout& about) {
    add(name, about);
  }
  template <class T>
  void length(const char* name, const T&, const OptionAbout& about) {
    add(name, about);
  }
  template <class T>
  void count(const char* name, const T&, int, const OptionAbout& about) {
    add(name, about);
  }
  void flag(const char* name, bool, const OptionAbout& about) { add(name, about); }
  void text(const char* name, const std::string&, const OptionAbout& about) { add(name, about); }
  template <class T>
  void choice(const char* name, const T&, const OptionWords<T>&, const OptionAbout& about) {
    add(name, about);
  }

  std::vector<std::string> names;
  std::vector<OptionAbout> abouts;  // of each

 private:
  void add(const char* name, const OptionAbout& about) {
    names.emplace_back(name);
    abouts.push_back(about);
  }
};

template <class O>
std::vector<std::string> names_of() {
  OptionNames visitor;
  O options;
  visit(visitor, options);
  return visitor.names;
}

}  // namespace haloscope::analysis
