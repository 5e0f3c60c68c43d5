// What empty pages of the shelf tell.

#include "app/viewer/panels/hints.h"

#include "analysis/plot_units.h"
#include "app/viewer/panels/scene_words.h"
#include "tests/app/viewer/scene.h"
#include "tests/catch.h"

#include <string>
#include <vector>

namespace haloscope::app::viewer {

namespace {

struct Pages {
  session::State state;
  SceneModel scene = test::box_model();
  std::vector<LogLine> log;
  PanelMemory memory;
  analysis::Finding finding;
  bool open = true, found = false;

  PanelInput input() {
    return {state, open ? &scene : nullptr,  found ? &finding : nullptr, nullptr, {}, log, memory,
            {},    [](const std::string&) {}};
  }
};

}  // namespace

TEST_CASE("each empty page of the shelf tells what to press", "[window][hints]") {
  Pages pages;
  CHECK(table_hint(pages.input()) ==
        "Press Find at the right, then Find halos: a row for each of them will stand here.");
  CHECK(plots_hint(pages.input()) ==
        "Press Find at the right, then Find halos: their plots will be drawn here.");
  CHECK(time_hint(pages.input()).starts_with("Press Film at the right, then Add key"));
  CHECK(log_hint(pages.input()).starts_with("Press the name at the upper left"));
  // What is open already is not to be pressed: that would close it.
  pages.state.layout.page = session::InspectorPage::Find;
  CHECK(table_hint(pages.input()).starts_with("Press Find halos:"));
  pages.state.layout.pinned = session::InspectorPage::Film;
  CHECK(time_hint(pages.input()).starts_with("Press Add key"));
  pages.state.layout.inspector_open = false;
  CHECK(table_hint(pages.input()).starts_with("Press Find at the right"));
  pages.state.shown_finder = "peaks";
  CHECK(table_hint(pages.input()).find("Find peaks") != std::string::npos);
}

TEST_CASE("without a snapshot the pages tell how to open one", "[window][hints]") {
  Pages pages;
  pages.open = false;
  for (const std::string& hint :
       {table_hint(pages.input()), plots_hint(pages.input()), time_hint(pages.input())})
    CHECK(hint.find("open a snapshot") != std::string::npos);
}

TEST_CASE("pages with something to show have no hint", "[window][hints]") {
  Pages pages;
  pages.found = true;
  pages.finding = test::many_halos(3);
  pages.log.push_back({false, "opened"});
  pages.state.path.emplace_back();
  for (const std::string& hint : {table_hint(pages.input()), plots_hint(pages.input()),
                                  time_hint(pages.input()), log_hint(pages.input())})
    CHECK(hint.empty());
  // A search that found nothing tells what to change.
  pages.finding = test::many_halos(0);
  CHECK(table_hint(pages.input()).find("lower the minimum") != std::string::npos);
  CHECK(plots_hint(pages.input()).find("lower the minimum") != std::string::npos);
}

TEST_CASE("numbers are written as readers like them", "[window][hints]") {
  using Ends = std::array<std::string, 2>;
  CHECK(readable_ends(10000, 1e7, 3) == Ends{"1e4", "1e7"});
  CHECK(readable_ends(0, 2.5e7, 3) == Ends{"0", "2.5e7"});
  CHECK(readable_ends(0.25, 12345.6, 3) == Ends{"0.25", "12346"});
  for (const char* const unit : {"Msun/h", "1e10", "kpc/h", "1 Mpc", "1e Msun", ""})
    CHECK(analysis::without_power(unit).unit == unit);
  CHECK(analysis::without_power("1e10 Msun/h").unit == "Msun/h");
  CHECK(analysis::without_power("1e10 Msun/h").factor == 1e10);
  CHECK(analysis::without_power("1e6 Msun").factor == 1e6);
  CHECK(readable(1) == "1");
  CHECK(readable(0) == "0");
  CHECK(readable(0.25) == "0.25");
  CHECK(readable(-12345.6) == "-12346");
  CHECK(readable(200) == "200");
  CHECK(readable(1.5e12) == "1.5e12");
  CHECK(readable(6.25e-11, 3) == "6.25e-11");
  CHECK(readable(3e-5) == "3e-5");
  CHECK(readable(999999.7) == "1000000");
  CHECK(readable(0.001) == "0.001");
  CHECK(with_digits(47.9) == "47.90");
  CHECK(with_digits(181) == "181.0");
}

}  // namespace haloscope::app::viewer
