#include "analysis/option_parsing/option_values.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

namespace haloscope::analysis {

std::string OptionValue::text() const {
  return std::visit([](const auto& v) { return fmt::format("{}", v); }, value);
}

void OptionValues::types(const char* name, const std::vector<std::string>& value,
                         const OptionAbout& about) {
  const bool none = value.empty();
  add(name, about, none ? about.empty : fmt::format("{}", fmt::join(value, ",")), none);
}

void OptionValues::add(const char* name, const OptionAbout& about,
                       std::variant<double, std::int64_t, std::string> value, bool standard) {
  if (*about.instead_of)
    std::erase_if(values_, [&](const OptionValue& one) { return one.name == about.instead_of; });
  values_.push_back({name, about, std::move(value), standard});
}

}  // namespace haloscope::analysis
