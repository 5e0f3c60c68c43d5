#include "app/viewer/frame/fixed_window.h"
#include "app/viewer/frame/frame.h"
#include "app/viewer/panels/job_bar.h"
#include "app/viewer/panels/panels.h"
#include "app/viewer/panels/scene_words.h"
#include "app/viewer/panels/short_text.h"
#include "core/text_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <imgui.h>
#include <string>

namespace haloscope::app::viewer {

namespace {

constexpr float kJobWidth = 260;  // points
constexpr float kMostForJobs = 0.6f;

std::string in_words(const PictureFacts& picture) {
  if (picture.sample > 1) return fmt::format(", 1 of {} particles", picture.sample);
  return picture.divisor > 1 ? ", coarse" : "";
}

std::string drawn(const PanelInput& input) {
  if (!input.picture) return input.scene ? "drawing" : "no snapshot";
  const auto& counts = input.picture->counts;
  const auto sample = std::uint64_t(input.picture->sample);
  return fmt::format(
      "{} of {} in view, {:.0f} ms{}", grouped((counts.particles - counts.inactive) * sample),
      grouped(counts.particles * sample), input.picture->milliseconds, in_words(*input.picture));
}

std::string memory_of(const PanelInput& input) {
  if (!input.scene) return {};
  std::string words = "      RAM " + bytes_in_words(input.scene->host_bytes);
  if (input.scene->device_bytes > 0) words += "   GPU " + bytes_in_words(input.scene->device_bytes);
  return words;
}

float jobs_width(const PanelInput& input, const Area& area) {
  return std::min(width_of_jobs(input.jobs, kJobWidth * input.scale), kMostForJobs * area.width);
}

float words_width(const PanelInput& input, const Area& area) {
  return area.width - jobs_width(input, area) - 24 * input.scale;
}

void show_toast(const PanelInput& input, float width) {
  const ImVec4 warning(1, 0.75f, 0.35f, 1), good(0.55f, 0.85f, 0.6f, 1);
  ImGui::PushStyleColor(ImGuiCol_Text, input.notice_is_fault ? warning : good);
  ImGui::TextUnformatted(shortened(input.notice, width).c_str());
  ImGui::PopStyleColor();
  if (ImGui::IsItemClicked()) input.memory.notice_pressed = true;
}

}  // namespace

bool notice_fits(const PanelInput& input, const Area& status) {
  return input.notice.find('\n') == std::string::npos &&
         ImGui::CalcTextSize(input.notice.c_str()).x <= words_width(input, status);
}

void show_status_line(const PanelInput& input, const Area& area) {
  const FixedWindow window("status", area, input.scale, Filled::Line);
  const float width = words_width(input, area);
  ImGui::AlignTextToFramePadding();
  if (!input.notice.empty() && notice_fits(input, area))
    show_toast(input, width);
  else
    ImGui::TextDisabled("%s", shortened(drawn(input) + memory_of(input), width).c_str());
  if (count_jobs(input.jobs) == 0) return;
  ImGui::SameLine();
  ImGui::SetCursorPosX(std::max(ImGui::GetCursorPosX(), area.width - jobs_width(input, area)));
  show_job_bars(input);
}

}  // namespace haloscope::app::viewer
