#include "app/viewer/plots/mass_function.h"

#include "app/viewer/plots/log_marks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <imgui.h>

namespace haloscope::app::viewer {

namespace {

constexpr ImU32 kPoint = IM_COL32(255, 205, 90, 255), kLimit = IM_COL32(150, 215, 255, 255);
constexpr double kLeastSpan = 1;  // dex of an axis

// One axis in log10 and where it lies on the screen.
struct Axis {
  double low, high;
  float begin, end;
  float at(double place) const {
    return begin + float((place - low) / (high - low)) * (end - begin);
  }
  bool holds(double place) const { return place >= low && place <= high; }
};

class Plot {
 public:
  Plot(const PanelInput& input, const analysis::MassFunction& function)
      : input_(input),
        function_(function),
        list_(*ImGui::GetWindowDrawList()),
        ink_(ImGui::GetColorU32(ImGuiCol_Text)),
        faint_(ImGui::GetColorU32(ImGuiCol_Border)),
        line_(std::max(1.f, input.scale)) {
    const float font = ImGui::GetFontSize();
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float width = std::max(120 * input.scale, ImGui::GetContentRegionAvail().x);
    const float height = 150 * input.scale;
    ImGui::InvisibleButton("plot", ImVec2(width, height + 1.4f * font));
    hovered_ = ImGui::IsItemHovered();
    const float words = ImGui::CalcTextSize("1e-10").x + 4 * input.scale;
    x_ = {0, 1, at.x + words, at.x + width - 0.8f * font};
    y_ = {0, 1, at.y + height, at.y + 0.5f * font};
    choose_ranges();
  }

  void draw() {
    frame();
    list_.PushClipRect(ImVec2(x_.begin, y_.end), ImVec2(x_.end, y_.begin), true);
    if (function_.least_mass > 0) least_mass();
    for (const analysis::MassBin& bin : function_.bins) point(bin);
    list_.PopClipRect();
    if (hovered_) tell();
  }

 private:
  static void widen(Axis& axis) {
    const double lacking = kLeastSpan - (axis.high - axis.low);
    if (!(lacking > 0)) return;
    axis.low -= lacking / 2;
    axis.high += lacking / 2;
  }

  void choose_ranges() {
    x_.low = function_.bins.front().low;
    x_.high = function_.bins.back().high;
    if (function_.least_mass > 0) x_.low = std::min(x_.low, std::log10(function_.least_mass) - 0.1);
    double least = 0, most = 0;
    for (const analysis::MassBin& bin : function_.bins) {
      if (bin.lower > 0) least = least > 0 ? std::min(least, bin.lower) : bin.lower;
      most = std::max(most, bin.upper);
    }
    y_.low = std::log10(least) - 0.1;
    y_.high = std::log10(most) + 0.1;
    widen(x_);
    widen(y_);
  }

  void frame() {
    list_.AddRect(ImVec2(x_.begin, y_.end), ImVec2(x_.end, y_.begin), faint_, 0, 0, line_);
    const float font = ImGui::GetFontSize();
    const int columns = int((x_.end - x_.begin) / (3.2f * font));
    for (const Mark& mark : log_marks(x_.low, x_.high, columns)) {
      const float x = x_.at(mark.place), width = ImGui::CalcTextSize(mark.words.c_str()).x;
      list_.AddLine(ImVec2(x, y_.begin), ImVec2(x, y_.end), faint_, line_);
      list_.AddText(ImVec2(x - width / 2, y_.begin + 0.2f * font), ink_, mark.words.c_str());
    }
    const int rows = int((y_.begin - y_.end) / (1.6f * font));
    for (const Mark& mark : log_marks(y_.low, y_.high, rows)) {
      const float y = y_.at(mark.place), width = ImGui::CalcTextSize(mark.words.c_str()).x;
      list_.AddLine(ImVec2(x_.begin, y), ImVec2(x_.end, y), faint_, line_);
      list_.AddText(ImVec2(x_.begin - width - 3 * input_.scale, y - font / 2), ink_,
                    mark.words.c_str());
    }
  }

  // Halos left of it were not looked for.
  void least_mass() {
    const float x = x_.at(std::log10(function_.least_mass)), step = 4 * input_.scale;
    for (float y = y_.end; y < y_.begin; y += 2 * step)
      list_.AddLine(ImVec2(x, y), ImVec2(x, y + step), kLimit, 1.5f * line_);
  }

  void point(const analysis::MassBin& bin) {
    const float x = x_.at((bin.low + bin.high) / 2), arm = 3 * input_.scale;
    const float top = y_.at(std::log10(bin.upper));
    if (bin.count == 0) {
      // None was found: an upper limit.
      list_.AddLine(ImVec2(x - arm, top), ImVec2(x + arm, top), kPoint, line_);
      list_.AddTriangle(ImVec2(x - arm, top + 2 * arm), ImVec2(x + arm, top + 2 * arm),
                        ImVec2(x, top + 4 * arm), kPoint, line_);
      list_.AddLine(ImVec2(x, top), ImVec2(x, top + 2 * arm), kPoint, line_);
      return;
    }
    const float bottom = y_.at(std::log10(bin.lower)), y = y_.at(std::log10(bin.value));
    list_.AddLine(ImVec2(x, top), ImVec2(x, bottom), kPoint, line_);
    for (const float end : {top, bottom})
      list_.AddLine(ImVec2(x - arm, end), ImVec2(x + arm, end), kPoint, line_);
    list_.AddCircleFilled(ImVec2(x, y), 2.5f * input_.scale, kPoint);
  }

  // The bin under the cursor.
  void tell() const {
    const float x = ImGui::GetIO().MousePos.x;
    for (const analysis::MassBin& bin : function_.bins) {
      if (x < x_.at(bin.low) || x >= x_.at(bin.high)) continue;
      const std::string words = fmt::format(
          "{:.3g} to {:.3g} {}: {} halo{}\n{:.3g}, {:.3g} to {:.3g} {}", std::pow(10, bin.low),
          std::pow(10, bin.high), function_.mass_unit, bin.count, bin.count == 1 ? "" : "s",
          bin.value, bin.lower, bin.upper, function_.value_unit);
      ImGui::SetTooltip("%s", words.c_str());
    }
  }

  const PanelInput& input_;
  const analysis::MassFunction& function_;
  ImDrawList& list_;
  ImU32 ink_, faint_;
  float line_;
  bool hovered_ = false;
  Axis x_{}, y_{};
};

}  // namespace

void show_mass_function(const PanelInput& input) {
  const analysis::MassFunction& function = input.halos->mass_function;
  if (function.bins.empty()) {
    ImGui::TextWrapped("The halos have no masses.");
    return;
  }
  ImGui::TextWrapped("dn/dlog10 M [%s]", function.value_unit.c_str());
  Plot(input, function).draw();
  const std::string title = fmt::format("M [{}]", function.mass_unit);
  const float width = ImGui::CalcTextSize(title.c_str()).x;
  ImGui::SetCursorPosX(ImGui::GetCursorPosX() +
                       std::max(0.f, (ImGui::GetContentRegionAvail().x - width) / 2));
  ImGui::TextUnformatted(title.c_str());
  std::string words = "Bars: Poisson, 1 sigma (Gehrels 1986, eqs. 9, 12).";
  if (function.least_mass > 0)
    words += fmt::format(" Dashed: {} members, {:.3g} {}, the fewest allowed.",
                         input.halos->options.min_members, function.least_mass, function.mass_unit);
  ImGui::TextWrapped("%s", words.c_str());
}

}  // namespace haloscope::app::viewer
