#include "app/viewer/viewer.h"

#include <algorithm>
#include <optional>

// When a loop that sleeps must draw again though nothing happens.
namespace haloscope::app::viewer {

// Stripes move while a job runs that cannot tell how far it is.
std::optional<double> Viewer::stripes_at() const {
  constexpr double kStep = 1. / 15;  // s
  if (!memory_.stripes_move || !tasks_.jobs().any()) return {};
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
