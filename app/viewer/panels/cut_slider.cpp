#include "app/viewer/panels/cut_slider.h"

#include "analysis/finder.h"
#include "app/viewer/panels/scene_words.h"
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

// As Dear ImGui takes formats.
std::string literal(const std::string& words) {
  std::string format;
  for (const char letter : words) format += letter == '%' ? "%%" : std::string(1, letter);
  return format;
}

std::string words_of(const analysis::CutScale& cut) {
  const std::string unit = cut.unit.empty() ? std::string() : " " + cut.unit;
  std::string words = fmt::format("{}, {} to {}{}", analysis::capitalized(cut.name),
                                  readable(cut.low), readable(cut.high), unit);
  for (const auto& mark : cut.marks)
    words += fmt::format("\nthe line: {}, {}{}", mark.name, readable(mark.at), unit);
  if (cut.at && !cut.asked.empty())
    words += fmt::format("\nnow {}{}, as {} asks for", readable(*cut.at), unit, cut.asked);
  if (cut.at && *cut.at > cut.high) words += "\nthe cut is above all heights";
  return words;
}

}  // namespace

std::string cut_in_words(const analysis::CutScale& cut) {
  if (!cut.asked.empty()) return cut.asked;
  if (!cut.at) return "none";
  return readable(*cut.at) + (cut.unit.empty() ? "" : " " + cut.unit);
}

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
  // A field of options may have the same label.
  const std::string label = analysis::capitalized(cut.name) + "##cut";
  const bool moved =
      ImGui::SliderFloat(label.c_str(), &decade, float(std::log10(cut.low)),
                         float(std::log10(cut.high)), literal(cut_in_words(cut)).c_str(),
                         ImGuiSliderFlags_NoRoundToFormat | ImGuiSliderFlags_NoInput);
  const double height = std::clamp(std::pow(10, double(decade)), cut.low, cut.high);
  // The label is a part of the item.
  const float right = ImGui::GetItemRectMin().x + ImGui::CalcItemWidth();
  draw_marks(cut, right, input.scale);
  if (moved) emit_cut(input, height);
  if (ImGui::IsItemHovered() && !ImGui::IsItemActive())
    ImGui::SetTooltip("%s", words_of(cut).c_str());
  if ((cut.at || !cut.asked.empty()) && ImGui::Button("No cut"))
    input.emit(fmt::format("cut {} off", finding.finder));
}

}  // namespace haloscope::app::viewer
