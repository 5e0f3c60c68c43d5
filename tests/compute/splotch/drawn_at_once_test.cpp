#include "compute/splotch/drawn_at_once.h"

#include "tests/catch.h"

using namespace haloscope::compute::splotch;

TEST_CASE("as many particles are drawn at once as their lists find room for", "[splotch]") {
  constexpr std::uint64_t kBillion = 1ull << 30, kAll = 1ull << 32;
  CHECK(drawn_at_once_in(kListed * kBillion, kBillion) == kAll);
  CHECK(drawn_at_once_in(0, 0) == kAll);
  // Parts that are alike, none of which needs more room than there is.
  for (std::uint64_t room = kListed * kBillion - 1; room > kListedOfPart * kFewestDrawnAtOnce;
       room -= room / 7) {
    CAPTURE(room);
    const std::uint64_t part = drawn_at_once_in(room, kBillion);
    CHECK(part * kListedOfPart <= room + kListedOfPart * kRun);
    CHECK(part % kRun == 0);
    const std::uint64_t parts = (kBillion + part - 1) / part;
    CHECK(kBillion - (parts - 1) * part > part - parts * kRun);
    // One part less would not fit.
    if (parts > 1) CHECK(kBillion / (parts - 1) * kListedOfPart > room);
  }
  // With hardly any room, not so few that a picture takes forever; small types are one part.
  CHECK(drawn_at_once_in(0, kBillion) == kFewestDrawnAtOnce);
  CHECK(drawn_at_once_in(0, 1000) == 1024);
}
