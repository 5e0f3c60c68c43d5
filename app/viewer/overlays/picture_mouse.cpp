#include "app/viewer/overlays/picture_mouse.h"

#include "analysis/finder.h"
#include "app/session/camera_motion.h"
#include "app/viewer/overlays/path_line.h"

#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <imgui.h>
#include <string>

namespace haloscope::app::viewer {

namespace {

constexpr double kTurnPerWidth = 200;  // degrees
constexpr double kZoomPerNotch = 1.15;
// A press that moves less far is a click, points.
constexpr float kSteady = 4;
// Corners of a lasso lie as far apart, points.
constexpr float kLassoStep = 5;
constexpr std::size_t kMostCorners = 150;
// After the time for a double-click, s.
constexpr double kGrace = 0.05;

bool is_inside(const PictureArea& area) {
  const ImGuiIO& io = ImGui::GetIO();
  return !io.WantCaptureMouse && io.MousePos.x >= area.x && io.MousePos.y >= area.y &&
         io.MousePos.x < area.x + area.width && io.MousePos.y < area.y + area.height;
}

// In widths of the picture from its middle.
session::PicturePoint place_of(const PictureArea& area, float x, float y) {
  return {double((x - area.x) / area.width) - 0.5,
          double((area.y + 0.5f * area.height - y) / area.width)};
}

class Mouse {
 public:
  Mouse(const PanelInput& input, const PictureArea& area, double now, MouseMemory& memory)
      : input_(input), area_(area), now_(now), memory_(memory), io_(ImGui::GetIO()) {}

  void read(const SeenPoints& seen) {
    press();
    if (memory_.button) hold(seen);
    wheel();
    const ColorBarPlace* const bar = bar_under(here_in_pixels());
    if (bar && !memory_.button) {
      // Beside it: its numbers and the bar below stay readable.
      ImGui::SetNextWindowPos(ImVec2(bar->right + kSteady * input_.scale, bar->top));
      ImGui::SetTooltip("Press for the limits of these colors");
    }
    if (inside() && !bar && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) {
      memory_.click.reset();
      memory_.dragged = true;  // its release is no click
      seen.center(here().x, here().y);
    }
    if (memory_.click && now_ >= memory_.click->due) pick(seen);
  }

 private:
  bool inside() const { return is_inside(area_); }
  session::PicturePoint here() const { return place_of(area_, io_.MousePos.x, io_.MousePos.y); }

  void press() {
    if (memory_.button || !inside()) return;
    for (int button = 0; button < 3; ++button)
      if (ImGui::IsMouseClicked(button)) {
        memory_.button = button;
        memory_.dragged = false;
        memory_.moved = 0;
        memory_.lassoes = button == ImGuiMouseButton_Left && io_.KeyCtrl && io_.KeyShift;
        memory_.rules = button == ImGuiMouseButton_Left && io_.KeyCtrl && !io_.KeyShift;
        memory_.corners = {{io_.MousePos.x, io_.MousePos.y}};
        memory_.pressed_x = io_.MousePos.x;
        memory_.pressed_y = io_.MousePos.y;
        memory_.turn_sign = session::turn_sign(*input_.state.camera);
        return;
      }
  }

  void hold(const SeenPoints& seen) {
    if (!ImGui::IsMouseDown(*memory_.button)) {
      if (memory_.rules && memory_.dragged && seen.measure)
        seen.measure(place_of(area_, memory_.pressed_x, memory_.pressed_y), here());
      if (memory_.lassoes && memory_.dragged) end_lasso();
      const bool click = *memory_.button == ImGuiMouseButton_Left && !memory_.dragged;
      memory_.button.reset();
      const bool plain = click && !memory_.rules && !memory_.lassoes;
      const ColorBarPlace* const bar = plain ? bar_under(here_in_pixels()) : nullptr;
      if (bar)
        open_limits(*bar);
      else if (click)
        memory_.click = MouseMemory::Click{io_.MousePos.x, io_.MousePos.y,
                                           now_ + double(io_.MouseDoubleClickTime) + kGrace};
      return;
    }
    memory_.moved += std::hypot(io_.MouseDelta.x, io_.MouseDelta.y);
    if (memory_.moved > kSteady * input_.scale) memory_.dragged = true;
    if (memory_.rules) return draw_ruler();
    if (memory_.lassoes) return draw_lasso();
    if (!memory_.dragged || (io_.MouseDelta.x == 0 && io_.MouseDelta.y == 0)) return;
    drag(double(io_.MouseDelta.x / area_.width), double(io_.MouseDelta.y / area_.width));
  }

  ImVec2 here_in_pixels() const { return io_.MousePos; }

  const ColorBarPlace* bar_under(ImVec2 at) const {
    if (!inside()) return nullptr;
    for (const ColorBarPlace& bar : input_.memory.color_bars)
      if (at.x >= bar.left && at.x < bar.right && at.y >= bar.top && at.y < bar.bottom) return &bar;
    return nullptr;
  }

  // The page that has them, with the first of their fields ready to be typed into.
  void open_limits(const ColorBarPlace& bar) {
    PanelMemory& memory = input_.memory;
    const bool on_find = !bar.type && bar.target != session::kMapWord;
    const std::string& lister =
        bar.target == session::kSliceWord ? session::finder_with_grid() : bar.target;
    if (on_find && input_.state.shown_finder != lister) input_.emit("structures " + lister);
    const auto page = on_find ? session::InspectorPage::Find : session::InspectorPage::Look;
    const session::Layout& layout = input_.state.layout;
    if (!layout.shows_inspector() || (layout.page != page && layout.pinned != page))
      input_.emit(on_find ? "inspector find" : "inspector look");
    if (bar.type) {
      memory.open_types[*bar.type] = true;
      memory.opened_type = *bar.type;
    }
    constexpr int kPatience = 10;
    memory.wanted_limits = bar.target;
    memory.limits_patience = kPatience;
  }

  void draw_lasso() {
    constexpr ImU32 kLassoInk = IM_COL32(255, 205, 90, 255);
    const auto& last = memory_.corners.back();
    if (std::hypot(io_.MousePos.x - last[0], io_.MousePos.y - last[1]) >= kLassoStep * input_.scale)
      memory_.corners.push_back({io_.MousePos.x, io_.MousePos.y});
    ImDrawList* const list = ImGui::GetBackgroundDrawList();
    const auto& corners = memory_.corners;
    for (std::size_t k = 0; k < corners.size(); ++k) {
      const auto &from = corners[k], &to = corners[(k + 1) % corners.size()];
      list->AddLine(ImVec2(from[0], from[1]), ImVec2(to[0], to[1]), kLassoInk, 2 * input_.scale);
    }
  }

  // Of a long line some corners are left out, so that the command stays short.
  void end_lasso() {
    const auto& corners = memory_.corners;
    if (corners.size() < 3) return;
    const std::size_t stride = 1 + corners.size() / kMostCorners;
    std::string line = "select_lasso";
    for (std::size_t k = 0; k < corners.size(); k += stride) {
      const session::PicturePoint at = place_of(area_, corners[k][0], corners[k][1]);
      line += fmt::format(" {:.5f} {:.5f}", at.x, at.y);
    }
    input_.emit(line);
  }

  // Its length is not known before it is let go: how far away what is seen at its ends is, is
  // looked for then.
  void draw_ruler() const {
    if (!memory_.dragged) return;
    constexpr ImU32 kRulerInk = IM_COL32(255, 205, 90, 255);
    ImGui::GetBackgroundDrawList()->AddLine(ImVec2(memory_.pressed_x, memory_.pressed_y),
                                            io_.MousePos, kRulerInk, 2 * input_.scale);
  }

  // By (dx, dy) widths of the picture, y down.
  void drag(double dx, double dy) {
    const bool left = *memory_.button == ImGuiMouseButton_Left;
    if (!left || io_.KeyShift) return input_.emit(fmt::format("pan {} {}", dx, -dy));
    if (io_.KeyAlt) {
      // The picture follows the hand.
      const double degrees = input_.state.camera->fov_degrees;
      return input_.emit(fmt::format("look {} {}", -degrees * dx, degrees * dy));
    }
    input_.emit(
        fmt::format("orbit {} {}", memory_.turn_sign * kTurnPerWidth * dx, kTurnPerWidth * dy));
  }

  void wheel() {
    if (io_.MouseWheel == 0 || !inside()) return;
    const double factor = std::pow(kZoomPerNotch, double(io_.MouseWheel));
    if (io_.KeyCtrl)
      input_.emit(fmt::format("zoom {} {} {}", factor, here().x, here().y));
    else
      input_.emit(fmt::format("zoom {}", factor));
  }

  void pick(const SeenPoints& seen) {
    const std::string& finder = input_.state.shown_finder;
    const MouseMemory::Click click = *memory_.click;
    const auto piece = piece_under(input_, area_, click.x, click.y);
    const auto key = path_key_under(input_, area_, click.x, click.y);
    memory_.click.reset();
    // Its mark lies over the circles.
    if (key)
      input_.emit(fmt::format("go_to_key {}", *key));
    else if (piece)
      input_.emit(fmt::format("select {} {}", finder, *piece));
    else if (input_.finding && analysis::require_finder(finder).words().places_alone)
      seen.select(place_of(area_, click.x, click.y).x, place_of(area_, click.x, click.y).y);
    else if (input_.state.shown().selected)
      input_.emit("select " + finder);
  }

  const PanelInput& input_;
  const PictureArea& area_;
  double now_;
  MouseMemory& memory_;
  const ImGuiIO& io_;
};

}  // namespace

std::optional<session::PicturePoint> pointed_at(const PictureArea& area) {
  if (!ImGui::IsMousePosValid() || ImGui::IsAnyMouseDown() || !is_inside(area)) return {};
  return place_of(area, ImGui::GetIO().MousePos.x, ImGui::GetIO().MousePos.y);
}

void read_mouse(const PanelInput& input, const PictureArea& area, double now, MouseMemory& memory,
                const SeenPoints& seen) {
  if (!input.state.camera || !input.scene) {
    memory = {};
    return;
  }
  Mouse(input, area, now, memory).read(seen);
}

}  // namespace haloscope::app::viewer
