#include "analysis/selection/number_list.h"

#include "core/error.h"
#include "tests/catch.h"

#include <cstdint>
#include <string>
#include <vector>

// Numbers of pieces as a state keeps them.

using namespace haloscope;
using namespace haloscope::analysis;

TEST_CASE("lists of numbers come back as they were written", "[selection]") {
  const auto there_and_back = [](std::vector<std::uint64_t> numbers) {
    const std::string list = number_list(numbers);
    CHECK(count_in(list) == numbers_in(list).size());
    return numbers_in(list);
  };
  CHECK(number_list({7, 0, 2, 1, 2}) == "0-2 7");
  CHECK(number_list({}).empty());
  CHECK(number_list({5}) == "5");
  CHECK(there_and_back({3, 4, 5, 9, 11, 12}) == std::vector<std::uint64_t>{3, 4, 5, 9, 11, 12});
  CHECK(there_and_back({0}) == std::vector<std::uint64_t>{0});
  CHECK(there_and_back({}).empty());
}

TEST_CASE("text that is no list of numbers is refused", "[selection]") {
  for (const char* text : {"a", "1-", "-1", "3-1", "1,2", "2 1", "1 1", "0-99999999999999999999",
                           "0-18446744073709551615", "1.5", "4294967295"}) {
    INFO(text);
    CHECK_THROWS_AS(numbers_in(text), Error);
    CHECK(count_in(text) == 0);
  }
}
