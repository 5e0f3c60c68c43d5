#include "app/viewer/frame/frame_parts.h"

#include <algorithm>
#include <cmath>

namespace haloscope::app::viewer {

namespace {

// Points. Beside the inspector and above a quarter of a shelf, half of a window of 1280 x 720 is
// the picture's.
constexpr float kTop = 28, kStatus = 24, kWords = 58, kInspector = 302;
// A smaller window has no room for an inspector beside the picture.
constexpr float kRoomyWidth = 1280, kRoomyHeight = 720;
constexpr float kNarrowestShelf = 480;
constexpr float kStrip = 16;  // pixels of the picture that stay in the narrowest window

}  // namespace

FrameParts arrange(const session::Layout& layout, float width, float height, float scale) {
  FrameParts parts;
  width = std::max(1.f, width);
  height = std::max(1.f, height);
  // Bars that would leave nothing between them are cut.
  const float tallest = std::floor(height / 4);
  const float top = layout.bars ? std::min(std::round(kTop * scale), tallest) : 0;
  const float status = layout.bars ? std::min(std::round(kStatus * scale), tallest) : 0;
  const float room = height - top - status;
  const float widest = std::max(0.f, width - std::min(width, kStrip));
  const float words = layout.sides ? std::min(std::round(kWords * scale), widest) : 0;
  const float inspector =
      layout.shows_inspector() ? std::min(std::round(kInspector * scale), widest - words) : 0;
  parts.inspector_covers = width < kRoomyWidth * scale || height < kRoomyHeight * scale;
  const float beside = words + (parts.inspector_covers ? 0 : inspector);
  const float shelf = layout.shows_shelf()
                          ? std::floor(room * std::clamp(float(layout.shelf_height), 0.f, 1.f))
                          : 0;
  parts.top = {0, 0, width, top};
  parts.status = {0, height - status, width, status};
  parts.picture = {0, top, width - beside, std::max(1.f, room - shelf)};
  // An inspector that covers the picture leaves the shelf alone: it stands beside it, or above it
  // with its words where the shelf would be too narrow.
  const bool above = inspector > 0 && width - words - inspector < kNarrowestShelf * scale;
  const float high = above ? room - shelf : room;
  parts.words = {width - inspector - words, top, words, high};
  parts.inspector = {width - inspector, top, inspector, high};
  parts.shelf = {0, top + room - shelf, above ? width : width - words - inspector, shelf};
  return parts;
}

double shelf_height_at(const FrameParts& parts, float y) {
  const float bottom = parts.shelf.y + parts.shelf.height;
  const double height = double(bottom - y) / double(bottom - parts.picture.y);
  return std::clamp(height, session::kLowestShelf, session::kHighestShelf);
}

}  // namespace haloscope::app::viewer
