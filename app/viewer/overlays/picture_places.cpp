#include "app/viewer/overlays/picture_places.h"

#include "analysis/finder.h"
#include "app/session/camera_motion.h"
#include "compute/splotch/planes_span.h"
#include "core/vector_math.h"
#include "render/scene/slab_choice.h"

#include <algorithm>
#include <cmath>

namespace haloscope::app::viewer {

namespace {

// Drawn circles at most, those of the first pieces: more would cover the picture.
constexpr std::size_t kMostCircles = 2000;
// A smaller circle hides what it marks.
constexpr float kSmallestCircle = 3;  // points
constexpr float kEasyToHit = 6;       // points, for the mouse
// Arms of crosses, points.
constexpr float kCross = 4, kChosenCross = 7;
// Crosses of the first pieces alone are drawn: those of a thousand peaks would cover the picture.
constexpr std::size_t kMainCrosses = 200;
// A larger one is a line, and beyond what Dear ImGui counts in whole numbers.
constexpr float kLargestCircle = 1e5f;  // pixels

// Whether particles there are drawn, by the slab of the view.
bool lies_in_slab(const PanelInput& input, const Vec& point) {
  const render::SlabChoice& slab = input.state.slab;
  const SnapshotInfo& info = input.scene->info;
  if (slab.axis) {
    const double side = info.periodic ? info.box_size : 0;
    double above = point[*slab.axis] - slab.low;
    if (side > 0) above -= side * std::floor(above / side);
    if (above < 0 || above > compute::splotch::planes_span({*slab.axis, slab.low, slab.high}, side))
      return false;
  }
  if (!slab.thickness) return true;
  const session::Camera& camera = input.picture->camera;
  const Vec from_center = minus(nearest_copy(input, camera, point), camera.center);
  return std::abs(dot(from_center, session::back_of(camera))) <= *slab.thickness / 2;
}

// Whether the circle of a piece is drawn, of two results that are compared.
bool is_compared_so(const PanelInput& input, const std::vector<bool>& alone, std::size_t piece,
                    session::ShownResults without) {
  if (!input.compared || !input.state.compared) return true;
  const session::ShownResults show = input.state.compared->show;
  if (show == without) return false;
  return show != session::ShownResults::Differences || piece >= alone.size() || alone[piece];
}

std::optional<PieceCircle> circle_of(const PanelInput& input, const PictureArea& area,
                                     const analysis::Finding& finding, std::size_t piece) {
  const analysis::PiecePlace& place = finding.places[piece];
  auto circle = seen_ball(input, area, place.center, place.radius);
  if (circle) {
    circle->number = piece;
    circle->dashed = place.assumed;
  }
  return circle;
}

}  // namespace

Vec nearest_copy(const PanelInput& input, const session::Camera& camera, Vec point) {
  const SnapshotInfo& info = input.scene->info;
  if (!info.periodic || !(info.box_size > 0)) return point;
  for (std::size_t c = 0; c < 3; ++c)
    point[c] -= info.box_size * std::round((point[c] - camera.center[c]) / info.box_size);
  return point;
}

std::optional<ImVec2> place_in(const PictureArea& area, const session::Camera& camera,
                               const Vec& point) {
  const auto at = session::project(camera, point);
  if (!at) return {};
  return ImVec2(area.x + area.width * float(0.5 + at->x),
                area.y + 0.5f * area.height - area.width * float(at->y));
}

std::optional<PieceCircle> seen_ball(const PanelInput& input, const PictureArea& area,
                                     const Vec& middle, double radius) {
  const session::Camera& camera = input.picture->camera;
  const Vec center = nearest_copy(input, camera, middle);
  const auto at = place_in(area, camera, center);
  if (!at) return {};
  double depth = 0;
  const Vec eye = session::eye_of(camera), back = session::back_of(camera);
  for (std::size_t c = 0; c < 3; ++c) depth += (eye[c] - center[c]) * back[c];
  const float seen = float(radius / session::width_at(camera, depth)) * area.width;
  if (!(seen < kLargestCircle)) return {};
  return PieceCircle{0, at->x, at->y, seen};
}

std::vector<PieceCircle> piece_circles(const PanelInput& input, const PictureArea& area) {
  std::vector<PieceCircle> circles;
  if (!input.finding || !input.picture || !input.scene) return circles;
  const analysis::Finding& finding = *input.finding;
  const std::size_t count = finding.places.size();
  const auto chosen = input.state.finding(finding.finder).selected;
  const float smallest = kSmallestCircle * input.scale / input.enlarged;
  const bool crosses = analysis::require_finder(finding.finder).words().places_alone;
  const auto as_cross = [&](PieceCircle circle, float arm) {
    circle.cross = true;
    circle.radius = arm * input.scale;
    return circle;
  };
  const auto is_framed = [&](std::uint64_t piece) {
    return input.brushed && std::binary_search(input.brushed->begin(), input.brushed->end(), piece);
  };
  const std::size_t most = crosses ? kMainCrosses : kMostCircles;
  for (std::size_t k = 0; k < std::min(count, most); ++k) {
    if (chosen == k || is_framed(k) || !lies_in_slab(input, finding.places[k].center)) continue;
    if (input.compared &&
        !is_compared_so(input, input.compared->first_alone, k, session::ShownResults::Second))
      continue;
    const auto circle = circle_of(input, area, finding, k);
    if (!circle) continue;

    if (crosses)
      circles.push_back(as_cross(*circle, kCross));
    else if (circle->radius >= smallest)
      circles.push_back(*circle);
  }
  // Behind the others, so that none hides them.
  std::size_t framed = 0;
  for (const std::uint64_t k : input.brushed ? *input.brushed : std::vector<std::uint64_t>{}) {
    if (chosen == k || k >= count || !lies_in_slab(input, finding.places[k].center)) continue;
    if (++framed > kMostCircles) break;
    auto circle = circle_of(input, area, finding, std::size_t(k));
    if (!circle) continue;
    circle->radius = std::max(circle->radius, smallest);
    if (crosses) circle = as_cross(*circle, kCross);
    circle->framed = true;
    circles.push_back(*circle);
  }
  if (!chosen || *chosen >= count) return circles;
  // Last, so that no other hides it; wherever it is, so that it is found again.
  if (auto circle = circle_of(input, area, finding, std::size_t(*chosen))) {
    circle->radius = std::max(circle->radius, smallest);
    circle->framed = is_framed(*chosen);
    circles.push_back(crosses ? as_cross(*circle, kChosenCross) : *circle);
  }
  return circles;
}

std::vector<PieceCircle> compared_circles(const PanelInput& input, const PictureArea& area) {
  std::vector<PieceCircle> circles;
  if (!input.compared || !input.picture || !input.scene) return circles;
  const analysis::Finding& second = *input.compared->second;
  const bool crosses = analysis::require_finder(second.finder).words().places_alone;
  const std::size_t most = std::min(second.places.size(), crosses ? kMainCrosses : kMostCircles);
  for (std::size_t k = 0; k < most; ++k) {
    if (!lies_in_slab(input, second.places[k].center) ||
        !is_compared_so(input, input.compared->second_alone, k, session::ShownResults::First))
      continue;
    auto circle = circle_of(input, area, second, k);
    if (!circle || (!crosses && circle->radius < kSmallestCircle * input.scale / input.enlarged))
      continue;
    circle->cross = crosses;
    if (crosses) circle->radius = kCross * input.scale;
    circles.push_back(*circle);
  }
  return circles;
}

std::optional<std::uint64_t> piece_under(const PanelInput& input, const PictureArea& area, float x,
                                         float y) {
  std::optional<PieceCircle> best;
  for (const PieceCircle& circle : piece_circles(input, area)) {
    const float reach = std::max(circle.radius, kEasyToHit * input.scale);
    if (std::hypot(circle.x - x, circle.y - y) > reach) continue;
    if (!best || circle.radius < best->radius) best = circle;
  }
  if (!best) return {};
  return best->number;
}

}  // namespace haloscope::app::viewer
