// Two results of one snapshot in a session.

#include "analysis/catalogs/compared_findings.h"
#include "app/viewer/overlays/overlays.h"
#include "tests/app/viewer/sample_window.h"
#include "tests/catch.h"
#include "tests/command_line.h"
#include "tests/output_folder.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

namespace haloscope::app::viewer {

namespace {

using Window = test::SampleWindow;

// The numbers of the pieces whose circles are drawn.
std::vector<std::uint64_t> circled(Window& window, bool of_second) {
  const PanelInput input = window.viewer.panel_input(1);
  const PictureArea area{0, 0, 2000, 1500};
  std::vector<std::uint64_t> numbers;
  for (const PieceCircle& piece :
       of_second ? compared_circles(input, area) : piece_circles(input, area))
    numbers.push_back(piece.number);
  return numbers;
}

bool is_written(Window& window) {
  window.viewer.update(window.now += 0.05);
  return window.comes([&] { return window.viewer.idle(); });
}

std::uint64_t count_alone(const std::vector<bool>& alone) {
  return std::uint64_t(std::count(alone.begin(), alone.end(), true));
}

// In which halos were found by 0.2 mean spacings, and then by 0.15, which are listed.
struct TwoSearches : Window {
  TwoSearches() {
    for (const char* const search : {"0.2", "0.15"}) {
      viewer.push(std::string("find halos linking_length=") + search);
      REQUIRE(comes_to_rest());
    }
  }
  PanelInput input() { return viewer.panel_input(1); }
  // In how many lines of the log.
  std::ptrdiff_t times_said(const std::string& part) {
    const auto& log = input().log;
    return std::count_if(log.begin(), log.end(), [&](const LogLine& line) {
      return line.text.find(part) != std::string::npos;
    });
  }
};

}  // namespace

TEST_CASE("two searches are compared as the command line compares their catalogs",
          "[window][comparing]") {
  const test::OutputFolder folder;
  Window window;
  for (const char* const search : {"0.2", "0.15"}) {
    window.viewer.push(std::string("find halos linking_length=") + search);
    REQUIRE(window.comes_to_rest());
    window.viewer.push("export halos \"" + folder.path(std::string(search) + ".hdf5") + "\"");
    REQUIRE(is_written(window));
  }
  CHECK(window.viewer.panel_input(1).searched_before);
  window.viewer.push("compare halos");
  REQUIRE(window.comes_to_rest());
  const auto* const both = window.viewer.panel_input(1).compared;
  REQUIRE(both);

  const test::Outcome outcome = test::run_program(
      {"catalog", folder.path("0.15.hdf5"), "--compare", folder.path("0.2.hdf5"), "--json"});
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  const auto told = nlohmann::json::parse(outcome.out);
  const analysis::CatalogComparison& comparison = both->comparison;
  const auto matched = told["matched"].get<std::uint64_t>();
  CHECK(matched > (test::sample_is_whole() ? 200 : 50));
  CHECK(comparison.pairs.size() == matched);
  CHECK(count_alone(both->first_alone) == told["count"][0].get<std::uint64_t>() - matched);
  CHECK(count_alone(both->second_alone) == told["count"][1].get<std::uint64_t>() - matched);
  CHECK(comparison.mass_ratio == told["mass_ratio"].get<double>());
  CHECK(comparison.mass_scatter_dex == told["mass_scatter_dex"].get<double>());
  CHECK(comparison.offset_largest == told["offset_largest"].get<double>());
  REQUIRE(comparison.members);

  // Both plots are there, with a point for each pair.
  const auto made = window.viewer.panel_input(1).comparison.made;
  REQUIRE(made);
  REQUIRE(made->plots.size() == 3);
  REQUIRE(made->plots[0].layers.size() == 2);
  // Counts go down in steps, by pieces: from all of them to the one most massive.
  for (const std::size_t k : {0, 1}) {
    const analysis::PlotLayer& layer = made->plots[0].layers[k];
    const bool is_first = layer.side == analysis::ComparedSide::First;
    CHECK(is_first == (k == 1));
    CHECK(layer.kind == analysis::LayerKind::Steps);
    CHECK(layer.points.size() > 30);
    CHECK(layer.points.front().y == (is_first ? both->first : both->second)->pieces);
    CHECK(layer.points.back().y == 1);
    const auto& masses = is_first ? comparison.first_masses : comparison.second_masses;
    std::size_t wrong = 0;
    for (const analysis::PlotPoint& step : layer.points)
      wrong += step.y !=
               double(masses.end() - std::lower_bound(masses.begin(), masses.end(), step.x_high));
    CHECK(wrong == 0);
  }
  CHECK(made->plots[1].layers.at(0).points.size() == matched);
  // Both mass functions, in the units that each has alone, with the mass of the fewest members.
  const analysis::Plot& functions = made->plots[2];
  CHECK(functions.name == "both_mass_functions");
  REQUIRE(functions.layers.size() == 2);
  CHECK(functions.marks.size() == 2);
  for (const std::size_t k : {0, 1}) {
    const analysis::PlotLayer& layer = functions.layers[k];
    const bool is_first = k == 1;
    CHECK(layer.name == (is_first ? "A" : "B"));
    const analysis::Plot* const own =
        analysis::find_plot(is_first ? *both->first : *both->second, "mass_function");
    REQUIRE(own);
    CHECK(functions.x.title == own->x.title);
    REQUIRE(layer.points.size() == own->layers[0].points.size());
    CHECK(layer.points[0].y == own->layers[0].points[0].y);
  }

  // The rows of pairs belong to their plot; counts have their own.
  for (const char* const plot : {"compared_counts", "mass_ratios", "both_mass_functions"}) {
    window.viewer.push(std::string("export_plot ") + plot + " \"" +
                       folder.path(std::string(plot) + ".csv") + "\"");
    REQUIRE(is_written(window));
  }
  const std::string rows = test::file_bytes(folder.path("mass_ratios.csv"));
  const std::string counts = test::file_bytes(folder.path("compared_counts.csv"));
  CHECK(rows.find("row_first,row_second,distance") != std::string::npos);
  CHECK(rows.starts_with("# haloscope "));
  CHECK(!counts.empty());
  CHECK(counts.find("row_first") == std::string::npos);

  // What is listed stays so, and the other search is there at once.
  const auto& listed = window.viewer.state().finding("halos").options;
  const bool is_listed = both->first->options == listed && both->second->options != listed;
  CHECK(is_listed);
}

TEST_CASE("circles are of both results, of one, or of what has no partner", "[window][comparing]") {
  Window window;
  window.viewer.push("find halos linking_length=0.15");
  REQUIRE(window.comes_to_rest());
  CHECK_FALSE(window.viewer.panel_input(1).searched_before);
  window.viewer.push("compare halos linking_length=0.2");
  REQUIRE(window.comes_to_rest());
  const auto* const both = window.viewer.panel_input(1).compared;
  REQUIRE(both);
  const std::size_t of_first = circled(window, false).size();
  const std::size_t of_second = circled(window, true).size();
  CHECK(of_first > 0);
  CHECK(of_second > 0);
  window.viewer.push("show_compared first");
  REQUIRE(window.comes_to_rest());
  CHECK(circled(window, false).size() == of_first);
  CHECK(circled(window, true).empty());
  window.viewer.push("show_compared second");
  REQUIRE(window.comes_to_rest());
  CHECK(circled(window, false).empty());
  CHECK(circled(window, true).size() == of_second);
  window.viewer.push("show_compared differences");
  REQUIRE(window.comes_to_rest());
  const std::vector<std::uint64_t> lone = circled(window, false), other = circled(window, true);
  CHECK(!lone.empty());
  std::size_t wrong = 0;
  for (const std::uint64_t piece : lone) wrong += !both->first_alone.at(piece);
  for (const std::uint64_t piece : other) wrong += !both->second_alone.at(piece);
  CHECK(wrong == 0);
  window.viewer.push("compare off");
  REQUIRE(window.comes_to_rest());
  CHECK(circled(window, false).size() == of_first);
  CHECK(circled(window, true).empty());
}

TEST_CASE("a comparison that is cancelled leaves what was found, and the one before it",
          "[window][comparing]") {
  TwoSearches window;
  const auto input = [&] { return window.input(); };
  const auto times_said = [&](const std::string& part) { return window.times_said(part); };
  const std::size_t listed = circled(window, false).size();
  const auto options = window.viewer.state().finding("halos").options;
  // It ends in the middle of its search, and in the frame in which it was asked for.
  const auto stop = [&](bool midway) {
    window.viewer.push("compare halos linking_length=0.28 min_members=20");
    if (midway) {
      window.gate.close();
      window.viewer.update(window.now += 0.05);
      REQUIRE(window.gate.holds());
      REQUIRE(input().jobs.any());
    }
    window.viewer.push("cancel compare");
    window.viewer.update(window.now += 0.05);
    window.gate.open();
    if (midway) {
      // Also when its thread has ended by now, there is more to come.
      for (int k = 0; k < 200 && input().jobs.any(); ++k)
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
      CHECK_FALSE(input().jobs.any());
      CHECK_FALSE(window.viewer.settled());
    }
    REQUIRE(window.comes_to_rest());
  };
  for (const bool midway : {true, false}) {
    CAPTURE(midway);
    stop(midway);
    CHECK_FALSE(window.viewer.state().compared);
    CHECK_FALSE(input().compared);
    CHECK(circled(window, false).size() == listed);
    CHECK(window.viewer.state().finding("halos").options == options);
    CHECK(times_said("the comparison was stopped: nothing is compared") == (midway ? 1 : 2));
  }
  // B of before is still known: nothing was lost.
  window.viewer.push("compare halos");
  REQUIRE(window.comes_to_rest());
  REQUIRE(input().compared);
  const std::size_t pairs = input().compared->comparison.pairs.size();
  const auto second = input().compared->second;
  window.viewer.push("show_compared second");
  for (const bool midway : {true, false}) {
    CAPTURE(midway);
    stop(midway);
    REQUIRE(input().compared);
    CHECK(input().compared->comparison.pairs.size() == pairs);
    CHECK(input().compared->second == second);
    CHECK(window.viewer.state().finding("halos").options == options);
    CHECK(window.viewer.state().compared->show == session::ShownResults::Second);
    CHECK(times_said("the one before it is shown again") == (midway ? 1 : 2));
  }
  CHECK(times_said("nothing is compared") == 2);
}

TEST_CASE("a comparison that fails, or is switched off, leaves what was there",
          "[window][comparing]") {
  TwoSearches window;
  const auto input = [&] { return window.input(); };
  const auto told = [&](const std::string& part) { return window.times_said(part) > 0; };
  window.viewer.push("compare halos");
  REQUIRE(window.comes_to_rest());
  REQUIRE(input().compared);
  const auto second = input().compared->second;
  // Longer than half the box.
  window.viewer.push("compare halos epsilon=1e9");
  REQUIRE(window.comes_to_rest());
  REQUIRE(input().compared);
  CHECK(input().compared->second == second);
  CHECK_FALSE(told("was stopped"));
  CHECK(told("more than half the box"));
  // While a search is under way it waits, and is given up before it begins.
  window.viewer.push("compare off");
  REQUIRE(window.comes_to_rest());
  const auto options = window.viewer.state().finding("halos").options;
  window.viewer.push("find halos linking_length=0.18");
  window.viewer.push("compare halos linking_length=0.28");
  window.viewer.push("cancel compare");
  REQUIRE(window.comes_to_rest());
  CHECK(window.viewer.state().finding("halos").options != options);
  // What was switched off is not back.
  CHECK_FALSE(window.viewer.state().compared);
  CHECK_FALSE(input().compared);
  CHECK(told("the comparison was stopped: nothing is compared"));
}

TEST_CASE("what cannot be compared is said in a sentence", "[window][comparing]") {
  Window window;
  window.viewer.push("find halos min_members=100000");
  window.viewer.push("compare halos linking_length=0.15");
  REQUIRE(window.comes_to_rest());
  CHECK_FALSE(window.viewer.panel_input(1).compared);
  const std::string notice = window.viewer.panel_input(1).notice;
  INFO(notice);
  CHECK(notice.find("found nothing") != std::string::npos);
}

}  // namespace haloscope::app::viewer
