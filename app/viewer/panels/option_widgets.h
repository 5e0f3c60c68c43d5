#pragma once

#include "analysis/option_parsing/option_about.h"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace haloscope::app::viewer {

struct PanelInput;

// What is typed of options beside their values.
struct OptionDraft {
  // Lists as they are typed; an empty text leaves the choice to the command.
  std::map<std::string, std::array<char, 128>> lists;
  // Texts as they are typed, with blanks around them.
  std::map<std::string, std::array<char, 128>> typed_texts;
  std::map<std::string, std::string> hints;  // what an empty text stands for
  // Of two options that say the same, whether the second one is meant; by the first one's name.
  std::map<std::string, bool> by_second;
};

// A visitor that shows one option: the value that it has, to be typed or chosen. The option that
// says the same in another way is shown with it.
class OptionWidgets {
 public:
  // `length_unit`: what lengths are in.
  OptionWidgets(const PanelInput& input, OptionDraft& draft, std::string name,
                std::string length_unit)
      : input_(input),
        draft_(draft),
        name_(std::move(name)),
        length_unit_(std::move(length_unit)) {}

  void types(const char* name, std::vector<std::string>&, const analysis::OptionAbout& about) {
    if (name_ == name) show_list(about);
  }
  void positive(const char* name, double& value, const analysis::OptionAbout& about) {
    if (name_ != name) return;
    number_ = &value;
    first_help_ = about.help;
  }
  void positive(const char* name, std::optional<double>& value,
                const analysis::OptionAbout& about) {
    if (name_ != name) return;
    optional_number_ = &value;
    first_help_ = about.help;
  }
  void length(const char* name, std::optional<double>& value, const analysis::OptionAbout& about) {
    if (name_ == about.instead_of)
      show_pair(value, about);
    else if (name_ == name && !*about.instead_of)
      show_length(value, about);
  }
  template <class T>
  void count(const char* name, T& value, int least, const analysis::OptionAbout& about) {
    if (name_ == name) value = T(show_count(std::uint64_t(value), least, about));
  }
  template <class T>
  void count(const char* name, std::optional<T>& value, int, const analysis::OptionAbout& about) {
    if (name_ != name) return;
    if (*about.zero) {
      if (show_zero_word(value && *value == 0, about)) {
        value = T(0);
        return;
      }
      if (value && *value == 0) value.reset();
    }
    const std::uint64_t now = value ? std::uint64_t(*value) : 0;
    const std::uint64_t typed =
        *about.hint ? show_hinted_count(now, about) : show_count(now, 0, about);
    value.reset();
    if (typed > 0) value = T(typed);
  }
  void flag(const char* name, bool& value, const analysis::OptionAbout& about) {
    if (name_ == name) show_flag(value, about);
  }
  void text(const char* name, std::string& value, const analysis::OptionAbout& about) {
    if (name_ == name) show_text(value, about);
  }
  template <class T>
  void choice(const char* name, T& value, const analysis::OptionWords<T>& words,
              const analysis::OptionAbout& about) {
    if (name_ != name) return;
    std::vector<const char*> all;
    std::size_t chosen = 0;
    for (const auto& [word, meaning] : words) {
      if (meaning == value) chosen = all.size();
      all.push_back(word);
    }
    value = words[show_choice(chosen, all, about)].second;
  }

 private:
  void show_list(const analysis::OptionAbout& about);
  void show_pair(std::optional<double>& second, const analysis::OptionAbout& about);
  void show_length(std::optional<double>& value, const analysis::OptionAbout& about);
  // A box for the word that stands in place of a number; whether it is ticked.
  bool show_zero_word(bool on, const analysis::OptionAbout& about);
  // 0 where nothing is typed.
  std::uint64_t show_hinted_count(std::uint64_t value, const analysis::OptionAbout& about);
  void show_flag(bool& value, const analysis::OptionAbout& about);
  void show_text(std::string& value, const analysis::OptionAbout& about);
  std::uint64_t show_count(std::uint64_t value, int least, const analysis::OptionAbout& about);
  static std::size_t show_choice(std::size_t chosen, const std::vector<const char*>& words,
                                 const analysis::OptionAbout& about);

  const PanelInput& input_;
  OptionDraft& draft_;
  std::string name_, length_unit_;
  // Of a pair, the first one's value and help.
  double* number_ = nullptr;
  std::optional<double>* optional_number_ = nullptr;
  const char* first_help_ = "";
};

}  // namespace haloscope::app::viewer
