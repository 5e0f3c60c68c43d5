#include "tests/skip.h"

// For the listener below; Catch2 2 keeps its interface back otherwise.
#define CATCH_CONFIG_EXTERNAL_INTERFACES
#include "tests/catch.h"

#if __has_include(<catch2/catch_test_macros.hpp>)
#include <catch2/reporters/catch_reporter_event_listener.hpp>
#include <catch2/reporters/catch_reporter_registrars.hpp>
#endif

#include <array>
#include <cstdlib>
#include <iostream>
#include <sstream>
#include <vector>

namespace haloscope::test {

namespace {

constexpr std::array<const char*, 5> kNames{"shared", "gpu", "two-gpus", "window", "system"};

// Why the test that runs is skipped, a line per reason.
std::vector<std::string>& reasons() {
  static std::vector<std::string> all;
  return all;
}

bool is_required(Needs what) {
  const char* const value = std::getenv("HALOSCOPE_REQUIRE");
  std::istringstream words(value ? value : "");
  bool required = false;
  for (std::string word; std::getline(words, word, ',');) {
    bool known = false;
    for (std::size_t kind = 0; kind < kNames.size(); ++kind)
      if (word == kNames[kind]) {
        known = true;
        required = required || kind == std::size_t(what);
      }
    if (!known)
      FAIL("HALOSCOPE_REQUIRE: '" << word << "' is not shared, gpu, two-gpus, window or system");
  }
  return required;
}

#if __has_include(<catch2/catch_test_macros.hpp>)
using ListenerBase = Catch::EventListenerBase;
#else
using ListenerBase = Catch::TestEventListenerBase;
#endif

// Prints the mark that ctest looks for (tests/CMakeLists.txt) when all that did run has passed:
// ctest takes a test with the mark for skipped, whatever its exit code.
class SkipListener : public ListenerBase {
 public:
  using ListenerBase::ListenerBase;

  void testCaseEnded(const Catch::TestCaseStats& stats) override {
    if (!reasons().empty() && stats.totals.assertions.failed == 0) {
      ++skipped_;
      for (const auto& reason : reasons())
        std::cout << "haloscope_tests: skipped: " << reason << "\n";
    }
    reasons().clear();
  }
  void testRunEnded(const Catch::TestRunStats&) override {
    if (skipped_ > 1)
      std::cout << "haloscope_tests: " << skipped_ << " test cases were skipped, in part or all\n";
  }

 private:
  int skipped_ = 0;
};

CATCH_REGISTER_LISTENER(SkipListener)

}  // namespace

void require_here(Needs what, const std::string& why) {
  if (is_required(what))
    FAIL("HALOSCOPE_REQUIRE asks for " << kNames[std::size_t(what)] << ", but " << why);
}

void skip(Needs what, const std::string& why) {
  require_here(what, why);
  reasons().push_back(why);
}

}  // namespace haloscope::test
