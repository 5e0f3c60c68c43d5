#pragma once

#include "analysis/option_parsing/option_about.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace haloscope::analysis {

// A visitor of options whose struct it does not know; its methods are the kinds of options that a
// `visit` may name.
class OptionVisitor {
 public:
  virtual ~OptionVisitor() = default;

  virtual void types(const char* name, std::vector<std::string>& value,
                     const OptionAbout& about) = 0;
  virtual void positive(const char* name, double& value, const OptionAbout& about) = 0;
  virtual void positive(const char* name, std::optional<double>& value,
                        const OptionAbout& about) = 0;
  virtual void length(const char* name, std::optional<double>& value, const OptionAbout& about) = 0;
  virtual void count(const char* name, int& value, int least, const OptionAbout& about) = 0;
  virtual void count(const char* name, std::optional<int>& value, int least,
                     const OptionAbout& about) = 0;
  virtual void count(const char* name, std::uint64_t& value, int least,
                     const OptionAbout& about) = 0;
  virtual void count(const char* name, std::optional<std::uint64_t>& value, int least,
                     const OptionAbout& about) = 0;
  virtual void flag(const char* name, bool& value, const OptionAbout& about) = 0;
  virtual void text(const char* name, std::string& value, const OptionAbout& about) = 0;
  // The words have their places for meanings.
  virtual void choice(const char* name, std::size_t& value, const OptionWords<std::size_t>& words,
                      const OptionAbout& about) = 0;

  template <class T>
  void choice(const char* name, T& value, const OptionWords<T>& words, const OptionAbout& about) {
    OptionWords<std::size_t> places;
    std::size_t chosen = 0;
    for (std::size_t k = 0; k < words.size(); ++k) {
      if (words[k].second == value) chosen = k;
      places.emplace_back(words[k].first, k);
    }
    choice(name, chosen, places, about);
    value = words[chosen].second;
  }
};

// Any visitor as one of those.
template <class V>
class AsOptionVisitor final : public OptionVisitor {
 public:
  explicit AsOptionVisitor(V& visitor) : visitor_(visitor) {}

  using OptionVisitor::choice;
  void types(const char* name, std::vector<std::string>& value, const OptionAbout& about) override {
    visitor_.types(name, value, about);
  }
  void positive(const char* name, double& value, const OptionAbout& about) override {
    visitor_.positive(name, value, about);
  }
  void positive(const char* name, std::optional<double>& value, const OptionAbout& about) override {
    visitor_.positive(name, value, about);
  }
  void length(const char* name, std::optional<double>& value, const OptionAbout& about) override {
    visitor_.length(name, value, about);
  }
  void count(const char* name, int& value, int least, const OptionAbout& about) override {
    visitor_.count(name, value, least, about);
  }
  void count(const char* name, std::optional<int>& value, int least,
             const OptionAbout& about) override {
    visitor_.count(name, value, least, about);
  }
  void count(const char* name, std::uint64_t& value, int least, const OptionAbout& about) override {
    visitor_.count(name, value, least, about);
  }
  void count(const char* name, std::optional<std::uint64_t>& value, int least,
             const OptionAbout& about) override {
    visitor_.count(name, value, least, about);
  }
  void flag(const char* name, bool& value, const OptionAbout& about) override {
    visitor_.flag(name, value, about);
  }
  void text(const char* name, std::string& value, const OptionAbout& about) override {
    visitor_.text(name, value, about);
  }
  void choice(const char* name, std::size_t& value, const OptionWords<std::size_t>& words,
              const OptionAbout& about) override {
    visitor_.choice(name, value, words, about);
  }

 private:
  V& visitor_;
};

}  // namespace haloscope::analysis
