#include "analysis/finder.h"
#include "app/session/camera.h"
#include "app/session/toml_writer.h"
#include "app/viewer/panels/panels.h"

#include <fmt/format.h>

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
  show_overlays(input);
}

}  // namespace haloscope::app::viewer
