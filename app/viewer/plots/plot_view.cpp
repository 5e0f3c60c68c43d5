#include "app/viewer/plots/plot_view.h"

#include "app/viewer/plots/screen_painter.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <imgui.h>
#include <imgui_internal.h>
#include <utility>

namespace haloscope::app::viewer {

namespace {

using render::PlotFrame;
using render::PlotLimits;
using render::PlotPlace;

constexpr double kNotch = 0.8;  // of what is seen, by one notch of the wheel
constexpr double kReach = 5;    // pixels of a style whose lines have the width 1

PlotPlace mouse() {
  return {double(ImGui::GetIO().MousePos.x), double(ImGui::GetIO().MousePos.y)};
}

// The wheel is the plot's, and scrolls no panel.
void take_wheel() {
#if IMGUI_VERSION_NUM >= 18906
  ImGui::SetItemKeyOwner(ImGuiKey_MouseWheelY);
#else
  ImGui::SetItemUsingMouseWheel();
#endif
}

std::string word_of(const render::AxisMap& axis, double place) {
  const double value = axis.value_at(place);
  return with_step(value, std::abs(axis.value_at(place + 1) - value), 12);
}

class Hands {
 public:
  Hands(const analysis::Plot& plot, PlotView& view, const PlotFrame& frame,
        const render::PlotStyle& style, const PlotWishes& wishes)
      : plot_(plot), view_(view), frame_(frame), wishes_(wishes), reach_(kReach * style.line) {}

  // Of the item that was just laid out.
  PlotEvents read() {
    const bool hovered = ImGui::IsItemHovered();
    if (hovered) take_wheel();
    if (ImGui::IsItemActivated()) begin();
    if (ImGui::IsItemActive()) move();
    if (ImGui::IsItemDeactivated()) end();
    if (hovered) hover();
    return events_;
  }

 private:
  void begin() {
    const PlotPlace place = mouse();
    const auto mark = mark_under(plot_, frame_, place, reach_);
    view_.drag = mark                                       ? PlotDrag::Mark
                 : wishes_.brush && ImGui::GetIO().KeyShift ? PlotDrag::Brush
                                                            : PlotDrag::Pan;
    view_.mark = mark.value_or(0);
    view_.brush = {frame_.x.value_at(place.x), frame_.y.value_at(place.y)};
  }

  void move() {
    const PlotPlace place = mouse();
    const ImVec2 delta = ImGui::GetIO().MouseDelta;
    if (view_.drag == PlotDrag::Brush) {
      events_.brushing = limits_between(frame_, frame_.at(view_.brush.x, view_.brush.y), place);
      return;
    }
    if ((delta.x == 0 && delta.y == 0) || ImGui::IsItemActivated()) return;
    if (view_.drag == PlotDrag::Pan)
      view_.limits = dragged(frame_, double(delta.x), double(delta.y));
    if (view_.drag != PlotDrag::Mark || view_.mark >= plot_.marks.size()) return;
    const bool across_x = plot_.marks[view_.mark].across_x;
    const render::PlotArea& in = frame_.inside;
    const double value = across_x ? frame_.x.value_at(std::clamp(place.x, in.left, in.right))
                                  : frame_.y.value_at(std::clamp(place.y, in.top, in.bottom));
    events_.moved = MovedMark{view_.mark, value};
  }

  void end() {
    if (view_.drag == PlotDrag::Brush) {
      const PlotLimits drawn =
          limits_between(frame_, frame_.at(view_.brush.x, view_.brush.y), mouse());
      if (drawn.x[0] < drawn.x[1] && drawn.y[0] < drawn.y[1]) events_.brushed = drawn;
    }
    const bool steady =
        ImGui::GetIO().MouseDragMaxDistanceSqr[ImGuiMouseButton_Left] < float(reach_ * reach_);
    if (view_.drag == PlotDrag::Pan && steady)
      if (const auto* point = piece_point_under(plot_, frame_, mouse(), reach_))
        events_.picked = point->piece;
    if (view_.drag == PlotDrag::Pan && steady)
      if (const auto* branch = branch_under(plot_, frame_, mouse()))
        events_.clicked = branch->number;
    view_.drag = PlotDrag::None;
  }

  void hover() {
    const PlotPlace place = mouse();
    if (const float wheel = ImGui::GetIO().MouseWheel; wheel != 0)
      view_.limits = wheel_zoomed(frame_, place, double(wheel));
    if (ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) view_.limits.reset();
    const auto mark = mark_under(plot_, frame_, place, reach_);
    if (mark)
      ImGui::SetMouseCursor(plot_.marks[*mark].across_x ? ImGuiMouseCursor_ResizeEW
                                                        : ImGuiMouseCursor_ResizeNS);
    if (frame_.inside.holds(place))
      events_.cursor = PlotPlace{frame_.x.value_at(place.x), frame_.y.value_at(place.y)};
  }

  const analysis::Plot& plot_;
  PlotView& view_;
  const PlotFrame& frame_;
  const PlotWishes& wishes_;
  double reach_;
  PlotEvents events_;
};

void draw_cross(const PlotFrame& frame, const render::PlotStyle& style, ScreenPainter& painter) {
  const PlotPlace place = mouse();
  const render::PlotArea& in = frame.inside;
  const render::Stroke stroke{style.faint, style.line, 0};
  painter.line(std::array<PlotPlace, 2>{{{place.x, in.top}, {place.x, in.bottom}}}, stroke);
  painter.line(std::array<PlotPlace, 2>{{{in.left, place.y}, {in.right, place.y}}}, stroke);
}

// Of one that reaches out of the frame, the part within. Logarithmic axes have no place for 0 and
// what is below: that is their lower end.
void draw_rectangle(const PlotFrame& frame, const PlotLimits& limits, std::uint8_t alpha,
                    const render::PlotStyle& style, ScreenPainter& painter) {
  const render::PlotArea& in = frame.inside;
  const auto x_of = [&](double value) {
    const double place = frame.x.at(value);
    return std::isnan(place) ? in.left : std::clamp(place, in.left, in.right);
  };
  const auto y_of = [&](double value) {
    const double place = frame.y.at(value);
    return std::isnan(place) ? in.bottom : std::clamp(place, in.top, in.bottom);
  };
  const double left = x_of(limits.x[0]), right = x_of(limits.x[1]);
  const double top = y_of(limits.y[1]), bottom = y_of(limits.y[0]);
  if (!(left < right && top < bottom)) return;
  render::PlotInk ink = style.mark;
  ink.alpha = alpha;
  painter.fill(
      std::array<PlotPlace, 4>{{{left, top}, {right, top}, {right, bottom}, {left, bottom}}}, ink);
  painter.line(
      std::array<PlotPlace, 5>{
          {{left, top}, {right, top}, {right, bottom}, {left, bottom}, {left, top}}},
      {style.mark, style.line, 0});
}

// Of what reaches out of the frame, the part within.
void draw_branch(const PlotFrame& frame, const analysis::PlotPart& branch, std::uint8_t alpha,
                 const render::PlotStyle& style, ScreenPainter& painter) {
  const render::PlotArea& in = frame.inside;
  const auto across = [&](double x) { return std::clamp(frame.x.at(x), in.left, in.right); };
  const auto down = [&](double y) { return std::clamp(frame.y.at(y), in.top, in.bottom); };
  const double left = across(branch.x_low), right = across(branch.x_high);
  const double top = down(branch.y_high), bottom = down(branch.y_low);
  render::PlotInk ink = style.mark;
  ink.alpha = alpha;
  painter.fill(
      std::array<PlotPlace, 4>{{{left, top}, {right, top}, {right, bottom}, {left, bottom}}}, ink);
}

// About the points of a piece, which are few pixels wide.
template <class IsChosen>
void draw_rings(const analysis::Plot& plot, const PlotFrame& frame, const IsChosen& is_chosen,
                const render::PlotStyle& style, ScreenPainter& painter) {
  constexpr int kSides = 20;
  constexpr double kPi = 3.14159265358979323846;
  for (const auto& layer : plot.layers)
    for (const auto& point : layer.points) {
      if (!point.piece || !is_chosen(*point.piece)) continue;
      const PlotPlace middle = frame.at(point.x, point.y);
      if (!frame.inside.holds(middle)) continue;
      std::array<PlotPlace, kSides + 1> ring;
      for (int k = 0; k <= kSides; ++k) {
        const double angle = 2 * kPi * k / kSides;
        ring[std::size_t(k)] = {middle.x + kReach * style.line * std::cos(angle),
                                middle.y + kReach * style.line * std::sin(angle)};
      }
      painter.line(ring, {{255, 205, 90, 255}, 2 * style.line, 0});
    }
}

}  // namespace

PlotView& view_of(const analysis::Plot& plot, const std::string& snapshot,
                  std::map<std::string, PlotView>& views) {
  PlotView& view = views[plot.name];
  std::string of = fmt::format("{}\n{}", snapshot, plot.title);
  for (const analysis::PlotAxis* axis : {&plot.x, &plot.y})
    of += fmt::format("\n{} {}", axis->title, int(axis->scale));
  if (view.of != of) view = {};
  view.of = std::move(of);
  return view;
}

PlotLimits wheel_zoomed(const PlotFrame& frame, const PlotPlace& place, double notches) {
  const double factor = std::pow(kNotch, notches);
  PlotLimits limits{frame.x.limits, frame.y.limits};
  if (place.x >= frame.inside.left) limits.x = zoomed(frame.x, factor, place.x);
  if (place.y <= frame.inside.bottom) limits.y = zoomed(frame.y, factor, place.y);
  return limits;
}

PlotLimits dragged(const PlotFrame& frame, double dx, double dy) {
  return {panned(frame.x, dx), panned(frame.y, dy)};
}

std::optional<std::size_t> mark_under(const analysis::Plot& plot, const PlotFrame& frame,
                                      const PlotPlace& place, double reach) {
  std::optional<std::size_t> nearest;
  if (!frame.inside.holds(place)) return nearest;
  for (std::size_t k = 0; k < plot.marks.size(); ++k) {
    const auto& mark = plot.marks[k];
    if (!mark.movable) continue;
    const double away = mark.across_x ? std::abs(frame.x.at(mark.at) - place.x)
                                      : std::abs(frame.y.at(mark.at) - place.y);
    if (!(away <= reach)) continue;
    reach = away;
    nearest = k;
  }
  return nearest;
}

const analysis::PlotPart* branch_under(const analysis::Plot& plot, const PlotFrame& frame,
                                       const PlotPlace& place) {
  if (!frame.inside.holds(place)) return nullptr;
  const double x = frame.x.value_at(place.x), y = frame.y.value_at(place.y);
  for (const analysis::PlotPart& branch : plot.branches)
    if (x >= branch.x_low && x < branch.x_high && y >= branch.y_low && y < branch.y_high)
      return &branch;
  return nullptr;
}

const analysis::PlotPoint* piece_point_under(const analysis::Plot& plot, const PlotFrame& frame,
                                             const PlotPlace& place, double reach) {
  const analysis::PlotPoint* nearest = nullptr;
  for (const auto& layer : plot.layers)
    for (const auto& point : layer.points) {
      if (!point.piece) continue;
      const PlotPlace at = frame.at(point.x, point.y);
      const double away = std::hypot(at.x - place.x, at.y - place.y);
      if (!(away <= reach) || !frame.inside.holds(at)) continue;
      reach = away;
      nearest = &point;
    }
  return nearest;
}

PlotLimits limits_between(const PlotFrame& frame, const PlotPlace& from, const PlotPlace& to) {
  const render::PlotArea& in = frame.inside;
  const auto x = [&](double place) {
    return frame.x.value_at(std::clamp(place, in.left, in.right));
  };
  const auto y = [&](double place) {
    return frame.y.value_at(std::clamp(place, in.top, in.bottom));
  };
  return {{x(std::min(from.x, to.x)), x(std::max(from.x, to.x))},
          {y(std::max(from.y, to.y)), y(std::min(from.y, to.y))}};
}

std::string values_in_words(const PlotFrame& frame, const PlotPlace& place) {
  return fmt::format("x {}, y {}", word_of(frame.x, place.x), word_of(frame.y, place.y));
}

PlotEvents show_plot(const char* id, const analysis::Plot& plot, PlotView& view, float width,
                     float height, const render::PlotStyle& style, const PlotWishes& wishes) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const render::PlotArea whole{double(at.x), double(at.y), double(at.x + width),
                               double(at.y + height)};
  ScreenPainter painter(*ImGui::GetWindowDrawList());
  const auto frame_now = [&] {
    return lay_out(plot, view.limits ? *view.limits : render::fitting_limits(plot), whole, style,
                   painter);
  };
  ImGui::InvisibleButton(id, ImVec2(width, height));
  const PlotEvents events = Hands(plot, view, frame_now(), style, wishes).read();
  const PlotFrame frame = frame_now();
  draw_plot(plot, frame, style, painter);
  constexpr std::uint8_t kChosen = 80, kPointedAt = 40;
  for (const analysis::PlotPart& branch : plot.branches)
    if (branch.number == wishes.chosen_branch) draw_branch(frame, branch, kChosen, style, painter);
  constexpr std::uint8_t kDrawn = 50;
  if (wishes.chosen && !events.brushing)
    draw_rectangle(frame, *wishes.chosen, kDrawn, style, painter);
  const auto is_chosen = [&](std::uint64_t piece) {
    return piece == wishes.chosen_piece ||
           (wishes.chosen_pieces &&
            std::binary_search(wishes.chosen_pieces->begin(), wishes.chosen_pieces->end(), piece));
  };
  if (wishes.chosen_piece || wishes.chosen_pieces)
    draw_rings(plot, frame, is_chosen, style, painter);
  if (events.brushing) draw_rectangle(frame, *events.brushing, kDrawn, style, painter);
  if (events.cursor) {
    draw_cross(frame, style, painter);
    std::string words = values_in_words(frame, mouse());
    if (const auto* branch = branch_under(plot, frame, mouse())) {
      draw_branch(frame, *branch, kPointedAt, style, painter);
      words = branch->words + "\n" + words;
    }
    if (const auto* point = piece_point_under(plot, frame, mouse(), kReach * style.line))
      words = fmt::format("number {}: a click selects it\n{}", *point->piece, words);
    ImGui::SetTooltip("%s", words.c_str());
  }
  return events;
}

void draw_paper_plot(const analysis::Plot& plot, double scale, double width, double height) {
  ScreenPainter painter(*ImGui::GetBackgroundDrawList());
  const render::PlotStyle style = render::paper_style(scale);
  const render::PlotArea whole{0, 0, width, height};
  painter.fill(std::array<PlotPlace, 4>{{{0, 0}, {width, 0}, {width, height}, {0, height}}},
               style.ground);
  draw_plot(plot, lay_out(plot, render::fitting_limits(plot), whole, style, painter), style,
            painter);
}

std::string with_step(double value, double step, int most) {
  if (!(std::abs(value) >= step / 2)) return "0";
  const int digits =
      int(std::floor(std::log10(std::abs(value)))) - int(std::floor(std::log10(step))) + 1;
  return fmt::format("{:.{}g}", value, std::clamp(digits, 2, most));
}

render::PlotInk ink_of(int color, float alpha) {
  const ImVec4 c = ImGui::GetStyleColorVec4(color);
  const auto byte = [](float part) { return std::uint8_t(std::lround(255 * part)); };
  return {byte(c.x), byte(c.y), byte(c.z), byte(c.w * alpha)};
}

render::PlotStyle screen_style(float scale) {
  render::PlotStyle style;
  style.letters = double(ImGui::GetFontSize());
  style.line = std::max(1., double(scale));
  style.ground = ink_of(ImGuiCol_WindowBg);  // below legends that lie over what is drawn
  style.ink = ink_of(ImGuiCol_Text);
  style.faint = ink_of(ImGuiCol_TextDisabled);
  style.mark = {150, 215, 255, 255};
  style.first = {150, 215, 255, 255};
  style.second = {255, 125, 70, 255};
  style.series = {{255, 205, 90, 255},  {86, 180, 233, 255}, {60, 200, 150, 255},
                  {220, 140, 190, 255}, {240, 120, 50, 255}, {240, 228, 66, 255}};
  return style;
}

}  // namespace haloscope::app::viewer
