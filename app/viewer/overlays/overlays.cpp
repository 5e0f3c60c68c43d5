#include "app/viewer/overlays/overlays.h"

#include "app/session/camera_motion.h"
#include "app/session/ruler.h"
#include "app/viewer/overlays/color_legends.h"
#include "app/viewer/overlays/overlay_pen.h"
#include "app/viewer/overlays/path_line.h"
#include "app/viewer/overlays/picture_places.h"
#include "app/viewer/overlays/scale_bar.h"
#include "app/viewer/panels/scene_words.h"
#include "core/vector_math.h"
#include "io/text/length_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <imgui.h>
#include <optional>
#include <string>

namespace haloscope::app::viewer {

namespace {

constexpr double kWidestBar = 0.22;  // of the picture
constexpr float kAroundFramed = 4;   // points, about what is framed
constexpr float kAroundSame = 3;     // points, about a circle of A that may lie at the same place
constexpr float kRulerEnd = 5;       // points, the arms of its crosses
constexpr float kComparedWidth =
    1.6f;                          // points: wide enough to tell two colors apart over bright light
constexpr float kShortArm = 0.2f;  // of an axis, beside one across the line of sight

class Overlay {
 public:
  Overlay(const PanelInput& input, const PictureArea& area, float covered, ImDrawList& list)
      : input_(input),
        area_(area),
        right_(area.x + area.width - covered),
        pen_(list, input.scale * letters(input), ImGui::GetFontSize() * letters(input),
             overlay_ink(input.state.tone.white_ground)),
        ink_(pen_.ink()),
        camera_(input.picture->camera),
        margin_(14 * pen_.scale()) {}

  void draw() {
    const session::Overlays& on = input_.state.overlays;
    if (on.box) box();
    if (on.selection) selection();
    // Circles lie below all letters; numbers take what places the others leave.
    std::vector<PieceCircle> circles;
    if (on.pieces || on.labels) circles = piece_circles(input_, area_);
    if (on.pieces) {
      for (PieceCircle piece : compared_circles(input_, area_)) {
        if (!piece.cross) piece.radius += kAroundSame * pen_.scale();
        circle(piece, ink_.compared, kComparedWidth);
      }
      for (const PieceCircle& piece : circles) circle(piece);
    }
    // In a preview, as in a film, the line would lie in the camera's eye.
    if (on.path && input_.path_time.empty()) draw_path(input_, area_, pen_.list());
    if (input_.state.ruler) ruler(*input_.state.ruler);
    if (on.axes) axes();
    if (on.scale_bar != session::ScaleBar::Off) pen_.on_ground([&] { scale_bar(on.scale_bar); });
    ColorLegends legends(input_, pen_, area_.x + margin_, area_.y + margin_,
                         std::max(right_ - area_.x - 2 * margin_, 1.f));
    if (on.color_bar) pen_.on_ground([&] { legends.draw_particles(); });
    const bool sets = input_.state.show_sets != analysis::ShowSets::Off && !input_.state.map.shown;
    if (on.color_bar && sets && !session::sets_of(input_.state).empty())
      pen_.on_ground([&] { legends.draw_sets(); });
    if (on.color_bar && input_.slice) pen_.on_ground([&] { legends.draw_slice(); });
    if (on.pieces && input_.compared)
      pen_.on_ground([&] { results(*input_.compared, legends.y()); });
    if (on.time) pen_.on_ground([&] { redshift(); });
    numbers(circles);
  }

 private:
  static float letters(const PanelInput& input) { return float(input.state.overlays.letters); }

  std::optional<ImVec2> place(const Vec& point) const { return place_in(area_, camera_, point); }

  void line(const Vec& from, const Vec& to, ImU32 color, float width = 1) {
    // In pieces: a line that begins behind the eye is seen from where it comes before it.
    constexpr int kPieces = 64;
    std::optional<ImVec2> former;
    for (int k = 0; k <= kPieces; ++k) {
      Vec point;
      for (std::size_t c = 0; c < 3; ++c)
        point[c] = from[c] + (to[c] - from[c]) * (double(k) / kPieces);
      const auto next = place(point);
      if (former && next)
        pen_.list().AddLine(*former, *next, color, std::max(1.f, width * pen_.scale()));
      former = next;
    }
  }

  void box() {
    const SnapshotInfo& info = input_.scene->info;
    render::Bounds bounds = input_.scene->bounds;
    if (info.box_size > 0) {
      bounds = {info.box_origin, info.box_origin};
      for (double& high : bounds.high) high += info.box_size;
    }
    edges(bounds, ink_.edge);
  }

  void edges(const render::Bounds& bounds, ImU32 color) {
    for (std::size_t axis = 0; axis < 3; ++axis)
      for (int corner = 0; corner < 4; ++corner) {
        Vec from = bounds.low;
        if (corner & 1) from[(axis + 1) % 3] = bounds.high[(axis + 1) % 3];
        if (corner & 2) from[(axis + 2) % 3] = bounds.high[(axis + 2) % 3];
        Vec to = from;
        to[axis] = bounds.high[axis];
        line(from, to, color);
      }
  }

  // Of a box in a periodic one, which may reach over its edge or around it, the copy whose middle
  // is nearest to the camera's center: there its particles are drawn.
  render::Bounds seen_box(const session::SelectionState& chosen) const {
    render::Bounds box{chosen.low, chosen.high};
    const SnapshotInfo& info = input_.scene->info;
    const double side = info.box_size;
    if (!info.periodic || !(side > 0)) return box;
    for (std::size_t c = 0; c < 3; ++c) {
      if (box.low[c] > box.high[c])
        box.high[c] += side * std::ceil((box.low[c] - box.high[c]) / side);
      const double middle = (box.low[c] + box.high[c]) / 2;
      const double shift = side * std::round((middle - camera_.center[c]) / side);
      box.low[c] -= shift;
      box.high[c] -= shift;
    }
    return box;
  }

  // In the plane through the middle of the picture that it was drawn over.
  void outline(const io::Outline& drawn) {
    const auto corner = [&](std::size_t k) {
      const auto& at = drawn.corners[k % drawn.corners.size()].at;
      return plus(
          plus(nearest_copy(input_, camera_, drawn.middle), drawn.right, drawn.width * at[0]),
          drawn.up, drawn.width * at[1]);
    };
    for (std::size_t k = 0; k < drawn.corners.size(); ++k)
      line(corner(k), corner(k + 1), ink_.chosen, 1);
  }

  // Where the selected particles are, if that is a place. Followed ones may have left it.
  void selection() {
    const session::SelectionState& chosen = input_.state.selection;
    if (chosen.follow_ids && chosen.made_in != input_.state.current) return;
    if (chosen.kind == session::SelectionKind::Outline && chosen.outline) outline(*chosen.outline);
    if (chosen.kind == session::SelectionKind::Box) edges(seen_box(chosen), ink_.chosen);
    if (chosen.kind != session::SelectionKind::Sphere) return;
    const auto ball = seen_ball(input_, area_, chosen.center, chosen.radius);
    if (ball) pen_.ring(ImVec2(ball->x, ball->y), ball->radius, ink_.chosen, pen_.scale());
  }

  // Where its first end is drawn, with the length beside its middle.
  void ruler(const session::Ruler& ruler) {
    const SnapshotInfo& info = input_.scene->info;
    const Vec from = nearest_copy(input_, camera_, ruler.from);
    const Vec way = session::way_of(ruler, info.periodic, info.box_size);
    const Vec to = plus(from, way), middle = plus(from, way, 0.5);
    line(from, to, ink_.shade, 4);
    line(from, to, ink_.chosen, 2);
    for (const Vec& end : {from, to})
      if (const auto at = place(end)) {
        pen_.cross(*at, kRulerEnd * pen_.scale(), ink_.shade, 4 * pen_.scale());
        pen_.cross(*at, kRulerEnd * pen_.scale(), ink_.chosen, 2 * pen_.scale());
      }
    const auto at = place(middle);
    if (!at) return;
    const std::string words = session::ruler_in_words(ruler, info, epoch().scale_factor);
    const ImVec2 size = pen_.size_of(words);
    const float x = std::clamp(at->x + margin_ / 2, area_.x + margin_,
                               std::max(area_.x + margin_, right_ - margin_ - size.x));
    const float y =
        std::clamp(at->y + margin_ / 2, area_.y + margin_,
                   std::max(area_.y + margin_, area_.y + area_.height - margin_ - size.y));
    pen_.on_ground([&] { pen_.text(x, y, words); });
  }

  // Directions of x, y and z, in the lower right corner.
  void axes() {
    const float arm = 34 * pen_.scale();
    const ImVec2 at(right_ - 2 * arm, area_.y + area_.height - 2 * arm);
    const Vec right = session::right_of(camera_), up = session::up_of(camera_);
    constexpr const char* kNames[] = {"x", "y", "z"};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const ImVec2 tip(at.x + arm * float(right[axis]), at.y - arm * float(up[axis]));
      pen_.list().AddLine(at, tip, ink_.axes[axis], 2 * pen_.scale());
      // An axis that points at the eye has no direction to be named.
      const float seen = float(std::hypot(right[axis], up[axis]));
      if (!(seen > kShortArm)) continue;
      const float beyond = 9 * pen_.scale() / seen;
      const ImVec2 size = pen_.size_of(kNames[axis]);
      pen_.text(tip.x + beyond * float(right[axis]) - size.x / 2,
                tip.y - beyond * float(up[axis]) - size.y / 2, kNames[axis]);
    }
  }

  bool is_chosen(const PieceCircle& piece) const {
    return input_.state.shown().selected == piece.number;
  }

  void frame(ImVec2 at, float half) {
    const ImVec2 low(at.x - half, at.y - half), high(at.x + half, at.y + half);
    pen_.list().AddRect(low, high, ink_.shade, 0, 0, 3.5f * pen_.scale());
    pen_.list().AddRect(low, high, ink_.chosen, 0, 0, 1.5f * pen_.scale());
  }

  void circle(const PieceCircle& piece) {
    const bool chosen = is_chosen(piece);
    const ImVec2 at(piece.x, piece.y);
    if (piece.framed) frame(at, piece.radius + kAroundFramed * pen_.scale());
    const float points = chosen ? 2 : input_.compared ? kComparedWidth : 1;
    circle(piece, chosen ? ink_.chosen : piece.cross ? ink_.cross : ink_.piece, points);
  }

  void circle(const PieceCircle& piece, ImU32 color, float points) {
    const ImVec2 at(piece.x, piece.y);
    const float width = points * pen_.scale();
    if (piece.cross) {
      pen_.cross(at, piece.radius + 1.5f * pen_.scale(), ink_.shade, width + 2.5f * pen_.scale());
      return pen_.cross(at, piece.radius, color, width);
    }
    if (piece.dashed) {
      pen_.dashed_ring(at, piece.radius, ink_.shade, width + 1.5f * pen_.scale());
      return pen_.dashed_ring(at, piece.radius, color, width);
    }
    pen_.ring(at, piece.radius, ink_.shade, width + 1.5f * pen_.scale());
    pen_.ring(at, piece.radius, color, width);
  }

  // Which of the two results has which circles, below the color bars.
  void results(const analysis::ComparedFindings& both, float y) {
    const session::ShownResults show = input_.state.compared->show;
    const bool alone = show == session::ShownResults::Differences;
    const auto line = [&](const char* name, const analysis::Finding& finding, ImU32 color) {
      const float size = pen_.letter_height(), x = area_.x + margin_;
      pen_.ring(ImVec2(x + size / 2, y + size / 2), size / 3, color, 1.5f * pen_.scale());
      pen_.text(x + 1.4f * size, y,
                fmt::format("{}{}: {}", name, alone ? ", without a partner" : "", finding.summary));
      pen_.cover({x, y, x + size, y + size});
      y += 1.2f * size;
    };
    if (show != session::ShownResults::Second) line("A", *both.first, ink_.piece);
    if (show != session::ShownResults::First) line("B", *both.second, ink_.compared);
  }

  // The selected one's first, which stands last.
  void numbers(const std::vector<PieceCircle>& circles) {
    if (circles.empty()) return;
    if (is_chosen(circles.back())) number(circles.back());
    if (!input_.state.overlays.labels) return;
    for (const PieceCircle& piece : circles)
      if (!is_chosen(piece)) number(piece);
  }

  void number(const PieceCircle& piece) {
    const std::string words = std::to_string(piece.number);
    const float aside = piece.cross ? piece.radius / 2 : 0.7f * piece.radius;
    const float x = piece.x + aside, y = piece.y - aside - pen_.letter_height();
    if (pen_.places().is_free(pen_.place_of(x, y, words))) pen_.text(x, y, words);
  }

  void scale_bar(session::ScaleBar kind) {
    const SnapshotInfo& info = input_.scene->info;
    // World length of a pixel in the plane of the camera's center, comoving or physical.
    double length = session::width_at(camera_, camera_.distance) / double(area_.width);
    const bool physical = kind == session::ScaleBar::Physical && info.units.comoving;
    if (physical) length *= epoch().scale_factor;
    if (info.units.per_h) length /= info.cosmology.hubble_param;
    double unit = length * info.units.length_cm / io::kParsecCm;
    const double bar = round_length(unit * kWidestBar * double(area_.width));
    if (!(bar > 0)) return;
    const float pixels = float(bar / unit);
    const float x = area_.x + margin_, y = area_.y + area_.height - margin_;
    pen_.list().AddRectFilled(ImVec2(x - 1, y - 4 * pen_.scale()), ImVec2(x + pixels + 1, y + 1),
                              ink_.shade);
    pen_.list().AddRectFilled(ImVec2(x, y - 3 * pen_.scale()), ImVec2(x + pixels, y), ink_.letters);
    pen_.cover({x, y - 3 * pen_.scale(), x + pixels, y});
    const char* sort = !info.units.comoving ? "" : physical ? " (physical)" : " (comoving)";
    pen_.text(x, y - 6 * pen_.scale() - pen_.letter_height(),
              session::parsecs_in_words(bar) + sort);
  }

  analysis::Epoch epoch() const {
    return input_.picture->epoch.value_or(analysis::epoch_of(input_.scene->info));
  }

  void redshift() {
    const analysis::Epoch now = epoch();
    // Snapshots at redshift 0 carry rounding such as 2e-16.
    const std::string words = now.redshift ? fmt::format("z = {:.2f}", std::max(0.0, *now.redshift))
                                           : fmt::format("t = {:.4g}", now.time);
    const ImVec2 size = pen_.size_of(words);
    // In a narrow picture the titles of the color bars reach as far: then below them.
    const float x = right_ - margin_ - size.x;
    float y = area_.y + margin_;
    while (!pen_.places().is_free(pen_.place_of(x, y, words)) &&
           y + 2 * size.y < area_.y + area_.height)
      y += size.y;
    pen_.text(x, y, words);
  }

  const PanelInput& input_;
  const PictureArea& area_;
  float right_;  // where the part of it ends that is not covered
  OverlayPen pen_;
  const OverlayInk& ink_;
  const session::Camera& camera_;
  float margin_;
};

}  // namespace

void draw_overlays(const PanelInput& input, const PictureArea& area, float covered) {
  input.memory.color_bars.clear();
  if (!input.scene || !input.picture) return;
  ImDrawList& list = *ImGui::GetBackgroundDrawList();
  list.PushClipRect(ImVec2(area.x, area.y), ImVec2(area.x + area.width, area.y + area.height));
  Overlay(input, area, covered, list).draw();
  list.PopClipRect();
}

void draw_cursor_line(const PanelInput& input, const PictureArea& area, const std::string& words,
                      float covered) {
  if (words.empty()) return;
  ImDrawList& list = *ImGui::GetBackgroundDrawList();
  list.PushClipRect(ImVec2(area.x, area.y), ImVec2(area.x + area.width, area.y + area.height));
  const float edge = 5 * input.scale, width = area.width - covered;
  const float most = std::max(1.f, width - 4 * edge);
  const ImVec2 size = ImGui::CalcTextSize(words.c_str(), nullptr, false, most);
  const OverlayInk& ink = overlay_ink(input.state.tone.white_ground);
  const float x = std::max(area.x + 2 * edge, area.x + (width - size.x) / 2);
  // In the middle: the scale bar stands at the left, up to so much of the width, the axes at the
  // right. Above both where the words are long.
  const bool is_long = x - edge < area.x + kWidestBar * area.width + 4 * edge;
  const float lower = is_long ? 2 * ImGui::GetTextLineHeightWithSpacing() + 4 * edge : 0;
  const float y = area.y + area.height - size.y - 2 * edge - lower;
  list.AddRectFilled(ImVec2(x - edge, y - edge), ImVec2(x + size.x + edge, y + size.y + edge),
                     ink.ground, 3 * input.scale);
  list.AddText(nullptr, 0, ImVec2(x, y), ink.letters, words.c_str(), nullptr, most);
  list.PopClipRect();
}

}  // namespace haloscope::app::viewer
