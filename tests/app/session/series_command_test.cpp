#include "app/session/command_table.h"
#include "tests/app/session/fake_actions.h"
#include "tests/catch.h"
#include "tests/output_folder.h"

#include <string>
#include <vector>

// The snapshot and the types that are shown, by their names.

using namespace haloscope::app::session;
using haloscope::test::FakeActions;
using haloscope::test::message_of;

namespace {

struct Session {
  State state;
  FakeActions actions;
  void run(const std::string& line) { run_command(line, state, actions); }
  std::string fault(const std::string& line) {
    return message_of([&] { run(line); });
  }
};

}  // namespace

TEST_CASE("a snapshot is shown by its number in the series") {
  Session session;
  CHECK(session.fault("show_snapshot 0") == "show_snapshot: no snapshot is open");
  session.state.snapshots = {"a", "b", "c"};
  session.state.finding("halos").searched = true;
  session.state.finding("halos").selected = 3;
  session.run("show_snapshot 2");
  CHECK(session.state.current == 2);
  CHECK_FALSE(session.state.finding("halos").searched);
  CHECK_FALSE(session.state.finding("halos").selected);
  session.run("show_snapshot 2");
  session.run(*line_for_key("Ctrl+Left"));
  session.run(*line_for_key("Ctrl+Right"));
  CHECK(session.actions.asked == std::vector<std::string>{"open c", "open a", "open c"});
  // What stands in a recording holds however long the series is one day.
  const Call call = parse_command("show_snapshot last");
  CHECK(to_text(as_recorded(call, session.state)) == "show_snapshot 2");
  CHECK(session.fault("show_snapshot 3") == "show_snapshot: there are 3 snapshots, from 0 to 2");
  session.state.snapshots = {"a"};
  CHECK(session.fault("show_snapshot 3") == "show_snapshot: there is one snapshot, number 0");
  for (const char* const word : {"-1", "1.5", "first", "2x"}) {
    INFO(word);
    CHECK(session.fault(std::string("show_snapshot ") + word).find("whole number") !=
          std::string::npos);
  }
}

TEST_CASE("a look shows its types alone, and composite what is shown at first") {
  Session session;
  session.actions.facts.types = {0, 1, 2, 4, 5};
  session.actions.facts.hidden_at_first = {2};  // dark matter of low resolution
  const auto shown = [&](const std::string& line) {
    session.run(line);
    std::vector<int> types;
    for (const int type : session.actions.facts.types)
      if (haloscope::render::is_shown(session.state.type(type), type != 2)) types.push_back(type);
    return types;
  };
  session.run("color_map gas viridis");
  CHECK(shown("show_look gas") == std::vector<int>{0});
  CHECK(shown("show_look dark_matter") == std::vector<int>{1});
  CHECK(shown("show 2") == std::vector<int>{1, 2});
  CHECK(shown("show_look stars") == std::vector<int>{4});
  CHECK(shown("show_look composite") == std::vector<int>{0, 1, 4, 5});
  // Nothing else is said of the types.
  CHECK(session.state.types.size() == 1);
  CHECK(session.state.type(0).color_map == "viridis");
  // In isolated galaxies disk and bulge are stars.
  session.actions.facts.hidden_at_first = {};
  session.actions.facts.types = {1, 2, 3};
  session.run("show_look stars");
  CHECK(session.state.type(2).shown.value_or(true));
  CHECK(session.state.type(1).shown == false);
  CHECK(session.fault("show_look gas").find("no particles for the look Gas") != std::string::npos);
  CHECK(line_for_key("1") == "show_look gas");
  CHECK(line_for_key("4") == "show_look composite");
  CHECK(line_for_key("5") == "show_look map");
}
