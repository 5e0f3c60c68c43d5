#include "analysis/measuring/option_numbers.h"

#include "analysis/option_parsing/option_error.h"
#include "core/text_values.h"

namespace haloscope::analysis {

namespace {

// The parsers name an option as they are told to, and their faults are those of options.
template <class Parse>
auto numbers_of_option(const std::string& name, const std::string& text, Parse parse) {
  try {
    return parse(marked(name), text);
  } catch (const Error& error) {
    throw OptionError(error.what());
  }
}

}  // namespace

std::optional<std::array<double, 3>> three_numbers(const std::string& name,
                                                   const std::string& text) {
  if (text.empty()) return {};
  return numbers_of_option(name, text, parse_vector);
}

std::optional<std::array<double, 2>> number_range(const std::string& name,
                                                  const std::string& text) {
  if (text.empty()) return {};
  return numbers_of_option(name, text, parse_range);
}

}  // namespace haloscope::analysis
