#include "app/viewer/cursor_sight.h"

#include <cmath>

namespace haloscope::app::viewer {

namespace {

// Of the picture's width: what is seen there is the same.
constexpr double kSameSight = 1e-4;

bool is_near(session::PicturePoint a, session::PicturePoint b) {
  return std::abs(a.x - b.x) < kSameSight && std::abs(a.y - b.y) < kSameSight;
}

}  // namespace

void CursorSight::show(std::optional<std::uint64_t> picture) {
  if (picture == picture_) return;
  picture_ = picture;
  probe_.cancel();
  seen_.reset();
}

std::optional<Vec> CursorSight::point(session::PicturePoint at,
                                      const std::function<void(PointProbe&)>& look) {
  if (!picture_) return {};
  if ((!seen_ || !is_near(seen_->at, at)) && !probe_.busy()) {
    seen_ = Seen{at, false, {}};
    look(probe_);
  }
  if (!seen_ || !seen_->known || !is_near(seen_->at, at)) return {};
  return seen_->point;
}

void CursorSight::receive() {
  const auto found = probe_.receive();
  if (!found || !seen_) return;
  seen_->known = true;
  seen_->point = *found;
}

void CursorSight::cancel() {
  probe_.cancel();
  if (seen_ && !seen_->known) seen_.reset();
}

}  // namespace haloscope::app::viewer
