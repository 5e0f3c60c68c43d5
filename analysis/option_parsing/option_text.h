#pragma once

#include "analysis/option_parsing/option_about.h"
#include "analysis/option_parsing/option_error.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace haloscope::analysis {

// A visitor that gives one option the value that a text says. Texts that say none throw
// OptionError; whether the value is a possible one is OptionChecks' to tell.
class OptionText {
 public:
  // `whole`: what lengths in percent are parts of; none: there are no such lengths.
  OptionText(std::string name, std::string text, std::optional<double> whole = {});

  void types(const char* name, std::vector<std::string>& value, const OptionAbout& about) {
    if (meant(name, about)) value = read_list(about);
  }
  template <class T>  // a number or an optional one
  void positive(const char* name, T& value, const OptionAbout& about) {
    if (meant(name, about)) value = read_number();
  }
  void length(const char* name, std::optional<double>& value, const OptionAbout& about) {
    if (meant(name, about)) value = read_length();
  }
  template <class T>
  void count(const char* name, T& value, int least, const OptionAbout& about) {
    if (meant(name, about)) value = read_count<T>(least);
  }
  template <class T>
  void count(const char* name, std::optional<T>& value, int least, const OptionAbout& about) {
    if (meant(name, about)) value = T(is_zero_word(about, least) ? 0 : read_count<T>(least));
  }
  void flag(const char* name, bool& value, const OptionAbout& about) {
    if (meant(name, about)) value = read_word({"off", "on"}) == 1;
  }
  void text(const char* name, std::string& value, const OptionAbout& about) {
    if (meant(name, about)) value = read_text(about);
  }
  template <class T>
  void choice(const char* name, T& value, const OptionWords<T>& words, const OptionAbout& about) {
    if (!meant(name, about)) return;
    std::vector<std::string> known;
    for (const auto& [word, meaning] : words) known.emplace_back(word);
    value = words[read_word(known)].second;
  }

  // After the visit; throws where there is no option of that name.
  void require_met() const;
  // The option that it stands in place of; empty: none.
  const std::string& instead_of() const { return instead_of_; }

 private:
  bool meant(const char* name, const OptionAbout& about);
  std::vector<std::string> read_list(const OptionAbout& about) const;
  std::string read_text(const OptionAbout& about) const;
  // Throws for a 0 that is typed as one, where a word stands for it.
  bool is_zero_word(const OptionAbout& about, int least) const;
  double read_number() const;
  double read_length() const;
  std::uint64_t read_whole(int least, std::uint64_t most) const;
  template <class T>
  T read_count(int least) const {
    return T(read_whole(least, std::uint64_t(std::numeric_limits<std::make_signed_t<T>>::max())));
  }
  std::size_t read_word(const std::vector<std::string>& known) const;

  std::string name_, text_, instead_of_;
  std::optional<double> whole_;
  bool met_ = false;
  std::vector<std::string> known_;
};

// Gives an option the value that `text` says. Throws OptionError.
template <class O>
void read_option(O& options, const std::string& name, const std::string& text) {
  OptionText reader(name, text);
  visit(reader, options);
  reader.require_met();
}

}  // namespace haloscope::analysis
