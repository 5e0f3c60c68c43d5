// The table of pieces: what it shows of a selection, and how its numbers stand.

#include "app/viewer/panels/listed_columns.h"
#include "app/viewer/panels/panels.h"
#include "app/viewer/panels/piece_order.h"
#include "tests/app/viewer/hand.h"
#include "tests/catch.h"

#include <algorithm>
#include <cmath>
#include <imgui_internal.h>
#include <map>
#include <string>
#include <vector>

namespace haloscope::app::viewer {

namespace {

float row_height() {
  return ImGui::GetTextLineHeight() + 2 * ImGui::GetStyle().CellPadding.y;
}

// Halos in the order of their numbers.
struct Listed {
  analysis::Finding finding = test::many_halos(500);
  test::Hand hand;

  Listed()
      : hand([this](const PanelInput& input) {
          PanelInput mine = input;
          mine.finding = &finding;
          show_piece_table(mine);
        }) {
    for (std::size_t k = 0; k < 500; ++k) {
      finding.columns[0].values[k] = 7000000 + double(k);
      finding.columns[1].values[k] = k % 2 == 0 ? 0.0625 : 12345;
    }
    hand.rest(3);
  }
  // Whole, below the header.
  static bool shows(int piece) {
    const ImGuiWindow& inner = *table().InnerWindow;
    const float top = float(piece) * row_height() - inner.Scroll.y;
    return top > -1 && top + 2 * row_height() < inner.InnerRect.GetHeight() + 1;
  }
  void select(int piece) {
    hand.state.finding("halos").selected = std::uint64_t(piece);
    hand.rest(3);
  }
  static ImGuiTable& table() { return *ImGui::GetCurrentContext()->Tables.GetByIndex(0); }
};

bool is_whole(float rows) {
  return std::abs(rows - std::round(rows)) < 0.02f;
}

}  // namespace

TEST_CASE("the table follows the selection, and lets the user scroll away", "[window][table]") {
  Listed listed;
  CHECK(listed.shows(0));
  CHECK_FALSE(listed.shows(300));
  listed.select(300);
  CHECK(listed.shows(300));
  CHECK_FALSE(listed.shows(0));
  listed.select(302);
  CHECK(listed.shows(302));
  listed.select(2);
  CHECK(listed.shows(2));
  ImGui::GetIO().MousePos = ImVec2(100, 200);
  listed.hand.rest(1);
  for (int k = 0; k < 12; ++k) {
    ImGui::GetIO().MouseWheel = -3;
    listed.hand.rest(2);
  }
  CHECK_FALSE(listed.shows(2));
  listed.hand.rest(10);
  CHECK_FALSE(listed.shows(2));
}

TEST_CASE("only whole rows are seen, wherever the table was scrolled to", "[window][table]") {
  Listed listed;
  const ImGuiWindow& inner = *Listed::table().InnerWindow;
  CHECK(is_whole(inner.InnerRect.GetHeight() / row_height()));
  ImGui::GetIO().MousePos = ImVec2(100, 200);
  listed.hand.rest(1);
  float former = 0;
  for (const float wheel : {-0.1f, -1.3f, -2.7f, 0.4f, -0.05f}) {
    ImGui::GetIO().MouseWheel = wheel;
    listed.hand.rest(4);
    INFO(wheel);
    CHECK(is_whole(inner.Scroll.y / row_height()));
    // However little the wheel was turned, a row goes.
    CHECK((wheel < 0 ? inner.Scroll.y > former : inner.Scroll.y < former));
    former = inner.Scroll.y;
  }
}

TEST_CASE("numbers in a column end at one place", "[window][table]") {
  Listed listed;
  const ImGuiTable& table = Listed::table();
  const ImVec2 white = ImGui::GetDrawListSharedData()->TexUvWhitePixel;
  // The last letter of each row, by column.
  std::map<int, std::map<int, float>> ends;
  for (const ImDrawVert& corner : table.InnerWindow->DrawList->VtxBuffer) {
    if (corner.uv.x == white.x && corner.uv.y == white.y) continue;
    const int row = int((corner.pos.y - table.InnerWindow->InnerRect.Min.y) / row_height());
    for (int column = 0; column < table.ColumnsCount; ++column)
      if (const ImGuiTableColumn& c = table.Columns[column];
          c.IsEnabled && corner.pos.x >= c.MinX && corner.pos.x < c.MaxX)
        ends[column][row] = std::max(ends[column][row], corner.pos.x);
  }
  REQUIRE(ends.size() >= 4);
  for (const int column : {1, 2, 3}) {
    INFO(column);
    float least = HUGE_VALF, most = 0;
    for (const auto& [row, end] : ends[column]) {
      // Beside titles and the ends of the lines between columns.
      if (row < 3 || row > 12) continue;
      least = std::min(least, end);
      most = std::max(most, end);
    }
    REQUIRE(ends[column].size() > 10);
    CHECK(most - least < 3);
    CHECK(table.Columns[column].MaxX - most < 24);
  }
}

TEST_CASE("columns of the catalog follow those that the finder lists", "[window][table]") {
  analysis::Finding finding = test::many_halos(3);
  HaloTable& table = finding.catalog.tables.front();
  table.name = "Group";
  table.count = 3;
  const auto add = [&](const char* name, auto values, int components = 1) {
    CatalogColumn column;
    column.name = name;
    column.components = components;
    column.values = std::move(values);
    table.columns.push_back(std::move(column));
  };
  add("GroupLen", std::vector<std::int64_t>{3, 2, 1});
  add("GroupMass", std::vector<double>{3, 2, 1});  // is listed
  add("GroupPotential", std::vector<double>{-1, -5, -3});
  add("GroupMassType", std::vector<double>(18, 1.0), 6);
  add("Group_M_Crit200", std::vector<double>{30, 10, 20});
  add("GroupPos", std::vector<double>{1, 2, 3, 4, 5, 6, 7, 8, 9}, 3);
  std::vector<std::string> titles;
  for (const ListedColumn& column : listed_columns(finding)) titles.push_back(column.title);
  CHECK(titles == std::vector<std::string>{"Members", "Mass", "R200", "Pos x", "Pos y", "Pos z",
                                           "M_Crit200", "Potential"});
  CHECK(listed_columns(finding)[4].value(2) == 8);
  // A power of ten before a unit goes into the number that is shown.
  CHECK(listed_columns(finding)[1].unit == "Msun/h");
  CHECK(listed_columns(finding)[1].factor == 1e10);
  CHECK(listed_columns(finding)[1].value(0) == 3);
  CHECK(listed_columns(finding)[2].unit == "kpc/h");
  CHECK(listed_columns(finding)[2].factor == 1);
  CHECK(ordered_pieces(finding, 6, true, 0) == std::vector<std::uint32_t>{0, 2, 1});
  // Of a cut that is not measured yet the catalog is of other pieces.
  table.count = 4;
  CHECK(listed_columns(finding).size() == 3);
}

TEST_CASE("wide tables show more columns", "[window][table]") {
  Listed listed;
  HaloTable& table = listed.finding.catalog.tables.front();
  table.count = 500;
  for (int k = 0; k < 8; ++k) {
    CatalogColumn column;
    column.name = "More" + std::to_string(k);
    column.values = std::vector<double>(500, k + 0.5);
    table.columns.push_back(std::move(column));
  }
  listed.hand.rest(3);
  const auto enabled = [] {
    int count = 0;
    ImGuiContext& context = *ImGui::GetCurrentContext();
    for (int t = 0; t < context.Tables.GetBufSize(); ++t)
      if (ImGuiTable* const one = context.Tables.TryGetMapData(t);
          one && one->LastFrameActive >= context.FrameCount - 1)
        count = one->ColumnsEnabledCount;
    return count;
  };
  // A window of 340 points has room for those that the finder lists alone.
  CHECK(enabled() == 4);
  listed.hand.width = 1200;
  listed.hand.rest(4);
  CHECK(enabled() > 8);
}

}  // namespace haloscope::app::viewer
