#pragma once

#include <array>
#include <optional>
#include <string>

namespace haloscope::analysis {

// Numbers that options say as texts with commas between; nothing where a text is empty. Throw
// OptionError naming the option, whose plain name is `name`, for all else that is no number.
std::optional<std::array<double, 3>> three_numbers(const std::string& name,
                                                   const std::string& text);
// The first below the second.
std::optional<std::array<double, 2>> number_range(const std::string& name, const std::string& text);

}  // namespace haloscope::analysis
