#include "analysis/snapshot/snapshot_interval.h"
#include "app/viewer/viewer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

// What the preview of a path tells of itself.
namespace haloscope::app::viewer {

namespace {

std::string epoch_in_words(const analysis::Epoch& epoch) {
  if (!epoch.redshift) return fmt::format("t = {:.4g}", epoch.time);
  // Snapshots at redshift 0 carry rounding such as 2e-16.
  return fmt::format("z = {:.2f}", std::max(0.0, *epoch.redshift));
}

// Of a place in the series, from 0; empty where the headers are not read, or do not tell it.
std::string moment_in_series(const SeriesMoments& moments, double place) {
  const double last = double(moments.size()) - 1;
  const auto first = std::size_t(std::clamp(std::floor(place), 0.0, std::max(0.0, last)));
  const std::size_t next = std::min(first + 1, moments.size() - 1);
  if (moments.empty() || !moments[first] || !moments[next]) return {};
  const double fraction = std::clamp(place - double(first), 0.0, 1.0);
  return epoch_in_words(
      analysis::epoch_between(moments[first]->when, moments[next]->when, fraction));
}

std::string place_in_series(double place, std::size_t count) {
  const double whole = std::floor(place);
  if (place - whole < 1e-6) return fmt::format("snapshot {} of {}", whole + 1, count);
  return fmt::format("between snapshots {} and {} of {}", whole + 1, whole + 2, count);
}

}  // namespace

// The film's own time. The picture stays in the snapshot that is open; what is told of the series
// is what the film will show then.
std::string Viewer::path_time() const {
  const auto& moment = seen_.moment();
  if (!moment) return {};
  std::string words = fmt::format("{:.1f} of {:.1f} s", moment->seconds - seen_.path_begin(),
                                  seen_.path_end() - seen_.path_begin());
  const std::size_t count = state_.snapshots.size();
  std::string when;
  if (count > 1) {
    words += ", " + place_in_series(moment->snapshot, count);
    when = moment_in_series(series_.moments(), moment->snapshot);
  } else if (opener_.model()) {
    when = epoch_in_words(analysis::epoch_of(opener_.model()->info));
  }
  return when.empty() ? words : words + ", " + when;
}

}  // namespace haloscope::app::viewer
