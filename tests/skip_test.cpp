// Tests that cannot run here: skipped, or failed where somebody asks for what they need.

#include "tests/skip.h"

#include "tests/catch.h"

#include <cstdlib>

using haloscope::test::Needs;

namespace {

// The environment's HALOSCOPE_REQUIRE while a test runs.
class Required {
 public:
  explicit Required(const char* words) {
    if (const char* former = std::getenv(kName)) former_ = former;
    setenv(kName, words, 1);
  }
  ~Required() {
    if (former_.empty())
      unsetenv(kName);
    else
      setenv(kName, former_.c_str(), 1);
  }
  Required(const Required&) = delete;
  Required& operator=(const Required&) = delete;

 private:
  static constexpr const char* kName = "HALOSCOPE_REQUIRE";
  std::string former_;
};

}  // namespace

// ctest shall count this one as skipped: a test of its own says so (tests/CMakeLists.txt).
TEST_CASE("a test that is always skipped", "[.skip]") {
  const Required nothing("");
  haloscope::test::skip(Needs::System, "this is how it looks");
  CHECK(true);
}

TEST_CASE("a test that is skipped in part and fails", "[.skip]") {
  const Required nothing("");
  haloscope::test::skip(Needs::System, "this is how it looks");
  CHECK(false);
}

TEST_CASE("a test that lacks what is required fails", "[.skip]") {
  const Required data("gpu,shared");
  haloscope::test::skip(Needs::Shared, "this is how it looks");
}

TEST_CASE("a word that nobody knows in what is required fails", "[.skip]") {
  const Required data("gpus");
  haloscope::test::skip(Needs::Shared, "this is how it looks");
}

TEST_CASE("what is not required is not asked for") {
  const Required data("shared,window");
  haloscope::test::require_here(Needs::Gpu, "there is none");
  SUCCEED();
}
