#include "app/viewer/remote/driven_session.h"

#include "tests/catch.h"

#include <nlohmann/json.hpp>

#include <optional>
#include <sstream>
#include <string>
#include <vector>

// Which line begins when, and what it is answered.

namespace haloscope::app::viewer {

using nlohmann::json;

namespace {

struct Drive {
  Exchange exchange{[] {}, [] {}};
  std::optional<DrivenSession> session{exchange};
  std::uint64_t sent = 0;

  Drive() { exchange.begin(""); }
  void send(const std::string& text) { exchange.add({{++sent, text, {}}}); }
  std::string begin(bool holds = false) {
    const auto line = session->begin(holds);
    return line ? line->text : "nothing";
  }
  void answer() {
    session->answer_all([](const session::Question& question) {
      return json{{"told", question.what}}.dump();
    });
  }
  std::vector<json> answers() const {
    std::vector<json> all;
    std::istringstream lines(exchange.output(1 << 20));
    for (std::string line; std::getline(lines, line);) all.push_back(json::parse(line));
    return all;
  }
};

std::string told_by(const std::string& line, const session::State& state = {}) {
  const auto question = question_of(session::parse_command(line), state);
  return question ? question->what + (question->finder.empty() ? "" : " " + question->finder) : "";
}

}  // namespace

TEST_CASE("a line begins when the one before it is answered", "[driving]") {
  Drive drive;
  drive.send("find halos");
  drive.send("fit");
  CHECK(drive.begin() == "find halos");
  CHECK(drive.begin() == "nothing");
  CHECK(!drive.session->has_seen_frame());  // that in which it has begun
  CHECK(drive.session->has_seen_frame());
  drive.session->say("12 halos");
  drive.session->add_file("/a.png");
  drive.answer();
  CHECK(drive.begin() == "fit");
  drive.session->fail("no");
  drive.session->answer_now();
  CHECK(!drive.session->owes());
  const auto answers = drive.answers();
  REQUIRE(answers.size() == 2);
  CHECK(answers[0] ==
        json{{"command", 1}, {"done", true}, {"files", {"/a.png"}}, {"said", {"12 halos"}}});
  CHECK(answers[1] == json{{"command", 2}, {"done", false}, {"fault", "no"}});
}

TEST_CASE("of a program that has gone commands are done and questions are not", "[driving]") {
  Drive drive;
  drive.send("tell picture");
  drive.send("fit");
  drive.send("tell camera");
  drive.exchange.drop_answers();
  drive.exchange.end();
  drive.exchange.begin("");
  drive.send("tell state");
  CHECK(drive.begin() == "fit");
  drive.answer();
  CHECK(drive.begin() == "tell state");
  drive.answer();
  CHECK(drive.answers().size() == 1);
}

TEST_CASE("cancel begins at once when it is next, and is answered behind", "[driving]") {
  Drive drive;
  drive.send("find halos");
  drive.send("  cancel find");
  drive.send("cancel");
  drive.send("cancellation");
  CHECK(drive.begin() == "find halos");
  CHECK(drive.begin() == "  cancel find");
  drive.session->stop_former();
  CHECK(drive.begin() == "cancel");
  drive.session->stop_former();  // the job has not ended yet
  CHECK(drive.begin() == "nothing");
  drive.session->fail_job("a fault of the search");  // which was stopped
  drive.session->answer_now();                       // not before the others
  CHECK(drive.answers().empty());
  drive.answer();
  const auto answers = drive.answers();
  REQUIRE(answers.size() == 3);
  CHECK(answers[0]["fault"] == "it was stopped by the command cancel");
  CHECK((answers[1]["done"] == true && answers[1]["command"] == 2));
}

TEST_CASE("jobs of the user hold up what needs them alone", "[driving]") {
  Drive drive;
  drive.send("tell camera");
  drive.send("cancel");
  drive.send("fit");
  CHECK(drive.begin(true) == "tell camera");
  drive.session->answer_now();
  CHECK(drive.begin(true) == "cancel");
  drive.answer();
  CHECK(drive.begin(true) == "nothing");
  CHECK(drive.begin(false) == "fit");
}

TEST_CASE("a session that ends answers all lines", "[driving]") {
  Drive drive;
  drive.send("find halos");
  drive.send("fit");
  CHECK(drive.begin() == "find halos");
  drive.session.reset();
  const auto answers = drive.answers();
  REQUIRE(answers.size() == 2);
  for (const auto& answer : answers) {
    CHECK(answer["done"] == false);
    CHECK(answer["fault"].get<std::string>().find("session has ended") != std::string::npos);
  }
}

TEST_CASE("commands tell what they have led to", "[driving]") {
  CHECK(told_by("open a.hdf5") == "snapshot");
  CHECK(told_by("next_snapshot") == "snapshot");
  CHECK(told_by("find peaks") == "structures peaks");
  CHECK(told_by("find_halos") == "structures halos");
  CHECK(told_by("orbit 1 2") == "camera");
  CHECK(told_by("fly_to halos 0") == "camera");
  CHECK(told_by("size 640 480") == "camera");
  CHECK(told_by("select_box 0 0 0 1 1 1") == "selection");
  CHECK(told_by("export_selection a.hdf5").empty());
  CHECK(told_by("exposure 1").empty());
  CHECK(told_by("tell camera").empty());  // which has its own
  CHECK(told_by("select halos").empty());
  session::State state;
  state.finding("halos").selected = 3;
  CHECK(told_by("select halos 3", state) == "piece halos");
}

}  // namespace haloscope::app::viewer
