// The finder that docs/dev/adding-an-analysis.md lists is known to the test that it lists, and to
// no other one.

#define CATCH_CONFIG_EXTERNAL_INTERFACES
#include "analysis/finder.h"
#include "tests/catch.h"

#if __has_include(<catch2/catch_test_macros.hpp>)
#include <catch2/reporters/catch_reporter_event_listener.hpp>
#include <catch2/reporters/catch_reporter_registrars.hpp>
#endif

#include <memory>
#include <optional>

namespace haloscope::analysis {

// Of the page.
std::shared_ptr<const Finder> make_spacing_finder();

}  // namespace haloscope::analysis

namespace haloscope::test {

namespace {

#if __has_include(<catch2/catch_test_macros.hpp>)
using ListeningBase = Catch::EventListenerBase;
#else
using ListeningBase = Catch::TestEventListenerBase;
#endif

// Stands in for the line in analysis/finders.cpp.
class ListedFinder : public ListeningBase {
 public:
  using ListeningBase::ListeningBase;

  void testCaseStarting(const Catch::TestCaseInfo& info) override {
    if (info.tagsAsString().find("[spacing]") != std::string::npos)
      finder_.emplace(analysis::make_spacing_finder());
  }
  void testCaseEnded(const Catch::TestCaseStats&) override { finder_.reset(); }

 private:
  std::optional<analysis::AddedFinder> finder_;
};

CATCH_REGISTER_LISTENER(ListedFinder)

}  // namespace

}  // namespace haloscope::test
