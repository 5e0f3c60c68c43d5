#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace haloscope::analysis {

// Numbers of pieces as a state keeps them, ascending, each once: "0-4 7".
std::string number_list(std::vector<std::uint64_t> numbers);

// The numbers of such a list, ascending. Throws Error for any other text.
std::vector<std::uint64_t> numbers_in(const std::string& list);

// The largest number of such a list, 0 of an empty one. Throws Error for any other text.
std::uint64_t most_in(const std::string& list);

// How many numbers such a list has; 0 for any other text.
std::uint64_t count_in(const std::string& list);

}  // namespace haloscope::analysis
