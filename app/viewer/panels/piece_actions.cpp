#include "app/viewer/panels/piece_actions.h"

#include "analysis/finder.h"
#include "app/viewer/panels/shown_plot.h"

#include <fmt/format.h>

#include <imgui.h>
#include <string>

namespace haloscope::app::viewer {

namespace {

// What is emitted while it lives is one step of undo.
class OneStep {
 public:
  explicit OneStep(const PanelInput& input) : input_(input) { input_.emit("one_step on"); }
  ~OneStep() { input_.emit("one_step off"); }
  OneStep(const OneStep&) = delete;
  OneStep& operator=(const OneStep&) = delete;

 private:
  const PanelInput& input_;
};

bool button_in_row(const std::string& title) {
  same_line_if_fits(title.c_str());
  return ImGui::Button(title.c_str());
}

void show_following_of(const PanelInput& input, std::size_t piece) {
  const auto& selection = input.state.selection;
  const auto& words = analysis::require_finder(input.state.shown_finder).words();
  const bool followed = selection.kind == analysis::SelectionKind::Piece && selection.follow_ids &&
                        selection.finder == words.name && selection.piece == piece &&
                        selection.made_in == input.state.current &&
                        selection.search == input.state.shown().options;
  if (followed || input.state.snapshots.size() < 2) return;
  const std::string word = analysis::piece_word(*input.finding, words, 1);
  if (ImGui::Button(fmt::format("Follow the members of {} {}", word, piece).c_str())) {
    const OneStep step(input);
    input.emit(fmt::format("select_members {} followed", piece));
    if (input.state.show_sets == analysis::ShowSets::Off) input.emit("show_sets highlight");
  }
  if (ImGui::IsItemHovered())
    ImGui::SetTooltip(
        "%s", "Selects them, highlights them, and finds them by their IDs in the other snapshots");
}

}  // namespace

std::optional<std::size_t> chosen_piece(const PanelInput& input) {
  const auto number = input.state.shown().selected;
  if (!input.finding || !number || *number >= input.finding->places.size()) return {};
  return std::size_t(*number);
}

void same_line_if_fits(const char* title) {
  const ImGuiStyle& style = ImGui::GetStyle();
  const float width = ImGui::CalcTextSize(title).x + 2 * style.FramePadding.x;
  const float right = ImGui::GetWindowPos().x + ImGui::GetWindowContentRegionMax().x;
  if (ImGui::GetItemRectMax().x + style.ItemSpacing.x + width <= right) ImGui::SameLine();
}

void show_piece_actions(const PanelInput& input) {
  const auto& words = analysis::require_finder(input.state.shown_finder).words();
  const auto chosen = chosen_piece(input);
  const std::string piece =
      fmt::format("{} {}", analysis::piece_word(*input.finding, words, 1), chosen.value_or(0));
  const std::string target = fmt::format("{} {}", words.name, chosen.value_or(0));
  if (button_in_row("Fly to " + piece)) {
    const OneStep step(input);
    if (!chosen) input.emit("select " + target);
    input.emit("fly_to " + target);
  }
  if (button_in_row("Profile of " + piece)) {
    const OneStep step(input);
    if (!chosen) input.emit("select " + target);
    input.emit("profile " + target);
    show_plot_of(input, "profile_density");
  }
  show_following_of(input, chosen.value_or(0));
}

void show_following(const PanelInput& input) {
  if (const auto piece = chosen_piece(input)) show_following_of(input, *piece);
}

}  // namespace haloscope::app::viewer
