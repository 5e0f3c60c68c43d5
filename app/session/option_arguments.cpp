#include "app/session/option_arguments.h"

#include "analysis/option_parsing/option_error.h"
#include "analysis/option_parsing/option_text.h"
#include "analysis/option_parsing/option_values.h"
#include "app/session/command_text.h"

#include <fmt/format.h>

#include <utility>

namespace haloscope::app::session {

OptionArguments read_option_arguments(const std::vector<std::string>& words,
                                      const analysis::AnyOptions& defaults, double whole) {
  OptionArguments read{defaults, {}};
  std::vector<std::pair<std::string, std::string>> replaces;
  for (const std::string& word : words) {
    if (word.empty()) continue;
    const auto equals = word.find('=');
    if (equals == std::string::npos)
      throw analysis::OptionError(fmt::format("'{}' is no option", word), {}, "write KEY=VALUE");
    const std::string name = word.substr(0, equals);
    analysis::OptionText text(name, word.substr(equals + 1), whole);
    analysis::visit(text, read.options);
    text.require_met();
    if (!read.given.insert(name).second)
      throw analysis::OptionError(fmt::format("{} is given twice", analysis::marked(name)));
    if (!text.instead_of().empty()) replaces.emplace_back(name, text.instead_of());
  }
  for (const auto& [name, other] : replaces)
    if (read.given.count(other))
      throw analysis::OptionError(fmt::format("{} and {} say the same in two ways",
                                              analysis::marked(other), analysis::marked(name)),
                                  {}, "give one of them");
  return read;
}

std::string words_of_options(const analysis::AnyOptions& options, bool but_standard) {
  std::string words;
  for (const analysis::OptionValue& one : analysis::values_of(options))
    if (!but_standard || !one.standard) words += " " + as_word(one.name + "=" + one.text());
  return words;
}

}  // namespace haloscope::app::session
