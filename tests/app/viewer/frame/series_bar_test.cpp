#include "app/viewer/frame/series_bar.h"

#include "tests/catch.h"

#include <optional>
#include <vector>

// Where the snapshots of a series lie along its bar.

namespace haloscope::app::viewer {

namespace {

SeriesMoments at(const std::vector<std::optional<double>>& places) {
  SeriesMoments moments;
  for (const auto& place : places)
    moments.push_back(place ? std::optional(SeriesMoment{*place, {}}) : std::nullopt);
  return moments;
}

const std::vector<double> kEven{0, 0.5, 1};

}  // namespace

TEST_CASE("snapshots lie along the series by their moments, whichever way it goes") {
  const SeriesMoments up = at({0.1, 0.2, 0.5}), down = at({9., 3., 1.});
  CHECK(series_places(3, &up) == std::vector<double>{0, 0.25, 1});
  CHECK(series_places(3, &down) == std::vector<double>{0, 0.75, 1});
}

TEST_CASE("without known moments in order snapshots lie evenly") {
  CHECK(series_places(3, nullptr) == kEven);
  for (const auto& places :
       std::vector<std::vector<std::optional<double>>>{{},
                                                       {0.1, 0.2},
                                                       {0.1, std::nullopt, 0.5},
                                                       {0.1, 0.1, 0.5},
                                                       {0.5, 0.5, 0.5},
                                                       {0.1, 0.6, 0.5}}) {
    const SeriesMoments moments = at(places);
    CHECK(series_places(3, &moments) == kEven);
  }
  CHECK(series_places(1, nullptr) == std::vector<double>{0});
}

TEST_CASE("the nearest snapshot is meant") {
  const std::vector<double> places{0, 0.25, 1};
  CHECK(nearest_snapshot(places, -5) == 0);
  CHECK(nearest_snapshot(places, 0.2) == 1);
  CHECK(nearest_snapshot(places, 0.62) == 1);
  CHECK(nearest_snapshot(places, 0.63) == 2);
  CHECK(nearest_snapshot(places, 7) == 2);
}

}  // namespace haloscope::app::viewer
