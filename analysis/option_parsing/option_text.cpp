#include "analysis/option_parsing/option_text.h"

#include "core/edit_distance.h"
#include "core/text_values.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

namespace haloscope::analysis {

OptionText::OptionText(std::string name, std::string text, std::optional<double> whole)
    : name_(std::move(name)), text_(std::move(text)), whole_(whole) {}

bool OptionText::meant(const char* name, const OptionAbout& about) {
  known_.emplace_back(name);
  if (name_ != name) return false;
  instead_of_ = about.instead_of;
  return met_ = true;
}

void OptionText::require_met() const {
  if (met_) return;
  const auto nearest = nearest_word(name_, known_);
  throw OptionError(fmt::format("there is no option '{}'", name_), {},
                    nearest ? fmt::format("did you mean {}?", marked(*nearest))
                            : fmt::format("use {}", fmt::join(known_, ", ")));
}

std::vector<std::string> OptionText::read_list(const OptionAbout& about) const {
  if (lower_case(text_) == about.empty) return {};
  try {
    return parse_list(marked(name_), text_);
  } catch (const Error& error) {
    throw OptionError(error.what());
  }
}

std::string OptionText::read_text(const OptionAbout& about) const {
  return lower_case(text_) == about.empty ? std::string() : text_;
}

bool OptionText::is_zero_word(const OptionAbout& about, int least) const {
  if (!*about.zero) return false;
  std::uint64_t value = 0;
  if (is_count(text_, value) && value == 0)
    throw OptionError(
        fmt::format("{} must be {} or more, or {}", marked(name_), least, about.zero));
  return lower_case(text_) == about.zero;
}

double OptionText::read_number() const {
  try {
    return parse_number(marked(name_), text_);
  } catch (const Error& error) {
    throw OptionError(error.what());
  }
}

double OptionText::read_length() const {
  if (!whole_ || !text_.ends_with('%')) return read_number();
  OptionText percent = *this;
  percent.text_.pop_back();
  return percent.read_number() / 100 * *whole_;
}

// A whole number below `least` is OptionChecks' to tell.
std::uint64_t OptionText::read_whole(int least, std::uint64_t most) const {
  std::uint64_t value = 0;
  if (is_count(text_, value) && value <= most) return value;
  try {
    return parse_count(marked(name_), text_, std::uint64_t(least), most);
  } catch (const Error& error) {
    throw OptionError(error.what());
  }
}

std::size_t OptionText::read_word(const std::vector<std::string>& known) const {
  const auto found = std::find(known.begin(), known.end(), text_);
  if (found == known.end())
    throw OptionError(fmt::format("'{}' is not one of {}", text_, fmt::join(known, ", ")),
                      marked(name_));
  return std::size_t(found - known.begin());
}

}  // namespace haloscope::analysis
