#include "app/viewer/panels/job_bar.h"

#include "app/viewer/panels/short_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <imgui.h>
#include <utility>

namespace haloscope::app::viewer {

namespace {

using Named = std::pair<const char*, const Worker::Status*>;

std::array<Named, 4> all_of(const RunningJobs& jobs) {
  return {{{"open", &jobs.opening},
           {"halos", &jobs.finding},
           {"count", &jobs.counting},
           {"export", &jobs.writing}}};
}

}  // namespace

void show_job_bar(const PanelInput& input, const Worker::Status& job, const char* name) {
  if (!job.busy) return;
  ImGui::PushID(name);
  const ImGuiStyle& style = ImGui::GetStyle();
  const float button = ImGui::CalcTextSize("Cancel").x + 2 * style.FramePadding.x;
  const float width =
      std::max(1.f, ImGui::GetContentRegionAvail().x - button - style.ItemSpacing.x);
  const std::string label = job.phase.empty() ? job.name : job.name + ": " + job.phase;
  const std::string shown = shortened(label, width - 2 * style.FramePadding.x);
  // Dear ImGui's own words move along with the bar, and are cut.
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImGui::ProgressBar(float(job.fraction), ImVec2(width, ImGui::GetFrameHeight()), "");
  if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s, %.0f %%", label.c_str(), 100 * job.fraction);
  ImGui::GetWindowDrawList()->AddText(
      ImVec2(at.x + style.FramePadding.x, at.y + style.FramePadding.y),
      ImGui::GetColorU32(ImGuiCol_Text), shown.c_str());
  ImGui::SameLine();
  if (ImGui::Button("Cancel")) input.emit(fmt::format("cancel {}", name));
  ImGui::PopID();
}

int count_jobs(const RunningJobs& jobs) {
  const auto all = all_of(jobs);
  return int(
      std::count_if(all.begin(), all.end(), [](const Named& job) { return job.second->busy; }));
}

void show_job_bars(const PanelInput& input) {
  if (!ImGui::BeginTable("jobs", std::max(1, count_jobs(input.jobs)))) return;
  for (const auto& [name, job] : all_of(input.jobs)) {
    if (job->busy) ImGui::TableNextColumn();
    show_job_bar(input, *job, name);
  }
  ImGui::EndTable();
}

}  // namespace haloscope::app::viewer
