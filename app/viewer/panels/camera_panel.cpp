#include "analysis/finder.h"
#include "app/session/camera.h"
#include "app/session/command_groups.h"
#include "app/session/toml_writer.h"
#include "app/viewer/panels/number_field.h"
#include "app/viewer/panels/panels.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <imgui.h>
#include <string>

namespace haloscope::app::viewer {

namespace {

void overlay_box(const PanelInput& input, const char* label, const char* name, bool on) {
  if (ImGui::Checkbox(label, &on))
    input.emit(fmt::format("overlay {} {}", name, on ? "on" : "off"));
}

void show_overlays(const PanelInput& input) {
  const session::Overlays& overlays = input.state.overlays;
  const auto& words = analysis::require_finder(input.state.shown_finder).words();
  const std::string circles = words.has_pieces() ? analysis::capitalized(words.pieces) : "Circles";
  const std::string numbers =
      words.has_pieces() ? analysis::capitalized(words.piece) + " numbers" : "Numbers";
  if (!ImGui::BeginTable("overlays", 2)) return;
  ImGui::TableNextColumn();
  overlay_box(input, "Color bar", "color_bar", overlays.color_bar);
  overlay_box(input, "Scale bar", "scale_bar", overlays.scale_bar != session::ScaleBar::Off);
  overlay_box(input, "Redshift", "time", overlays.time);
  ImGui::TableNextColumn();
  overlay_box(input, "Box", "box", overlays.box);
  overlay_box(input, "Axes", "axes", overlays.axes);
  overlay_box(input, circles.c_str(), "pieces", overlays.pieces);
  ImGui::TableNextColumn();
  overlay_box(input, numbers.c_str(), "labels", overlays.labels);
  ImGui::TableNextColumn();
  overlay_box(input, "Selection", "selection", overlays.selection);
  ImGui::TableNextColumn();
  overlay_box(input, "Camera path", "path", overlays.path);
  ImGui::EndTable();
}

void show_bookmarks(const PanelInput& input) {
  auto& name = input.memory.bookmark_name;
  const bool entered = ImGui::InputTextWithHint("##bookmark", "name of this view", name.data(),
                                                name.size(), ImGuiInputTextFlags_EnterReturnsTrue);
  ImGui::SameLine();
  if ((ImGui::Button("Bookmark") || entered) && name[0]) {
    input.emit(fmt::format("bookmark {}", session::quoted(name.data())));
    name[0] = 0;
  }
  for (std::size_t k = 0; k < input.state.bookmarks.size(); ++k) {
    const std::string& known = input.state.bookmarks[k].name;
    ImGui::PushID(int(k));
    if (ImGui::SmallButton("Go")) input.emit("go_to_bookmark " + session::quoted(known));
    ImGui::SameLine();
    if (ImGui::SmallButton("Remove")) input.emit("forget_bookmark " + session::quoted(known));
    ImGui::SameLine();
    ImGui::TextUnformatted(known.c_str());
    ImGui::PopID();
  }
}

void show_thickness(const PanelInput& input, double thickness) {
  const double most = session::longest_side(*input.facts), least = most / 1000;
  double typed = thickness;
  if (number_field(input, "Thickness", typed, "%.6g") && typed > 0)
    input.emit(fmt::format("slab {}", typed));
  if (ImGui::SliderScalar("##thickness", ImGuiDataType_Double, &thickness, &least, &most, "",
                          ImGuiSliderFlags_NoInput | ImGuiSliderFlags_Logarithmic))
    input.emit(fmt::format("slab {:.6g}", thickness));
}

void show_planes(const PanelInput& input, const render::SlabChoice& slab) {
  std::array<double, 2> planes{slab.low, slab.high};
  if (number_fields(input, "From, to", planes.data(), 2, "%.6g"))
    input.emit(fmt::format("slab {} {} {}", "xyz"[*slab.axis], planes[0], planes[1]));
  // Both planes together, as thick as they are.
  const double thickness = planes[1] - planes[0];
  const auto& bounds = input.scene->bounds;
  const double least = bounds.low[*slab.axis], most = bounds.high[*slab.axis] - thickness;
  if (!(thickness > 0 && least < most)) return;
  double low = planes[0];
  if (ImGui::SliderScalar("##planes", ImGuiDataType_Double, &low, &least, &most, "",
                          ImGuiSliderFlags_NoInput))
    input.emit(fmt::format("slab {} {:.9g} {:.9g}", "xyz"[*slab.axis], low, low + thickness));
}

// Which part of the snapshot is drawn. A new one is a tenth of its side thick.
void show_slab(const PanelInput& input) {
  static constexpr const char* kKinds[] = {"all", "about the center", "across x", "across y",
                                           "across z"};
  const render::SlabChoice& slab = input.state.slab;
  int kind = slab.axis ? int(*slab.axis) + 2 : slab.thickness ? 1 : 0;
  if (ImGui::Combo("Drawn", &kind, kKinds, 5)) {
    const double side = session::longest_side(*input.facts) / 10;
    if (kind == 0) input.emit("slab off");
    if (kind == 1) input.emit(fmt::format("slab {}", side));
    if (kind > 1) {
      const double center = input.state.camera->center[std::size_t(kind - 2)];
      input.emit(
          fmt::format("slab {} {} {}", "xyz"[kind - 2], center - side / 2, center + side / 2));
    }
  }
  if (ImGui::IsItemHovered())
    ImGui::SetTooltip("%s", "Draw only particles in a slab: across the line of sight, or an axis.");
  if (slab.thickness) show_thickness(input, *slab.thickness);
  if (slab.axis) show_planes(input, slab);
}

void show_numbers(const session::Camera& camera) {
  const Vec eye = session::eye_of(camera);
  ImGui::TextDisabled("Center");
  ImGui::Text("%.9g  %.9g  %.9g", camera.center[0], camera.center[1], camera.center[2]);
  ImGui::TextDisabled("Eye");
  ImGui::Text("%.9g  %.9g  %.9g", eye[0], eye[1], eye[2]);
  ImGui::Text("Distance %.6g", camera.distance);
}

}  // namespace

void show_camera_panel(const PanelInput& input) {
  if (!input.state.camera) {
    ImGui::TextDisabled("No picture yet.");
    return;
  }
  const session::Camera& camera = *input.state.camera;
  show_numbers(camera);
  if (ImGui::RadioButton("Perspective", camera.perspective)) input.emit("projection perspective");
  ImGui::SameLine();
  if (ImGui::RadioButton("Orthographic", !camera.perspective))
    input.emit("projection orthographic");
  float degrees = float(camera.fov_degrees);
  if (camera.perspective && ImGui::SliderFloat("Field of view", &degrees, 5, 120, "%.0f°"))
    input.emit(fmt::format("fov {}", degrees));
  if (ImGui::Button("Fit")) input.emit("fit");
  ImGui::SameLine();
  if (ImGui::Button("Reset")) input.emit("reset");
  ImGui::SameLine();
  if (ImGui::Button("Copy view")) input.emit("copy_view");
  ImGui::SameLine();
  if (ImGui::Button("Paste")) input.emit("paste_view");
  show_bookmarks(input);
  ImGui::Separator();
  if (input.scene && input.facts) show_slab(input);
  show_overlays(input);
}

}  // namespace haloscope::app::viewer
