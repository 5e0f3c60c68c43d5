#include "app/viewer/overlays/overlays.h"

#include "analysis/finder.h"
#include "analysis/particle_colors.h"
#include "app/session/camera_motion.h"
#include "app/session/ruler.h"
#include "app/viewer/overlays/color_strip.h"
#include "app/viewer/overlays/label_places.h"
#include "app/viewer/overlays/path_line.h"
#include "app/viewer/overlays/picture_places.h"
#include "app/viewer/overlays/scale_bar.h"
#include "app/viewer/panels/scene_words.h"
#include "core/vector_math.h"
#include "io/text/length_words.h"
#include "render/scene/particle_coloring.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <imgui.h>
#include <optional>
#include <string>

namespace haloscope::app::viewer {

namespace {

using compute::splotch::Transform;

constexpr ImU32 kInk = IM_COL32(235, 238, 242, 255), kShade = IM_COL32(0, 0, 0, 160);
constexpr ImU32 kOutline = IM_COL32(0, 0, 0, 60);
// Below legends: what shines through is too faint to compete with letters.
constexpr ImU32 kGround = IM_COL32(0, 0, 0, 150);
constexpr ImU32 kPiece = IM_COL32(150, 215, 255, 200), kChosen = IM_COL32(255, 205, 90, 255);
constexpr ImU32 kCompared = IM_COL32(255, 150, 110, 220);  // of the other one of two results
constexpr ImU32 kCrossInk = IM_COL32(150, 235, 255, 255);  // of a cross, which is small
constexpr ImU32 kEdge = IM_COL32(170, 180, 195, 130);
constexpr float kAroundFramed = 4;  // points, about what is framed
constexpr float kAroundSame = 3;    // points, about a circle of A that may lie at the same place
constexpr float kRulerEnd = 5;      // points, the arms of its crosses
constexpr float kMapBar = 240;      // points, the length of a map's color bar
constexpr int kExactSteps = 256;    // of its colors: as many as a byte tells apart
constexpr float kShortArm = 0.2f;   // of an axis, beside one across the line of sight

class Overlay {
 public:
  Overlay(const PanelInput& input, const PictureArea& area, float covered, ImDrawList& list)
      : input_(input),
        area_(area),
        right_(area.x + area.width - covered),
        list_(list),
        camera_(input.picture->camera),
        margin_(14 * input.scale) {}

  void draw() {
    const session::Overlays& on = input_.state.overlays;
    if (on.box) box();
    if (on.selection) selection();
    // Circles lie below all letters; numbers take what places the others leave.
    std::vector<PieceCircle> circles;
    if (on.pieces || on.labels) circles = piece_circles(input_, area_);
    if (on.pieces) {
      for (PieceCircle piece : compared_circles(input_, area_)) {
        if (!piece.cross) piece.radius += kAroundSame * input_.scale;
        circle(piece, kCompared, 1);
      }
      for (const PieceCircle& piece : circles) circle(piece);
    }
    // In a preview, as in a film, the line would lie in the camera's eye.
    if (on.path && input_.path_time.empty()) draw_path(input_, area_, list_);
    if (input_.state.ruler) ruler(*input_.state.ruler);
    if (on.axes) axes();
    if (on.scale_bar != session::ScaleBar::Off) on_ground([&] { scale_bar(on.scale_bar); });
    legend_y_ = area_.y + margin_;
    if (on.color_bar) on_ground([&] { particle_colors(); });
    if (on.color_bar && input_.slice) on_ground([&] { slice_colors(); });
    if (on.pieces && input_.compared) on_ground([&] { results(*input_.compared); });
    if (on.time) on_ground([&] { redshift(); });
    numbers(circles);
  }

 private:
  LabelPlaces::Place place_of(float x, float y, const std::string& words) const {
    const ImVec2 size = ImGui::CalcTextSize(words.c_str());
    return {x, y, x + size.x, y + size.y};
  }

  // A legend with a ground below all that it covers.
  template <class Draw>
  void on_ground(const Draw& draw) {
    covered_.reset();
    list_.ChannelsSplit(2);
    list_.ChannelsSetCurrent(1);
    draw();
    list_.ChannelsSetCurrent(0);
    if (covered_) {
      const float edge = 5 * input_.scale;
      const LabelPlaces::Place ground{covered_->left - edge, covered_->top - edge,
                                      covered_->right + edge, covered_->bottom + edge};
      list_.AddRectFilled(ImVec2(ground.left, ground.top), ImVec2(ground.right, ground.bottom),
                          kGround, 3 * input_.scale);
      places_.take(ground);
    }
    list_.ChannelsMerge();
  }

  void cover(const LabelPlaces::Place& place) {
    if (!covered_) covered_ = place;
    covered_ = {std::min(covered_->left, place.left), std::min(covered_->top, place.top),
                std::max(covered_->right, place.right), std::max(covered_->bottom, place.bottom)};
  }

  // Bright in a dark outline: readable over dark and bright places alike.
  void text(float x, float y, const std::string& words) {
    const float step = std::max(1.f, input_.scale);
    for (const float dx : {-step, 0.f, step})
      for (const float dy : {-step, 0.f, step})
        list_.AddText(ImVec2(x + dx, y + dy), kOutline, words.c_str());
    list_.AddText(ImVec2(x, y), kInk, words.c_str());
    places_.take(place_of(x, y, words));
    cover(place_of(x, y, words));
  }

  // With sides that keep within a tenth of a pixel of the arc up to a radius of 80,000 pixels; Dear
  // ImGui's own circles have at most 512, which are seen in large stills.
  void ring(ImVec2 at, float radius, ImU32 color, float width) {
    constexpr float kOff = 0.1f, kPi = 3.14159265f;
    const float half_side = std::acos(1 - std::min(0.5f, kOff / std::max(radius, 1.f)));
    const int sides = std::clamp(int(kPi / half_side) + 1, 12, 2000);
    list_.PathArcTo(at, radius, 0, 2 * kPi * float(sides - 1) / float(sides), sides - 1);
    list_.PathStroke(color, ImDrawFlags_Closed, width);
  }

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
      if (former && next) list_.AddLine(*former, *next, color, std::max(1.f, width * input_.scale));
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
    edges(bounds, kEdge);
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

  // Where the selected particles are, if that is a place. Followed ones may have left it.
  void selection() {
    const session::SelectionState& chosen = input_.state.selection;
    if (chosen.follow_ids && chosen.made_in != input_.state.current) return;
    if (chosen.kind == session::SelectionKind::Box) edges(seen_box(chosen), kChosen);
    if (chosen.kind != session::SelectionKind::Sphere) return;
    const auto ball = seen_ball(input_, area_, chosen.center, chosen.radius);
    if (ball) ring(ImVec2(ball->x, ball->y), ball->radius, kChosen, input_.scale);
  }

  // Where its first end is drawn, with the length beside its middle.
  void ruler(const session::Ruler& ruler) {
    const SnapshotInfo& info = input_.scene->info;
    const Vec from = nearest_copy(input_, camera_, ruler.from);
    const Vec way = session::way_of(ruler, info.periodic, info.box_size);
    const Vec to = plus(from, way), middle = plus(from, way, 0.5);
    line(from, to, kShade, 4);
    line(from, to, kChosen, 2);
    for (const Vec& end : {from, to})
      if (const auto at = place(end)) {
        cross(*at, kRulerEnd * input_.scale, kShade, 4 * input_.scale);
        cross(*at, kRulerEnd * input_.scale, kChosen, 2 * input_.scale);
      }
    const auto at = place(middle);
    if (!at) return;
    const std::string words = session::ruler_in_words(ruler, info, epoch().scale_factor);
    const ImVec2 size = ImGui::CalcTextSize(words.c_str());
    const float x = std::clamp(at->x + margin_ / 2, area_.x + margin_,
                               std::max(area_.x + margin_, right_ - margin_ - size.x));
    const float y =
        std::clamp(at->y + margin_ / 2, area_.y + margin_,
                   std::max(area_.y + margin_, area_.y + area_.height - margin_ - size.y));
    on_ground([&] { text(x, y, words); });
  }

  // Directions of x, y and z, in the lower right corner.
  void axes() {
    const float arm = 34 * input_.scale;
    const ImVec2 at(right_ - 2 * arm, area_.y + area_.height - 2 * arm);
    const Vec right = session::right_of(camera_), up = session::up_of(camera_);
    constexpr const char* kNames[] = {"x", "y", "z"};
    constexpr ImU32 kColors[] = {IM_COL32(240, 110, 100, 255), IM_COL32(120, 215, 120, 255),
                                 IM_COL32(110, 160, 250, 255)};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const ImVec2 tip(at.x + arm * float(right[axis]), at.y - arm * float(up[axis]));
      list_.AddLine(at, tip, kColors[axis], 2 * input_.scale);
      // An axis that points at the eye has no direction to be named.
      const float seen = float(std::hypot(right[axis], up[axis]));
      if (!(seen > kShortArm)) continue;
      const float beyond = 9 * input_.scale / seen;
      const ImVec2 size = ImGui::CalcTextSize(kNames[axis]);
      text(tip.x + beyond * float(right[axis]) - size.x / 2,
           tip.y - beyond * float(up[axis]) - size.y / 2, kNames[axis]);
    }
  }

  bool is_chosen(const PieceCircle& piece) const {
    return input_.state.shown().selected == piece.number;
  }

  void cross(ImVec2 at, float arm, ImU32 color, float width) {
    list_.AddLine(ImVec2(at.x - arm, at.y), ImVec2(at.x + arm, at.y), color, width);
    list_.AddLine(ImVec2(at.x, at.y - arm), ImVec2(at.x, at.y + arm), color, width);
  }

  void frame(ImVec2 at, float half) {
    const ImVec2 low(at.x - half, at.y - half), high(at.x + half, at.y + half);
    list_.AddRect(low, high, kShade, 0, 0, 3.5f * input_.scale);
    list_.AddRect(low, high, kChosen, 0, 0, 1.5f * input_.scale);
  }

  void circle(const PieceCircle& piece) {
    const bool chosen = is_chosen(piece);
    const ImVec2 at(piece.x, piece.y);
    if (piece.framed) frame(at, piece.radius + kAroundFramed * input_.scale);
    circle(piece, chosen ? kChosen : piece.cross ? kCrossInk : kPiece, chosen ? 2 : 1);
  }

  void circle(const PieceCircle& piece, ImU32 color, float points) {
    const ImVec2 at(piece.x, piece.y);
    const float width = points * input_.scale;
    if (piece.cross) {
      cross(at, piece.radius + 1.5f * input_.scale, kShade, width + 2.5f * input_.scale);
      return cross(at, piece.radius, color, width);
    }
    ring(at, piece.radius, kShade, width + 1.5f * input_.scale);
    ring(at, piece.radius, color, width);
  }

  // Which of the two results has which circles, below the color bars.
  void results(const analysis::ComparedFindings& both) {
    const session::ShownResults show = input_.state.compared->show;
    const bool alone = show == session::ShownResults::Differences;
    float y = legend_y_;
    const auto line = [&](const char* name, const analysis::Finding& finding, ImU32 color) {
      const float size = ImGui::GetFontSize(), x = area_.x + margin_;
      ring(ImVec2(x + size / 2, y + size / 2), size / 3, color, 1.5f * input_.scale);
      text(x + 1.4f * size, y,
           fmt::format("{}{}: {}", name, alone ? ", without a partner" : "", finding.summary));
      cover({x, y, x + size, y + size});
      y += 1.2f * size;
    };
    if (show != session::ShownResults::Second) line("A", *both.first, kPiece);
    if (show != session::ShownResults::First) line("B", *both.second, kCompared);
    legend_y_ = y;
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
    const float x = piece.x + aside, y = piece.y - aside - ImGui::GetFontSize();
    if (places_.is_free(place_of(x, y, words))) text(x, y, words);
  }

  void scale_bar(session::ScaleBar kind) {
    const SnapshotInfo& info = input_.scene->info;
    // World length of a pixel in the plane of the camera's center, comoving or physical.
    double length = session::width_at(camera_, camera_.distance) / double(area_.width);
    const bool physical = kind == session::ScaleBar::Physical && info.units.comoving;
    if (physical) length *= epoch().scale_factor;
    if (info.units.per_h) length /= info.cosmology.hubble_param;
    double unit = length * info.units.length_cm / io::kParsecCm;
    const double bar = round_length(unit * 0.22 * double(area_.width));
    if (!(bar > 0)) return;
    const float pixels = float(bar / unit);
    const float x = area_.x + margin_, y = area_.y + area_.height - margin_;
    list_.AddRectFilled(ImVec2(x - 1, y - 4 * input_.scale), ImVec2(x + pixels + 1, y + 1), kShade);
    list_.AddRectFilled(ImVec2(x, y - 3 * input_.scale), ImVec2(x + pixels, y), kInk);
    cover({x, y - 3 * input_.scale, x + pixels, y});
    const char* sort = !info.units.comoving ? "" : physical ? " (physical)" : " (comoving)";
    text(x, y - 6 * input_.scale - ImGui::GetFontSize(), session::parsecs_in_words(bar) + sort);
  }

  void particle_colors() {
    if (input_.state.map.shown)
      map_colors();
    else if (input_.colors)
      finding_colors();
    else
      color_bars();
  }

  // Of the map that is on screen: none while light still is.
  void map_colors() {
    if (!input_.picture->map_color) return;
    const render::MapLook& look = input_.state.map;
    if (look.type && !input_.scene->info.types.count(*look.type)) return;
    const float width = kMapBar * input_.scale, height = 10 * input_.scale;
    const float x = area_.x + margin_;
    float y = area_.y + margin_;
    text(x, y, render::map_title(input_.scene->info, input_.scene->types, look));
    y += ImGui::GetFontSize() + 3 * input_.scale;
    draw_color_strip(list_, ImVec2(x, y), ImVec2(x + width, y + height),
                     display_colors(render::palette_of(look)), kExactSteps);
    edge_of_strip(x, y, width, height);
    limits(render::map_color(look, *input_.picture->map_color), x, y + height + 2 * input_.scale,
           width);
  }

  void finding_colors() {
    const analysis::Finding& finding = *input_.colors.finding;
    const std::string& field = input_.colors.field;
    if (field.empty())
      piece_colors(
          analysis::piece_word(finding, analysis::require_finder(finding.finder).words(), 1));
    else
      field_colors(field, finding.fields.at(field).unit);
  }

  // Below the color bars of the particles.
  void slice_colors() {
    const analysis::GridPlane& plane = *input_.slice.plane;
    const float width = 180 * input_.scale, height = 10 * input_.scale;
    const float x = area_.x + margin_;
    float y = legend_y_;
    std::string title =
        fmt::format("slice at {} = {}{}{}: {}", "xyz"[plane.axis], readable(plane.position),
                    plane.length_unit.empty() ? "" : " ", plane.length_unit, plane.name);
    if (!plane.unit.empty()) title += " [" + plane.unit + "]";
    text(x, y, title);
    y += ImGui::GetFontSize() + 3 * input_.scale;
    draw_color_strip(list_, ImVec2(x, y), ImVec2(x + width, y + height),
                     display_colors(render::slice_palette(input_.slice.choice.look)));
    edge_of_strip(x, y, width, height);
    limits(render::slice_color(input_.slice), x, y + height + 2 * input_.scale, width);
  }

  void edge_of_strip(float x, float y, float width, float height) {
    list_.AddRect(ImVec2(x, y), ImVec2(x + width, y + height), kShade);
    legend_y_ = y + height + ImGui::GetFontSize() + 14 * input_.scale;
    cover({x, y, x + width, y + height});
  }

  void field_colors(const std::string& name, const std::string& unit) {
    const float width = 180 * input_.scale, height = 10 * input_.scale;
    const float x = area_.x + margin_;
    float y = area_.y + margin_;
    text(x, y, unit.empty() ? name : fmt::format("{} [{}]", name, unit));
    y += ImGui::GetFontSize() + 3 * input_.scale;
    draw_color_strip(list_, ImVec2(x, y), ImVec2(x + width, y + height),
                     display_colors(render::field_palette(input_.colors.look)));
    edge_of_strip(x, y, width, height);
    limits(render::field_color(input_.colors), x, y + height + 2 * input_.scale, width);
  }

  // In place of the color bars: which colors pieces have, by their numbers.
  void piece_colors(const std::string& piece) {
    const float side = 22 * input_.scale, height = 10 * input_.scale;
    const float x = area_.x + margin_;
    float y = area_.y + margin_;
    text(x, y,
         fmt::format("{0} number modulo {1}; gray: in no {0}", piece, analysis::kPieceColors));
    y += ImGui::GetFontSize() + 3 * input_.scale;
    for (std::size_t k = 0; k < analysis::kPieceColors; ++k) {
      const auto& color = analysis::display_color(k);
      const float left = x + float(k) * side;
      list_.AddRectFilled(ImVec2(left, y), ImVec2(left + side, y + height),
                          ImGui::ColorConvertFloat4ToU32(ImVec4(color[0], color[1], color[2], 1)));
      const std::string words = std::to_string(k);
      text(left + 0.5f * (side - ImGui::CalcTextSize(words.c_str()).x),
           y + height + 2 * input_.scale, words);
    }
    edge_of_strip(x, y, float(analysis::kPieceColors) * side, height);
  }

  void color_bars() {
    const float width = 180 * input_.scale, height = 10 * input_.scale;
    const float line_height = ImGui::GetFontSize();
    float y = area_.y + margin_;
    const float x = area_.x + margin_;
    for (std::size_t k = 0; k < input_.scene->names.size(); ++k) {
      const session::TypeState type = input_.state.type(input_.scene->types[k]);
      const auto& look = input_.scene->looks[k];
      if (!render::is_shown(type, look.shown) || look.color.empty()) continue;
      text(x, y,
           input_.scene->names[k] + ": " + look.color +
               unit_behind(*input_.scene, input_.scene->types[k], look.color));
      y += line_height + 3 * input_.scale;
      draw_color_strip(list_, ImVec2(x, y), ImVec2(x + width, y + height),
                       type.color_map.empty() ? look.palette : display_colors(type.color_map));
      edge_of_strip(x, y, width, height);
      y += height + 2 * input_.scale;
      limits(render::chosen_color(type, input_.scene->appearances[k].color), x, y, width);
      y += line_height + 9 * input_.scale;
    }
  }

  // As they are drawn, which a scale that cannot take them changes.
  void limits(const compute::splotch::Ranging& color, float x, float y, float width) {
    const auto word = [&](float limit) {
      return readable(render::in_field_units(color.transform, double(limit)), 3);
    };
    const std::string low = word(color.low), high = word(color.high);
    text(x, y, low);
    text(x + width - ImGui::CalcTextSize(high.c_str()).x, y, high);
    if (color.transform == Transform::Log)
      text(x + 0.5f * (width - ImGui::CalcTextSize("log").x), y, "log");
  }

  analysis::Epoch epoch() const {
    return input_.picture->epoch.value_or(analysis::epoch_of(input_.scene->info));
  }

  void redshift() {
    const analysis::Epoch now = epoch();
    // Snapshots at redshift 0 carry rounding such as 2e-16.
    const std::string words = now.redshift ? fmt::format("z = {:.2f}", std::max(0.0, *now.redshift))
                                           : fmt::format("t = {:.4g}", now.time);
    const ImVec2 size = ImGui::CalcTextSize(words.c_str());
    // In a narrow picture the titles of the color bars reach as far: then below them.
    const float x = right_ - margin_ - size.x;
    float y = area_.y + margin_;
    while (!places_.is_free(place_of(x, y, words)) && y + 2 * size.y < area_.y + area_.height)
      y += size.y;
    text(x, y, words);
  }

  const PanelInput& input_;
  const PictureArea& area_;
  float right_;  // where the part of it ends that is not covered
  ImDrawList& list_;
  const session::Camera& camera_;
  float margin_;
  float legend_y_ = 0;  // below the color bars that are drawn
  LabelPlaces places_;
  std::optional<LabelPlaces::Place> covered_;  // by the legend that is drawn
};

}  // namespace

void draw_overlays(const PanelInput& input, const PictureArea& area, float covered) {
  if (!input.scene || !input.picture) return;
  ImDrawList& list = *ImGui::GetBackgroundDrawList();
  list.PushClipRect(ImVec2(area.x, area.y), ImVec2(area.x + area.width, area.y + area.height));
  Overlay(input, area, covered, list).draw();
  list.PopClipRect();
}

void draw_cursor_line(const PanelInput& input, const PictureArea& area, const std::string& words) {
  if (words.empty()) return;
  ImDrawList& list = *ImGui::GetBackgroundDrawList();
  list.PushClipRect(ImVec2(area.x, area.y), ImVec2(area.x + area.width, area.y + area.height));
  const ImVec2 size = ImGui::CalcTextSize(words.c_str());
  const float edge = 5 * input.scale;
  // In the middle: the scale bar stands at the left, the axes at the right.
  const float x = std::max(area.x + edge, area.x + (area.width - size.x) / 2);
  const float y = area.y + area.height - size.y - 2 * edge;
  list.AddRectFilled(ImVec2(x - edge, y - edge), ImVec2(x + size.x + edge, y + size.y + edge),
                     kGround, 3 * input.scale);
  list.AddText(ImVec2(x, y), kInk, words.c_str());
  list.PopClipRect();
}

}  // namespace haloscope::app::viewer
