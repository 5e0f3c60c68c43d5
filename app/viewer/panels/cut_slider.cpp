#include "app/viewer/panels/cut_slider.h"

#include "app/viewer/plots/plot_view.h"
#include "app/viewer/plots/screen_painter.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <imgui.h>
#include <string>
#include <utility>

namespace haloscope::app::viewer {

namespace {

// Where a height is on the slider that was just laid out, as Dear ImGui places its grip.
float slider_place(const analysis::CutScale& cut, double height, float right) {
  constexpr float kPadding = 2;
  const float grip = ImGui::GetStyle().GrabMinSize;
  const float left = ImGui::GetItemRectMin().x + kPadding + grip / 2;
  const float width = right - kPadding - grip / 2 - left;
  return left + width * float(std::log(height / cut.low) / std::log(cut.high / cut.low));
}

void draw_marks(const analysis::CutScale& cut, float right, float scale) {
  const float top = ImGui::GetItemRectMin().y, bottom = ImGui::GetItemRectMax().y;
  ScreenPainter painter(*ImGui::GetWindowDrawList());
  render::PlotInk ink = screen_style(scale).mark;
  ink.alpha = 160;
  for (const auto& mark : cut.marks) {
    const double x = double(slider_place(cut, mark.at, right));
    painter.line(std::array<render::PlotPlace, 2>{{{x, double(top)}, {x, double(bottom)}}},
                 {ink, std::max(1., double(scale)), 0});
  }
}

std::string words_of(const analysis::CutScale& cut) {
  const std::string unit = cut.unit.empty() ? std::string() : " " + cut.unit;
  std::string words = fmt::format("Height of the cut, {:.4g} to {:.4g}{}", cut.low, cut.high, unit);
  for (const auto& mark : cut.marks)
    words += fmt::format("\nthe line: {}, {:.4g}{}", mark.name, mark.at, unit);
  return words;
}

}  // namespace

std::string cut_at(const analysis::CutScale& cut, double height) {
  const std::string text = fmt::format("{:.6g}", height);
  // A cut above the last merge is refused.
  if (std::stod(text) < cut.high) return "distance:" + text;
  return fmt::format("distance:{}", std::min(height, cut.high));
}

void emit_cut(const PanelInput& input, double height) {
  const analysis::Finding& finding = *input.finding;
  std::string& last = input.memory.finders[finding.finder].cut;
  std::string next = cut_at(*finding.cut, height);
  if (next == last) return;
  last = std::move(next);
  input.emit(fmt::format("cut {} {}", finding.finder, last));
}

void show_cut_slider(const PanelInput& input) {
  if (!input.finding || !input.finding->cut) return;
  const analysis::Finding& finding = *input.finding;
  const analysis::CutScale& cut = *finding.cut;
  std::string& last = input.memory.finders[finding.finder].cut;
  if (!ImGui::IsMouseDown(ImGuiMouseButton_Left)) last.clear();
  // Dear ImGui's own logarithmic sliders take what is below 0.001 for zero. Where nothing is cut,
  // the grip waits in the middle.
  auto decade = float(std::log10(cut.at.value_or(std::sqrt(cut.low * cut.high))));
  const bool moved = ImGui::SliderFloat(
      "Cut height", &decade, float(std::log10(cut.low)), float(std::log10(cut.high)),
      cut.at ? fmt::format("{:.4g}", *cut.at).c_str() : "none",
      ImGuiSliderFlags_NoRoundToFormat | ImGuiSliderFlags_NoInput);
  const double height = std::clamp(std::pow(10, double(decade)), cut.low, cut.high);
  // The label is a part of the item.
  const float right = ImGui::GetItemRectMin().x + ImGui::CalcItemWidth();
  draw_marks(cut, right, input.scale);
  if (moved) emit_cut(input, height);
  if (ImGui::IsItemHovered() && !ImGui::IsItemActive())
    ImGui::SetTooltip("%s", words_of(cut).c_str());
  if (cut.at && ImGui::Button("No cut")) input.emit(fmt::format("cut {} off", finding.finder));
}

}  // namespace haloscope::app::viewer
