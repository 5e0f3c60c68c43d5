#include "app/session/command_table.h"
#include "app/session/command_text.h"
#include "app/session/state_file.h"
#include "core/error.h"
#include "tests/app/session/fake_actions.h"
#include "tests/catch.h"

#include <initializer_list>

// What is open beside the picture, as commands and saved states say it.

using namespace haloscope::app::session;
using haloscope::test::FakeActions;

namespace {

Layout after(std::initializer_list<const char*> lines) {
  State state;
  FakeActions actions;
  for (const char* line : lines) run_command(line, state, actions);
  CHECK(actions.asked.empty());
  return state.layout;
}

}  // namespace

TEST_CASE("a layout is chosen by its name") {
  Layout layout = after({"layout analyse"});
  CHECK((layout.bars && layout.shows_inspector() && layout.shows_shelf()));
  layout = after({"layout analyse", "layout present"});
  CHECK_FALSE((layout.bars || layout.shows_inspector() || layout.shows_shelf()));
  CHECK(after({"layout analyse", "shelf_height 0.4", "layout explore"}).shelf_height == 0.4);
  CHECK_FALSE(after({"layout analyse", "layout explore"}).shows_shelf());
  CHECK(after({"layout present", "layout explore"}) == Layout{});
}

TEST_CASE("one page of the inspector is open, and a second one where it is pinned") {
  CHECK(after({"inspector film"}).page == InspectorPage::Film);
  const Layout two = after({"inspector film", "inspector camera pin"});
  CHECK(two.page == InspectorPage::Film);
  CHECK(two.pinned == InspectorPage::Camera);
  CHECK_FALSE(after({"inspector film", "inspector camera pin", "inspector camera pin"}).pinned);
  // A page is not there twice.
  CHECK_FALSE(after({"inspector film", "inspector film pin"}).pinned);
  CHECK_FALSE(after({"inspector camera pin", "inspector camera"}).pinned);
  CHECK_FALSE(after({"inspector off"}).shows_inspector());
  CHECK(after({"inspector film", "inspector toggle", "inspector toggle"}).page ==
        InspectorPage::Film);
  CHECK(after({"inspector off", "inspector find pin"}).page == InspectorPage::Find);
}

TEST_CASE("the shelf has a page and a height") {
  CHECK(after({"shelf plots"}).tab == ShelfTab::Plots);
  CHECK_FALSE(after({"shelf plots", "shelf off"}).shows_shelf());
  const Layout again = after({"shelf log", "shelf toggle", "shelf_height 0.6", "shelf toggle"});
  CHECK((again.shows_shelf() && again.tab == ShelfTab::Log && again.shelf_height == 0.6));
  for (const char* line : {"shelf_height 0.05", "shelf_height 0.61", "shelf_height -1"})
    CHECK_THROWS_WITH(after({line}), Catch::Matchers::Contains("between 0.15 and 0.6"));
}

TEST_CASE("a plot is chosen by its name, and kept in states and recordings") {
  CHECK(after({"shelf plots betti_0"}).plot == "betti_0");
  CHECK(after({"shelf plots betti_0"}).tab == ShelfTab::Plots);
  // Another page, and Plots again: the same plot.
  CHECK(after({"shelf plots betti_0", "shelf log", "shelf plots"}).plot == "betti_0");
  CHECK_THROWS_WITH(after({"shelf table betti_0"}), Catch::Matchers::Contains("page plots"));
  State state;
  FakeActions actions;
  actions.facts.plots = {"mass_function", "spin"};
  CHECK_THROWS_WITH(run_command("shelf plots betti_0", state, actions),
                    Catch::Matchers::Contains("mass_function, spin"));
  run_command("shelf plots spin", state, actions);
  CHECK(parse_state(state_text(state), "test").state.layout == state.layout);
  CHECK(to_text(parse_command("shelf plots spin")) == "shelf plots spin");
  // As recordings of before had it.
  CHECK(to_text(parse_command("shelf table")) == "shelf table");
}

TEST_CASE("what is hidden comes back as it was, or only what is asked for") {
  const Layout shown = after({"inspector film", "shelf time"});
  CHECK(after({"inspector film", "shelf time", "panel all", "panel all"}) == shown);
  const Layout page = after({"shelf time", "panel all", "inspector camera"});
  CHECK((page.shows_inspector() && !page.shows_shelf()));
  const Layout shelf = after({"panel all", "shelf table"});
  CHECK((!shelf.shows_inspector() && shelf.shows_shelf()));
  // F10 always shows something.
  CHECK(after({"inspector off", "panel all", "panel all"}).shows_inspector());
  CHECK(after({"layout present", "panel all"}) == Layout{});
}

TEST_CASE("a panel of former recordings is the page that holds it now") {
  const std::pair<const char*, InspectorPage> pages[]{
      {"panel particles", InspectorPage::Look}, {"panel camera", InspectorPage::Camera},
      {"panel halos", InspectorPage::Find},     {"panel selection", InspectorPage::Select},
      {"panel path", InspectorPage::Film},      {"panel export", InspectorPage::Output}};
  for (const auto& [line, page] : pages) {
    const Layout layout = after({"inspector off", line});
    CHECK((layout.shows_inspector() && layout.page == page));
    // It was a switch, and opens now.
    CHECK(after({line, line}).shows_inspector());
  }
  CHECK(after({"panel log"}).tab == ShelfTab::Log);
  CHECK((after({"panel mass_function"}).tab == ShelfTab::Plots));
  State state;
  FakeActions actions;
  for (const char* line : {"panel file", "panel keys", "panel commands"})
    run_command(line, state, actions);
  CHECK(actions.asked == std::vector<std::string>{"panel file", "panel keys", "panel commands"});
  CHECK(state.layout == Layout{});
}

TEST_CASE("a state of before layouts shows the inspector and no shelf") {
  const ReadState read = parse_state("version = 1\n[window]\nwidth = 800\n", "s.toml");
  CHECK(read.warnings.empty());
  CHECK(read.state.layout == Layout{});
  CHECK((Layout{}.shows_inspector() && Layout{}.bars && !Layout{}.shows_shelf()));
  CHECK_THROWS_WITH(parse_state("version = 1\n[layout]\nshelf_height = 2\n", "s.toml"),
                    Catch::Matchers::Contains("s.toml:3"));
  CHECK_THROWS_WITH(parse_state("version = 1\n[layout]\ninspector = \"fnd\"\n", "s.toml"),
                    Catch::Matchers::Contains("did you mean"));
}

TEST_CASE("F9 and F10 hide what stands beside the picture") {
  CHECK(line_for_key("F10") == "panel all");
  CHECK(line_for_key("F9") == "shelf toggle");
  CHECK(line_for_key("F11") == "layout present");
}
