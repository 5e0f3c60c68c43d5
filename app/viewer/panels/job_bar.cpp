#include "app/viewer/panels/job_bar.h"

#include "app/viewer/panels/short_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <imgui.h>

namespace haloscope::app::viewer {

namespace {

constexpr float kStripe = 14;        // points, of a stripe and of the gap behind it
constexpr double kStripesMove = 28;  // points per second

// Slanted stripes that move, for a job that cannot tell how far it is.
void show_stripes(const PanelInput& input, ImVec2 size) {
  const ImVec2 low = ImGui::GetCursorScreenPos(), high(low.x + size.x, low.y + size.y);
  ImGui::Dummy(size);
  ImDrawList* const list = ImGui::GetWindowDrawList();
  list->AddRectFilled(low, high, ImGui::GetColorU32(ImGuiCol_FrameBg),
                      ImGui::GetStyle().FrameRounding);
  list->PushClipRect(low, high, true);
  const float period = 2 * kStripe * input.scale;
  const auto moved =
      float(std::fmod(ImGui::GetTime() * kStripesMove * double(input.scale), double(period)));
  const ImU32 color = ImGui::GetColorU32(ImGuiCol_PlotHistogram, 0.45f);
  for (float x = low.x - period - size.y + moved; x < high.x; x += period)
    list->AddQuadFilled(ImVec2(x, high.y), ImVec2(x + period / 2, high.y),
                        ImVec2(x + period / 2 + size.y, low.y), ImVec2(x + size.y, low.y), color);
  list->PopClipRect();
  input.memory.stripes_move = true;
}

// From left to right, and as the command `cancel` names them.
struct Bar {
  session::JobKind kind;
  const char* name;
};
constexpr std::array<Bar, 8> kBars{{{session::JobKind::Open, "open"},
                                    {session::JobKind::Find, "find"},
                                    {session::JobKind::Count, "count"},
                                    {session::JobKind::Sets, "sets"},
                                    {session::JobKind::Profile, "profile"},
                                    {session::JobKind::Phase, "phase"},
                                    {session::JobKind::Compare, "compare"},
                                    {session::JobKind::Export, "export"}}};

const char* name_of(session::JobKind kind) {
  return std::find_if(kBars.begin(), kBars.end(),
                      [kind](const Bar& bar) { return bar.kind == kind; })
      ->name;
}

float button_width() {
  return ImGui::CalcTextSize("Cancel").x + 2 * ImGui::GetStyle().FramePadding.x;
}

std::string whole_words(const Worker::Status& job) {
  return job.phase.empty() ? job.name : job.name + ": " + job.phase;
}

}  // namespace

void show_job_bar(const PanelInput& input, session::JobKind kind) {
  const Worker::Status& job = input.jobs[kind];
  if (!job.busy) return;
  const char* const name = name_of(kind);
  ImGui::PushID(name);
  const ImGuiStyle& style = ImGui::GetStyle();
  const float width =
      std::max(1.f, ImGui::GetContentRegionAvail().x - button_width() - style.ItemSpacing.x);
  const std::string label = whole_words(job);
  const std::string shown = job_words(job, width - 2 * style.FramePadding.x);
  // Dear ImGui's own words move along with the bar, and are cut.
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 size(width, ImGui::GetFrameHeight());
  if (job.fraction > 0)
    ImGui::ProgressBar(float(job.fraction), size, "");
  else
    show_stripes(input, size);
  if (ImGui::IsItemHovered() && job.fraction > 0)
    ImGui::SetTooltip("%s, %.0f %%", label.c_str(), 100 * job.fraction);
  else if (ImGui::IsItemHovered())
    ImGui::SetTooltip("%s", label.c_str());
  ImGui::GetWindowDrawList()->AddText(
      ImVec2(at.x + style.FramePadding.x, at.y + style.FramePadding.y),
      ImGui::GetColorU32(ImGuiCol_Text), shown.c_str());
  ImGui::SameLine();
  if (ImGui::Button("Cancel")) input.emit(fmt::format("cancel {}", name));
  ImGui::PopID();
}

std::string job_words(const Worker::Status& job, float width) {
  if (job.phase.empty()) return shortened(job.name, width);
  const float phase = ImGui::CalcTextSize((": " + job.phase).c_str()).x;
  // Of what is written, a few letters at least; else nothing.
  const float rest = width - phase, least = 4 * ImGui::GetFontSize();
  if (rest < least && ImGui::CalcTextSize(whole_words(job).c_str()).x > width)
    return shortened(job.phase, width);
  return shortened(job.name, rest) + ": " + job.phase;
}

float width_of_jobs(const RunningJobs& jobs, float least) {
  const ImGuiStyle& style = ImGui::GetStyle();
  // Counts that grow by a digit shall not move the bar.
  const float step = 4 * ImGui::GetFontSize();
  float widest = least;
  int count = 0;
  for (const Bar& bar : kBars) {
    const Worker::Status& job = jobs[bar.kind];
    if (!job.busy) continue;
    ++count;
    const float words = ImGui::CalcTextSize(whole_words(job).c_str()).x;
    const float wanted = words + 2 * style.FramePadding.x + button_width() + style.ItemSpacing.x +
                         2 * style.CellPadding.x;
    widest = std::max(widest, step * std::ceil(wanted / step));
  }
  return float(count) * widest;
}

int count_jobs(const RunningJobs& jobs) {
  return int(std::count_if(kBars.begin(), kBars.end(),
                           [&](const Bar& bar) { return jobs[bar.kind].busy; }));
}

void show_job_bars(const PanelInput& input) {
  if (!ImGui::BeginTable("jobs", std::max(1, count_jobs(input.jobs)))) return;
  for (const Bar& bar : kBars) {
    if (input.jobs[bar.kind].busy) ImGui::TableNextColumn();
    show_job_bar(input, bar.kind);
  }
  ImGui::EndTable();
}

}  // namespace haloscope::app::viewer
