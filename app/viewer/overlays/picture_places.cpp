#include "app/viewer/overlays/picture_places.h"

#include "app/session/camera_motion.h"

#include <algorithm>
#include <cmath>

namespace haloscope::app::viewer {

namespace {

// Drawn circles at most, the largest halos: more would cover the picture.
constexpr std::size_t kMostCircles = 2000;
// A smaller circle hides what it marks.
constexpr float kSmallestCircle = 3;  // points
constexpr float kEasyToHit = 6;       // points, for the mouse
// A larger one is a line, and beyond what Dear ImGui counts in whole numbers.
constexpr float kLargestCircle = 1e5f;  // pixels

// The copy of a point of a periodic box that is nearest to the camera's center, where it is drawn.
Vec nearest_copy(const PanelInput& input, const session::Camera& camera, Vec point) {
  const SnapshotInfo& info = input.scene->info;
  if (!info.periodic || !(info.box_size > 0)) return point;
  for (std::size_t c = 0; c < 3; ++c)
    point[c] -= info.box_size * std::round((point[c] - camera.center[c]) / info.box_size);
  return point;
}

std::optional<HaloCircle> circle_of(const PanelInput& input, const PictureArea& area,
                                    const analysis::HaloRow& halo) {
  auto circle = seen_ball(input, area, halo.center, halo.radius);
  if (circle) circle->number = halo.number;
  return circle;
}

}  // namespace

std::optional<ImVec2> place_in(const PictureArea& area, const session::Camera& camera,
                               const Vec& point) {
  const auto at = session::project(camera, point);
  if (!at) return {};
  return ImVec2(area.x + area.width * float(0.5 + at->x),
                area.y + 0.5f * area.height - area.width * float(at->y));
}

std::optional<HaloCircle> seen_ball(const PanelInput& input, const PictureArea& area,
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
  return HaloCircle{0, at->x, at->y, seen};
}

std::vector<HaloCircle> halo_circles(const PanelInput& input, const PictureArea& area) {
  std::vector<HaloCircle> circles;
  if (!input.halos || !input.picture || !input.scene) return circles;
  const auto& rows = input.halos->rows;
  const auto chosen = input.state.halos.selected;
  const float smallest = kSmallestCircle * input.scale;
  for (std::size_t k = 0; k < std::min(rows.size(), kMostCircles); ++k) {
    if (chosen == rows[k].number) continue;
    const auto circle = circle_of(input, area, rows[k]);
    if (circle && circle->radius >= smallest) circles.push_back(*circle);
  }
  if (!chosen || *chosen >= rows.size()) return circles;
  // Last, so that no other hides it.
  if (auto circle = circle_of(input, area, rows[std::size_t(*chosen)])) {
    circle->radius = std::max(circle->radius, smallest);
    circles.push_back(*circle);
  }
  return circles;
}

std::optional<std::uint64_t> halo_under(const PanelInput& input, const PictureArea& area, float x,
                                        float y) {
  std::optional<HaloCircle> best;
  for (const HaloCircle& circle : halo_circles(input, area)) {
    const float reach = std::max(circle.radius, kEasyToHit * input.scale);
    if (std::hypot(circle.x - x, circle.y - y) > reach) continue;
    if (!best || circle.radius < best->radius) best = circle;
  }
  if (!best) return {};
  return best->number;
}

}  // namespace haloscope::app::viewer
