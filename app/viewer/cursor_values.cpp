#include "app/viewer/cursor_values.h"

#include "io/snapshots/gadget_units.h"

#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <limits>

namespace haloscope::app::viewer {

namespace {

double nearest_difference(double a, double b, double period) {
  const double difference = a - b;
  return period > 0 ? difference - period * std::round(difference / period) : difference;
}

}  // namespace

std::optional<std::uint64_t> piece_around(const analysis::Finding& found, const SnapshotInfo& info,
                                          const Vec& point) {
  const analysis::Finder& finder = analysis::require_finder(found.finder);
  if (finder.words().places_alone) return finder.piece_at(found, point);
  const double period = info.periodic ? info.box_size : 0;
  double smallest = std::numeric_limits<double>::infinity();
  std::optional<std::uint64_t> piece;
  for (std::size_t k = 0; k < found.places.size(); ++k) {
    const analysis::PiecePlace& place = found.places[k];
    if (!(place.radius < smallest)) continue;
    double squared = 0;
    for (std::size_t c = 0; c < 3; ++c) {
      const double side = nearest_difference(point[c], place.center[c], period);
      squared += side * side;
    }
    if (squared > place.radius * place.radius) continue;
    smallest = place.radius;
    piece = k;
  }
  return piece;
}

std::optional<std::uint64_t> PieceUnderCursor::at(
    const std::shared_ptr<const analysis::Finding>& found, const SnapshotInfo& info,
    const Vec& point) {
  if (found_.lock() == found && point_ == point) return piece_;
  piece_ = search_(*found, info, point);
  found_ = found;
  point_ = point;
  return piece_;
}

Vec in_box(const SnapshotInfo& info, Vec point) {
  if (!info.periodic || !(info.box_size > 0)) return point;
  for (std::size_t c = 0; c < 3; ++c)
    point[c] -= info.box_size * std::floor((point[c] - info.box_origin[c]) / info.box_size);
  return point;
}

std::string value_in_words(const analysis::GridPlane& plane, std::size_t cell) {
  return fmt::format("{} {:.6g}{}", plane.name, plane.values[cell],
                     plane.unit.empty() ? "" : " " + plane.unit);
}

std::string cursor_in_words(const SnapshotInfo& info, const Vec& point, const std::string& value,
                            const std::string& structure) {
  const Vec at = in_box(info, point);
  std::string words =
      fmt::format("{:.6g} {:.6g} {:.6g} {}", at[0], at[1], at[2], io::length_unit(info.units));
  for (const std::string& more : {value, structure})
    if (!more.empty()) words += "   " + more;
  return words;
}

}  // namespace haloscope::app::viewer
