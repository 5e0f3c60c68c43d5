#include "app/viewer/panels/tone_controls.h"

#include "app/viewer/panels/scene_words.h"

#include <fmt/format.h>

#include <cmath>
#include <imgui.h>

namespace haloscope::app::viewer {

namespace {

// Decades of the sliders to either side, about the curve's own number: light has any unit.
constexpr double kDecades = 3;

void emit_tone(const PanelInput& input, double softening, double white) {
  input.emit(fmt::format("tone {:.6g} {:.6g}", softening, white));
}

bool light_slider(const char* label, double value, double usual, const char* tip, double& now) {
  // Dear ImGui's own logarithmic sliders take what is below 0.001 for zero.
  auto decade = float(std::log10(value));
  const double middle = std::log10(usual);
  const bool changed = ImGui::SliderFloat(
      label, &decade, float(middle - kDecades), float(middle + kDecades),
      readable(value, 3).c_str(), ImGuiSliderFlags_NoRoundToFormat | ImGuiSliderFlags_NoInput);
  if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", tip);
  now = std::pow(10, double(decade));
  return changed;
}

void show_curve(const PanelInput& input) {
  const session::Tone& tone = input.state.tone;
  bool fixed = tone.softening && tone.white;
  if (ImGui::Checkbox("Fixed tone curve", &fixed)) {
    if (fixed && input.picture)
      emit_tone(input, input.picture->curve.softening, input.picture->curve.white);
    else
      input.emit("tone");
  }
  if (ImGui::IsItemHovered())
    ImGui::SetTooltip(
        "Keeps the brightness comparable between views and snapshots; else each\n"
        "picture gets the curve that suits it");
  if (!tone.softening || !tone.white) return;
  // Where the sliders began, for a range that runs along with them has no end.
  double& usual = input.memory.usual_light;
  if (!ImGui::IsMouseDown(ImGuiMouseButton_Left) || !(usual > 0)) usual = *tone.white;
  double moved = 0;
  if (light_slider("White", *tone.white, usual, "Light that is shown white", moved))
    emit_tone(input, *tone.softening, moved);
  if (light_slider("Softening", *tone.softening, usual * std::pow(10, -kDecades),
                   "Fainter light is shown linearly, brighter light logarithmically", moved))
    emit_tone(input, moved, *tone.white);
}

}  // namespace

void show_tone_controls(const PanelInput& input) {
  float exposure = float(input.state.tone.exposure_ev);
  if (ImGui::SliderFloat("Exposure", &exposure, -8, 8, "%+.2f EV"))
    input.emit(fmt::format("exposure {:.4g}", exposure));
  float gamma = float(input.state.tone.gamma);
  if (ImGui::SliderFloat("Gamma", &gamma, 0.2f, 5, "%.2f", ImGuiSliderFlags_Logarithmic))
    input.emit(fmt::format("gamma {:.4g}", gamma));
  if (ImGui::IsItemHovered()) ImGui::SetTooltip("Display values to this power: above 1 is darker");
  show_curve(input);
  show_print_controls(input);
}

void show_print_controls(const PanelInput& input) {
  bool white = input.state.tone.white_ground;
  if (ImGui::Checkbox("White ground", &white)) input.emit(white ? "ground white" : "ground dark");
  if (ImGui::IsItemHovered())
    ImGui::SetTooltip("For print: lightness is turned over and hues are kept; maps stand on white");
  float letters = float(input.state.overlays.letters);
  if (ImGui::SliderFloat("Letters", &letters, 0.5f, 4, "\u00d7%.2f",
                         ImGuiSliderFlags_Logarithmic | ImGuiSliderFlags_AlwaysClamp))
    input.emit(fmt::format("letter_size {:.3g}", letters));
  if (ImGui::IsItemHovered()) ImGui::SetTooltip("Of what lies over the picture, in exports too");
}

}  // namespace haloscope::app::viewer
