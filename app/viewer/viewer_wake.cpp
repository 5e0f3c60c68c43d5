#include "app/viewer/viewer.h"

#include <algorithm>
#include <optional>

// When a sleeping loop must draw again though nothing happens.
namespace haloscope::app::viewer {

// Stripes move where a job cannot tell how far it is, and stand still with the last of them.
std::optional<double> Viewer::stripes_at() const {
  constexpr double kStep = 1. / 15;  // s
  const bool works =
      opener_.busy() || findings_.busy() || exporter_->status().busy || counter_.busy();
  if (!memory_.stripes_move || !works) return {};
  return now_ + kStep;
}

std::optional<double> Viewer::wake_at() const {
  std::optional<double> first;
  for (const auto& due :
       {live_.refine_at(), stripes_at(), notice_ ? std::optional(notice_->until) : std::nullopt})
    if (due) first = std::min(first.value_or(*due), *due);
  return first;
}

}  // namespace haloscope::app::viewer
