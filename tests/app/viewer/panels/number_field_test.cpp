#include "app/viewer/panels/number_field.h"

#include "analysis/clusters/clusters_options.h"
#include "analysis/halos/halo_options.h"
#include "app/viewer/panels/option_widgets.h"
#include "app/viewer/panels/panels.h"
#include "tests/app/viewer/hand.h"
#include "tests/catch.h"

#include <optional>
#include <string>

// Numbers that are typed into the panels' fields.

namespace haloscope::app::viewer {

namespace {

using Lines = std::vector<std::string>;
using test::Hand;

constexpr float kFirst = 60, kSecond = 190;  // of two fields in a row, pixels
constexpr float kNowhere = 690;

// The row of a color's limits; gas alone is unfolded. Above it stand brightness and smoothing,
// which a click does not open.
class Limits : public Hand {
 public:
  Limits() : Hand(show_particles_panel) {
    memory.open_types[0] = true;
    rest(3);
    row = find_field(kFirst);
    REQUIRE(row > 0);
    emitted.clear();
  }
  float row = 0;
};

}  // namespace

TEST_CASE("a limit is typed with an exponent", "[window]") {
  Limits hand;
  for (const auto& [typed, line] :
       std::vector<std::pair<std::string, std::string>>{{"1e4", "limits gas 10000 10000000"},
                                                        {"1E-3", "limits gas 0.001 10000000"},
                                                        {"-2.5e+03", "limits gas -2500 10000000"},
                                                        {" +7.25 ", "limits gas 7.25 10000000"}}) {
    hand.emitted.clear();
    hand.click(kFirst, hand.row);
    hand.type(typed);
    hand.press(ImGuiKey_Enter);
    CHECK(hand.emitted == Lines{line});
  }
}

TEST_CASE("a limit that was typed holds after Tab and after a click elsewhere", "[window]") {
  Limits hand;
  hand.click(kFirst, hand.row);
  hand.type("2000");
  hand.press(ImGuiKey_Tab);
  // The second limit has the focus now: the row is not left yet.
  hand.type("3000");
  CHECK(hand.emitted.empty());
  hand.press(ImGuiKey_Tab);
  CHECK(hand.emitted == Lines{"limits gas 2000 3000"});
  hand.press(ImGuiKey_Escape);
  hand.emitted.clear();
  hand.click(kSecond, hand.row);
  hand.type("5e9");
  hand.click(kFirst, kNowhere);
  REQUIRE(hand.emitted.size() == 1);
  CHECK(hand.emitted.front().starts_with("limits gas 3162."));
  CHECK(hand.emitted.front().ends_with(" 5000000000"));
}

TEST_CASE("Escape leaves a number as it was, and so does a look at it", "[window]") {
  Limits hand;
  hand.click(kFirst, hand.row);
  hand.type("2000");
  hand.press(ImGuiKey_Escape);
  hand.click(kFirst, hand.row);
  hand.press(ImGuiKey_Tab);
  hand.press(ImGuiKey_Tab);
  hand.click(kFirst, kNowhere);
  CHECK(hand.emitted.empty());
}

TEST_CASE("what is no number is told, and the one before it stays", "[window]") {
  Limits hand;
  for (const auto& [typed, fault] : std::vector<std::pair<std::string, std::string>>{
           {"1e", "'1e'"}, {"abc", "'abc'"}, {"1e999", "'1e999'"}}) {
    hand.told.clear();
    hand.click(kFirst, hand.row);
    hand.type(typed);
    hand.press(ImGuiKey_Enter);
    REQUIRE(hand.told.size() == 1);
    CHECK(hand.told.front().find("Limits") != std::string::npos);
    CHECK(hand.told.front().find(fault) != std::string::npos);
  }
  CHECK(hand.emitted.empty());
  // What was typed beside it goes with it: half a row is no statement.
  hand.click(kFirst, hand.row);
  hand.type("5");
  hand.press(ImGuiKey_Tab);
  hand.type("x");
  hand.press(ImGuiKey_Enter);
  CHECK(hand.emitted.empty());
}

TEST_CASE("whole numbers are whole, within their bounds", "[window]") {
  int members = 32;
  Hand hand([&](const PanelInput& input) {
    whole_number_field(input, "Members", members, {1, 5000});
  });
  const float row = hand.find_field(kFirst);
  REQUIRE(row > 0);
  const auto type = [&](const std::string& typed) {
    hand.told.clear();
    hand.click(kFirst, row);
    hand.type(typed);
    hand.press(ImGuiKey_Enter);
    return hand.told.empty() ? std::string() : hand.told.front();
  };
  CHECK(type("1e3").empty());
  CHECK(members == 1000);
  CHECK(type("2.5").find("'2.5' is no whole number") != std::string::npos);
  CHECK(type("0").find("between 1 and 5000") != std::string::npos);
  CHECK(type("-1").find("between 1 and 5000") != std::string::npos);
  CHECK(members == 1000);
}

TEST_CASE("a whole number that is too large is told so, with the most", "[window]") {
  int members = 32, at_least = 7;
  std::optional<int> sizes;
  Hand hand([&](const PanelInput& input) {
    whole_number_field(input, "Min. members", members, {1, 1 << 30});
    whole_number_fields(input, "members or more", &at_least, 1, {0});
    optional_whole_number_field(input, "Sizes", sizes, "all", {0, 1 << 30});
  });
  const auto type = [&](int field, const std::string& typed) {
    const float row = hand.find_field(kFirst, field);
    REQUIRE(row > 0);
    hand.told.clear();
    hand.click(kFirst, row);
    hand.type(typed);
    hand.press(ImGuiKey_Enter);
    return hand.told.empty() ? std::string() : hand.told.front();
  };
  CHECK(type(0, "99999999999999") ==
        "Min. members: 99999999999999 is too large: the most is 1073741824");
  CHECK(type(0, "1e25") == "Min. members: 1e25 is too large: the most is 1073741824");
  CHECK(type(0, "0") == "Min. members: 0 is less than 1");
  CHECK(members == 32);
  CHECK(type(1, "99999999999999") ==
        "members or more: 99999999999999 is too large: the most is 2147483647");
  CHECK(type(1, "-1") == "members or more: -1 is less than 0");
  CHECK(at_least == 7);
  CHECK(type(2, "99999999999999") == "Sizes: 99999999999999 is too large: the most is 1073741824");
  CHECK_FALSE(sizes);
  CHECK(type(2, "12").empty());
  CHECK(sizes == 12);
}

TEST_CASE("corners and centers are typed with an exponent", "[window]") {
  Hand hand(show_selection_panel);
  const float low = hand.find_field(30);
  REQUIRE(low > 0);
  hand.click(30, low);
  hand.type("1e1");
  hand.press(ImGuiKey_Tab);
  hand.type("2E1");
  hand.click(30, kNowhere);
  CHECK(hand.memory.selection.typed.low[0] == 10);
  CHECK(hand.memory.selection.typed.low[1] == 20);
  CHECK(hand.memory.selection.typed.low[2] == 45);
  hand.memory.selection.typed.kind = session::SelectionKind::Sphere;
  hand.rest(2);
  hand.click(30, low);
  hand.type("3e1");
  hand.click(30, kNowhere);
  CHECK(hand.memory.selection.typed.center[0] == 30);
}

TEST_CASE("a key's time holds after Tab", "[window]") {
  Hand hand(show_path_panel);
  for (const double seconds : {0., 1.})
    hand.state.path.push_back({seconds, *hand.state.camera, 0, {}, 0});
  hand.rest(3);
  const float second = hand.find_field(40, 1);
  REQUIRE(second > 0);
  hand.emitted.clear();
  hand.click(40, second);
  hand.type("2.5e0");
  hand.press(ImGuiKey_Tab);
  CHECK(hand.emitted == Lines{"move_key 2 2.5"});
}

TEST_CASE("an empty field is no value", "[window]") {
  std::optional<double> value;
  Hand hand([&](const PanelInput& input) {
    optional_number_field(input, "Softening", value, "%.4g", "from the file");
  });
  const float row = hand.find_field(kFirst);
  REQUIRE(row > 0);
  const auto type = [&](const std::string& letters) {
    hand.click(kFirst, row);
    hand.type(letters);
    if (letters.empty()) hand.press(ImGuiKey_Backspace);
    hand.press(ImGuiKey_Enter);
  };
  type("0.5");
  CHECK(value == 0.5);
  type("");
  CHECK_FALSE(value);
  type("x");
  CHECK_FALSE(value);
  CHECK(hand.told.size() == 1);
}

TEST_CASE("the second way to say an option has no row of its own", "[window]") {
  float rows = -1, pair = -1;
  analysis::AnyOptions options = analysis::HaloOptions{};
  OptionDraft draft;
  Hand hand([&](const PanelInput& input) {
    const auto height = [&](const char* name) {
      const float before = ImGui::GetCursorPosY();
      OptionWidgets widgets(input, draft, name, "kpc/h");
      visit(widgets, options);
      return ImGui::GetCursorPosY() - before;
    };
    pair = height("linking_length");
    rows = height("epsilon");
  });
  hand.rest(2);
  CHECK(pair > 0);
  CHECK(rows == 0);
}

TEST_CASE("a word that stands in place of a count is ticked", "[window]") {
  analysis::ClustersOptions options;
  OptionDraft draft;
  ImVec2 at;
  Hand hand([&](const PanelInput& input) {
    at = ImGui::GetCursorScreenPos();
    OptionWidgets widgets(input, draft, "min_cluster_size", "kpc/h");
    visit(widgets, options);
  });
  using Size = std::optional<std::uint64_t>;
  for (const Size size : {Size(), Size(30), Size(analysis::ClustersOptions::kAutoSize)}) {
    options.min_cluster_size = size;
    hand.rest(3);
    CHECK(options.min_cluster_size == size);
  }
  hand.click(at.x + 8, at.y + 8);
  CHECK_FALSE(options.min_cluster_size);
  hand.click(at.x + 8, at.y + 8);
  CHECK(options.chooses_size());
}

}  // namespace haloscope::app::viewer
