#pragma once

#include <algorithm>
#include <vector>

namespace haloscope::app::viewer {

// Where letters already stand in a picture, so that no label is written over another one. Pixels.
class LabelPlaces {
 public:
  struct Place {
    float left, top, right, bottom;
  };
  bool is_free(const Place& place) const {
    return std::none_of(taken_.begin(), taken_.end(), [&](const Place& other) {
      return place.left < other.right && other.left < place.right && place.top < other.bottom &&
             other.top < place.bottom;
    });
  }
  void take(const Place& place) { taken_.push_back(place); }

 private:
  std::vector<Place> taken_;
};

}  // namespace haloscope::app::viewer
