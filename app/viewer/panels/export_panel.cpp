#include "app/session/numbered_file.h"
#include "app/session/toml_writer.h"
#include "app/viewer/panels/job_bar.h"
#include "app/viewer/panels/number_field.h"
#include "app/viewer/panels/overwrite_choice.h"
#include "app/viewer/panels/panels.h"
#include "core/text_values.h"
#include "render/film/camera_path.h"

#include <fmt/format.h>

#include <array>
#include <imgui.h>
#include <string>

namespace haloscope::app::viewer {

namespace {

constexpr const char* kStyles[] = {"overlays", "bare", "transparent"};

// What displays and films have, and what is seen, by one press.
void show_sizes(const PanelInput& input, std::array<int, 2>& pixels) {
  whole_number_fields(input, "Pixels", pixels.data(), 2, {1, 16384});
  constexpr std::array<std::array<int, 2>, 3> kSizes{{{1920, 1080}, {3840, 2160}, {7680, 4320}}};
  for (const auto& size : kSizes) {
    if (&size != &kSizes.front()) ImGui::SameLine();
    const std::string title = fmt::format("{}x{}", size[0], size[1]);
    if (ImGui::SmallButton(title.c_str())) pixels = size;
  }
  if (input.picture_size[0] <= 0) return;
  if (ImGui::SmallButton("as the window")) pixels = input.picture_size;
  if (ImGui::IsItemHovered())
    ImGui::SetTooltip("The picture beside the pages, %d x %d: nothing is cut off or added.",
                      input.picture_size[0], input.picture_size[1]);
}

void show_still(const PanelInput& input) {
  PanelMemory& memory = input.memory;
  show_sizes(input, memory.still_size);
  ImGui::InputText("Still", memory.still_file.data(), memory.still_file.size(),
                   ImGuiInputTextFlags_AutoSelectAll);
  ImGui::Combo("Style", &memory.still_style, kStyles, 3);
  const bool writes = ImGui::Button("Write still");
  ImGui::SameLine();
  if (ImGui::Button("Save state")) input.emit("save_state");
  if (ImGui::IsItemHovered())
    ImGui::SetTooltip("All that is seen, to open it again: haloscope-0001.toml, \u2026 (Ctrl+S)");
  if (!writes) return;
  // One still after the other is written, and none is meant to replace the one before.
  const std::string typed = memory.still_file.data();
  input.emit(fmt::format("screenshot {} {} {}x{}{}",
                         session::quoted(memory.overwrite ? typed : session::free_file(typed)),
                         kStyles[memory.still_style], memory.still_size[0], memory.still_size[1],
                         overwrite_word(memory)));
}

// Of the path between its first key and its last.
std::string film_length(const std::vector<session::KeyState>& keys, double fps) {
  constexpr double kMostFps = 1000;  // as `export_frames` has it
  if (!(fps > 0 && fps <= kMostFps)) return {};
  const double begin = keys.front().seconds, end = keys.back().seconds;
  const std::size_t frames = render::frame_count(begin, end, fps);
  return fmt::format("{} frame{}, {:.4g} s", grouped(frames), frames == 1 ? "" : "s", end - begin);
}

void show_film(const PanelInput& input) {
  PanelMemory& memory = input.memory;
  ImGui::PushID("film");
  show_sizes(input, memory.film_size);
  ImGui::InputText("Film", memory.film_file.data(), memory.film_file.size(),
                   ImGuiInputTextFlags_AutoSelectAll);
  if (ImGui::IsItemHovered())
    ImGui::SetTooltip("%s",
                      "frames/%05d.png: a file for each frame, in a folder that is made\n"
                      "film.mp4, .mkv, .mov: one file, by ffmpeg");
  number_field(input, "Frames/s", memory.fps, "%g");
  ImGui::Checkbox("With overlays", &memory.film_overlays);
  if (input.state.path.size() < 2) {
    ImGui::TextDisabled("A film needs two keys: page Film.");
    ImGui::PopID();
    return;
  }
  if (ImGui::Button("Write film"))
    input.emit(fmt::format("export_frames {} {} \"\" {}x{} {}{}",
                           session::quoted(memory.film_file.data()), memory.fps,
                           memory.film_size[0], memory.film_size[1],
                           memory.film_overlays ? "on" : "off", overwrite_word(memory)));
  ImGui::SameLine();
  ImGui::TextDisabled("%s", film_length(input.state.path, memory.fps).c_str());
  ImGui::PopID();
}

}  // namespace

void show_export_panel(const PanelInput& input) {
  if (!input.scene) {
    ImGui::TextDisabled("Nothing is open.");
    return;
  }
  show_still(input);
  ImGui::Separator();
  show_film(input);
  show_overwrite(input);
  show_job_bar(input, session::JobKind::Export);
}

}  // namespace haloscope::app::viewer
