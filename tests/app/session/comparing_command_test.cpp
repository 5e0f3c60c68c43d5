// The commands that compare two results, as they are given, checked, recorded and kept in states.

#include "app/session/command_table.h"
#include "app/session/state_file.h"
#include "tests/app/session/fake_actions.h"
#include "tests/catch.h"
#include "tests/output_folder.h"

#include <string>

using namespace haloscope::app::session;
using haloscope::test::FakeActions;
using haloscope::test::message_of;

namespace {

struct Session {
  State state;
  FakeActions actions;

  void run(const std::string& line) { run_command(line, state, actions); }
  std::string fault_of(const std::string& line) {
    const State before = state;
    const std::string fault = message_of([&] { run(line); });
    CHECK(state == before);
    return fault;
  }
};

bool tells(const std::string& fault, const std::string& words) {
  INFO(fault);
  return fault.find(words) != std::string::npos;
}

}  // namespace

TEST_CASE("a search to compare with is said by its options", "[comparing]") {
  Session session;
  CHECK(tells(session.fault_of("compare halos attach=none epsilon=2"), "find halos first"));
  session.run("find halos attach=none epsilon=3");
  CHECK(tells(session.fault_of("compare halos attach=none epsilon=3"), "give other options"));
  CHECK(tells(session.fault_of("compare halos"), "have been searched for once here"));
  CHECK(tells(session.fault_of("compare halos attach=none epsilon=-1"), "epsilon"));
  CHECK(tells(session.fault_of("compare peaks"), "find peaks first"));
  CHECK(tells(session.fault_of("compare off epsilon=3"), "takes no options"));
  CHECK(tells(session.fault_of("show_compared both"), "nothing is compared"));

  const Call call = parse_command("compare halos attach=none epsilon=2");
  run_command(call, session.state, session.actions);
  REQUIRE(session.state.compared);
  CHECK(session.state.compared->finder == "halos");
  CHECK(session.state.compared->show == ShownResults::Both);
  // A recording says every option, and does the same.
  const std::string line = to_text(as_recorded(call, session.state));
  CHECK(tells(line, "epsilon=2"));
  Session other;
  other.run("find halos attach=none epsilon=3");
  other.run(line);
  const bool is_same = other.state.compared == session.state.compared;
  CHECK(is_same);
  session.run("compare off");
  CHECK_FALSE(session.state.compared);
}

TEST_CASE("without options what was found before is compared", "[comparing]") {
  Session session;
  session.run("find halos attach=none epsilon=3");
  const haloscope::analysis::AnyOptions before = session.state.finding("halos").options;
  session.run("find halos attach=none epsilon=2");
  session.actions.facts.searched_before["halos"] = before;
  session.run("compare halos");
  REQUIRE(session.state.compared);
  const bool is_before = session.state.compared->options == before;
  CHECK(is_before);
  // Of another finder what it has found.
  session.run("find peaks");
  session.run("compare halos");
  const bool is_shown = session.state.compared->options == session.state.finding("halos").options;
  CHECK(is_shown);
}

TEST_CASE("which of two results are circled is kept in states", "[comparing]") {
  const haloscope::test::OutputFolder folder;
  Session session;
  session.run("find halos attach=none epsilon=3");
  session.run("compare peaks threshold=mean:3");
  for (const char* const word : {"second", "differences", "both", "first"}) {
    session.run(std::string("show_compared ") + word);
    save_state(session.state, folder.path("s.toml"));
    const State read = load_state(folder.path("s.toml")).state;
    const bool is_same = read.compared == session.state.compared;
    CHECK(is_same);
  }
  session.run("show_compared toggle");
  CHECK(session.state.compared->show == ShownResults::Second);
  session.run("show_compared toggle");
  CHECK(session.state.compared->show == ShownResults::First);
  // Another search keeps what is circled.
  session.run("compare halos attach=none epsilon=2");
  CHECK(session.state.compared->show == ShownResults::First);
}
