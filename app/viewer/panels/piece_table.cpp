#include "analysis/finder.h"
#include "analysis/particle_colors.h"
#include "analysis/plot_units.h"
#include "app/viewer/panels/hints.h"
#include "app/viewer/panels/listed_columns.h"
#include "app/viewer/panels/number_field.h"
#include "app/viewer/panels/panels.h"
#include "app/viewer/panels/piece_order.h"
#include "app/viewer/panels/scene_words.h"
#include "app/viewer/panels/short_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <imgui.h>
#include <optional>
#include <string>
#include <vector>

namespace haloscope::app::viewer {

namespace {

// The color that the piece's particles have.
void show_swatch(const PanelInput& input, std::uint64_t piece) {
  const auto& color = analysis::display_color(piece);
  const float side = ImGui::GetTextLineHeight();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 low(at.x, at.y + 0.2f * side), high(at.x + 0.6f * side, at.y + 0.8f * side);
  ImGui::GetWindowDrawList()->AddRectFilled(
      low, high, ImGui::ColorConvertFloat4ToU32(ImVec4(color[0], color[1], color[2], 1)));
  ImGui::Dummy(ImVec2(0.6f * side, side));
  ImGui::SameLine(0, 4 * input.scale);
}

// What a header keeps free behind its title for the arrow that tells the order.
float room_for_arrow() {
  constexpr float kArrow = 0.65f;  // of a letter's height, as Dear ImGui has it
  return std::ceil(kArrow * ImGui::GetFontSize() + ImGui::GetStyle().FramePadding.x);
}

// Ends where the titles of the columns end, so that digits stand below digits.
void move_right(const std::string& words) {
  const float room =
      ImGui::GetContentRegionAvail().x - room_for_arrow() - ImGui::CalcTextSize(words.c_str()).x;
  ImGui::SetCursorPosX(ImGui::GetCursorPosX() + std::max(0.f, std::floor(room)));
}

void show_value(const ListedColumn& column, std::uint64_t piece) {
  if (!ImGui::TableNextColumn()) return;
  const double value = column.value(piece) * column.factor;
  const std::string words = std::isnan(value) ? "none"
                            : column.whole    ? fmt::format("{:.0f}", value)
                                              : with_digits(value);
  move_right(words);
  std::isnan(value) ? ImGui::TextDisabled("none") : ImGui::TextUnformatted(words.c_str());
}

// How opaque the ground of a row is that is selected, and of one in the rectangle of a plot.
constexpr float kChosenGround = 0.55f, kBrushedGround = 0.25f;

bool is_brushed(const PanelInput& input, std::uint64_t piece) {
  return input.brushed && std::binary_search(input.brushed->begin(), input.brushed->end(), piece);
}

void show_chosen_row(const PanelInput& input, float opacity) {
  const ImVec4 ground(0.26f, 0.47f, 0.72f, opacity);
  // The color of the chosen one in the picture.
  constexpr ImU32 kBar = IM_COL32(255, 205, 90, 255);
  ImGui::TableSetBgColor(ImGuiTableBgTarget_RowBg0, ImGui::GetColorU32(ground));
  ImGui::TableSetBgColor(ImGuiTableBgTarget_RowBg1, 0);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float above = ImGui::GetStyle().CellPadding.y;
  ImGui::GetWindowDrawList()->AddRectFilled(
      ImVec2(at.x - 2 * input.scale, at.y - above),
      ImVec2(at.x + input.scale, at.y + ImGui::GetTextLineHeight() + above), kBar);
}

void show_row(const PanelInput& input, const std::vector<ListedColumn>& columns,
              std::uint64_t piece) {
  const analysis::Finding& finding = *input.finding;
  const session::FindingState& state = input.state.finding(finding.finder);
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  const std::string label = std::to_string(piece);
  if (state.selected == piece)
    show_chosen_row(input, kChosenGround);
  else if (is_brushed(input, piece))
    show_chosen_row(input, kBrushedGround);
  if (ImGui::Selectable(
          ("##" + label).c_str(), false,
          ImGuiSelectableFlags_SpanAllColumns | ImGuiSelectableFlags_AllowDoubleClick)) {
    input.emit(fmt::format("select {} {}", finding.finder, label));
    if (ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left))
      input.emit(fmt::format("fly_to {} {}", finding.finder, label));
  }
  ImGui::SameLine(0, 3 * input.scale);
  if (state.color_particles && analysis::has_colors(finding, {}) && state.color_field.empty())
    show_swatch(input, piece);
  move_right(label);
  ImGui::TextUnformatted(label.c_str());
  for (const ListedColumn& column : columns) show_value(column, piece);
}

// Points.
constexpr float kNarrowest = 74;  // of a column of numbers

float width_needed(const std::string& title, float scale) {
  return std::max(kNarrowest * scale, ImGui::CalcTextSize(title.c_str()).x + room_for_arrow()) +
         2 * ImGui::GetStyle().CellPadding.x;
}

// How many of the columns the table has room for; those that the finder lists are always there.
std::size_t count_shown(const std::vector<ListedColumn>& columns, std::size_t least,
                        const std::string& first, float width, float scale) {
  width -= width_needed(first, scale) + ImGui::GetStyle().ScrollbarSize;
  std::size_t shown = 0;
  for (const ListedColumn& column : columns) {
    width -= width_needed(column.title, scale);
    if (shown >= least && width < 0) break;
    ++shown;
  }
  return shown;
}

float row_height() {
  return ImGui::GetTextLineHeight() + 2 * ImGui::GetStyle().CellPadding.y;
}

// As TableHeadersRow(), with titles that end where the numbers end, and what they mean.
void show_headers(const std::string& first, const std::vector<ListedColumn>& columns,
                  std::size_t shown) {
  ImGui::TableNextRow(ImGuiTableRowFlags_Headers);
  for (std::size_t k = 0; k <= shown; ++k) {
    if (!ImGui::TableSetColumnIndex(int(k))) continue;
    const std::string& title = k == 0 ? first : columns[k - 1].title;
    ImGui::PushID(int(k));
    move_right(title);
    ImGui::TableHeader(title.c_str());
    if (k > 0 && ImGui::IsItemHovered()) {
      const ListedColumn& column = columns[k - 1];
      std::string words = column.unit.empty() ? "" : "in " + column.unit;
      if (!column.help.empty()) words += (words.empty() ? "" : "\n") + column.help;
      if (!words.empty()) ImGui::SetTooltip("%s", words.c_str());
    }
    ImGui::PopID();
  }
}

// Of a table that Dear ImGui scrolls, in its own window: what it remembers there ends with it.
class Scrolled {
 public:
  Scrolled(float row, int seen) : row_(row), seen_(seen), kept_(*ImGui::GetStateStorage()) {}

  // Brings a row into view, once for each `cause`, so that the user may scroll on. find() tells
  // which; it goes through all rows.
  template <class Find>
  void follow(const Find& find, int cause) {
    int* const former = kept_.GetIntRef(ImGui::GetID("cause"), 0);
    if (*former == cause) return;
    *former = cause;
    const std::optional<int> place = find();
    if (!place) return;
    const float top = float(*place) * row_, now = ImGui::GetScrollY();
    if (top >= now && top + row_ <= now + float(seen_) * row_) return;
    go(std::max(0.f, float(*place - seen_ / 2)) * row_);
  }

  // No half of a row is shown: what was scrolled goes on to the next whole one.
  void keep_whole() {
    if (went_ || ImGui::IsMouseDown(ImGuiMouseButton_Left)) return;
    float* const rest = kept_.GetFloatRef(ImGui::GetID("rest"), 0);
    const float now = ImGui::GetScrollY(), rows = now / row_;
    if (std::abs(rows - std::round(rows)) < 0.02f) {
      *rest = now;
      return;
    }
    go(row_ * (now > *rest ? std::ceil(rows) : std::floor(rows)));
  }

 private:
  void go(float y) {
    ImGui::SetScrollY(y);
    went_ = true;
  }

  float row_;
  int seen_;
  ImGuiStorage& kept_;
  bool went_ = false;
};

// A number that changes when a row is to be brought into view.
int cause_of(const analysis::Finding& finding, std::optional<std::uint64_t> selected,
             std::optional<std::size_t> column, bool descending, std::uint64_t at_least, int seen) {
  std::size_t cause = std::hash<const void*>{}(&finding);
  for (const std::size_t part :
       {std::size_t(selected.value_or(~0ull)), column.value_or(~std::size_t(0)),
        std::size_t(descending), std::size_t(at_least), std::size_t(seen)})
    cause = cause * 1000003 + part;
  return int(cause ^ (cause >> 32)) | 1;
}

void show_table(const PanelInput& input, std::uint64_t at_least) {
  constexpr ImGuiTableFlags kFlags = ImGuiTableFlags_Sortable | ImGuiTableFlags_RowBg |
                                     ImGuiTableFlags_ScrollY | ImGuiTableFlags_Resizable |
                                     ImGuiTableFlags_SizingStretchProp;
  const analysis::Finding& finding = *input.finding;
  const auto& words = analysis::require_finder(finding.finder).words();
  const std::vector<ListedColumn> columns = listed_columns(finding);
  const std::string first = analysis::capitalized(analysis::piece_word(finding, words, 1));
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const std::size_t shown =
      count_shown(columns, finding.columns.size(), first, room.x, input.scale);
  // Whole rows below the header, one at least.
  const float row = row_height();
  const int fits = std::max(1, int(std::floor(room.y / row)) - 1);
  const int seen = int(std::min<std::uint64_t>(std::uint64_t(fits), finding.pieces));
  if (!ImGui::BeginTable(words.name.c_str(), 1 + int(columns.size()), kFlags,
                         ImVec2(0, float(seen + 1) * row)))
    return;
  ImGui::TableSetupScrollFreeze(0, 1);
  // Weights: what is left over is shared out as widths are needed.
  ImGui::TableSetupColumn(first.c_str(), ImGuiTableColumnFlags_DefaultSort,
                          width_needed(first, input.scale));
  for (std::size_t k = 0; k < columns.size(); ++k)
    ImGui::TableSetupColumn(columns[k].title.c_str(),
                            ImGuiTableColumnFlags_PreferSortDescending |
                                (k < shown ? 0 : ImGuiTableColumnFlags_Disabled),
                            width_needed(columns[k].title, input.scale));
  show_headers(first, columns, shown);
  PieceOrder& order = input.memory.piece_order;
  std::optional<std::size_t> column;
  bool descending = false;
  if (const ImGuiTableSortSpecs* sort = ImGui::TableGetSortSpecs(); sort && sort->SpecsCount > 0) {
    if (sort->Specs[0].ColumnIndex > 0) column = std::size_t(sort->Specs[0].ColumnIndex) - 1;
    descending = sort->Specs[0].SortDirection == ImGuiSortDirection_Descending;
  }
  const bool alone = input.brushed && input.memory.finders[finding.finder].brushed_alone;
  order.make(finding, column, descending, at_least, alone ? input.brushed : nullptr);
  const auto& pieces = order.pieces();
  const auto selected = input.state.finding(finding.finder).selected;
  const auto find_selected = [&]() -> std::optional<int> {
    if (!selected) return {};
    const auto found = std::find(pieces.begin(), pieces.end(), std::uint32_t(*selected));
    return found == pieces.end() ? std::nullopt : std::optional(int(found - pieces.begin()));
  };
  Scrolled scrolled(row, seen);
  scrolled.follow(find_selected, cause_of(finding, selected, column, descending, at_least, seen));
  scrolled.keep_whole();
  const std::vector<ListedColumn> seen_columns(columns.begin(),
                                               columns.begin() + std::ptrdiff_t(shown));
  ImGuiListClipper clipper;
  clipper.Begin(int(pieces.size()), row);
  while (clipper.Step())
    for (int k = clipper.DisplayStart; k < clipper.DisplayEnd; ++k)
      show_row(input, seen_columns, pieces[std::size_t(k)]);
  ImGui::EndTable();
}

// "Mass in Msun/h, R200 in Mpc/h", and what titles do not say.
void show_units(const analysis::Finding& finding) {
  std::string units, help;
  for (const analysis::PieceColumn& column : finding.columns) {
    if (!column.unit.empty())
      units += fmt::format("{}{} in {}", units.empty() ? "" : ", ", column.title,
                           analysis::without_power(column.unit).unit);
    if (!column.help.empty()) help += column.help + " ";
  }
  const float room = ImGui::GetContentRegionAvail().x;
  ImGui::TextDisabled("%s", shortened(units, std::max(1.f, room)).c_str());
  if (ImGui::IsItemHovered()) ImGui::SetTooltip("%sDouble-click a row to fly there.", help.c_str());
}

}  // namespace

void show_piece_table(const PanelInput& input) {
  const auto& words = analysis::require_finder(input.state.shown_finder).words();
  if (const std::string hint = table_hint(input); !hint.empty())
    return ImGui::TextWrapped("%s", hint.c_str());
  int& at_least = input.memory.finders[words.name].at_least;
  ImGui::AlignTextToFramePadding();
  ImGui::Text("%s %s", grouped(input.finding->pieces).c_str(),
              analysis::piece_word(*input.finding, words, input.finding->pieces).c_str());
  ImGui::SameLine();
  if (input.brushed) {
    ImGui::Checkbox(
        fmt::format("the {} in the rectangle alone", grouped(input.brushed->size())).c_str(),
        &input.memory.finders[words.name].brushed_alone);
    ImGui::SameLine();
  }
  if (input.finding->members_column) {
    ImGui::SetNextItemWidth(90 * input.scale);
    ImGui::PushID(words.name.c_str());
    whole_number_fields(input, "members or more", &at_least, 1, {0});
    ImGui::PopID();
    ImGui::SameLine();
  }
  show_units(*input.finding);
  show_table(input, std::uint64_t(std::max(0, at_least)));
}

}  // namespace haloscope::app::viewer
