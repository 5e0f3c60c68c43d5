#include "app/viewer/remote/answer.h"

#include "app/viewer/remote/told_values.h"
#include "core/error.h"
#include "tests/app/viewer/scene.h"
#include "tests/catch.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <limits>
#include <string>

// Lines of JSON for a program.

namespace haloscope::app::viewer {

using nlohmann::json;

namespace {

json read_line(const std::string& line) {
  CHECK(std::count(line.begin(), line.end(), '\n') == 1);
  CHECK(line.back() == '\n');
  return json::parse(line);
}

}  // namespace

TEST_CASE("a greeting tells program, version and protocol", "[driving]") {
  const json told = read_line(greeting());
  CHECK(told["program"] == "haloscope");
  CHECK(told["protocol"] == 1);
  CHECK(told["version"].get<std::string>().find_first_not_of("0123456789.") == std::string::npos);
  CHECK(!told.contains("fault"));
  CHECK(read_line(greeting("go away"))["fault"] == "go away");
}

TEST_CASE("an answer holds what there is, and nothing else", "[driving]") {
  Answer answer;
  answer.command = 7;
  CHECK(read_line(as_line(answer)) == json{{"command", 7}, {"done", true}});
  answer.values = R"({"count":3})";
  answer.files = {"/data/a b.png"};
  answer.said = {"3 halos"};
  CHECK(read_line(as_line(answer)) == json{{"command", 7},
                                           {"done", true},
                                           {"values", {{"count", 3}}},
                                           {"files", {"/data/a b.png"}},
                                           {"said", {"3 halos"}}});
  answer.fault = "no";
  CHECK(read_line(as_line(answer))["done"] == false);
}

TEST_CASE("an answer is one line of UTF-8, whatever bytes it tells of", "[driving]") {
  Answer answer;
  answer.fault = "there is no command '\xff\x1b[2J\n\"\\'";
  answer.files = {"/data/\xc3\x28.png"};
  const std::string line = as_line(answer);
  const json told = read_line(line);
  CHECK(told["fault"].get<std::string>().find("\\xff\\x1b[2J") != std::string::npos);
  CHECK(line.find('\x1b') == std::string::npos);
}

TEST_CASE("a fault that repeats a long line is cut, and not within a letter", "[driving]") {
  Answer answer;
  for (const char* const before : {"", "a", "ab"}) {
    answer.fault = before;
    for (int k = 0; k < 1000; ++k) answer.fault += "ö";
    const std::string fault = read_line(as_line(answer))["fault"];
    CHECK(fault.size() < 1010);
    CHECK(fault.find('\\') == std::string::npos);
    CHECK(fault.ends_with("ö …"));
  }
}

TEST_CASE("base64 is that of RFC 4648", "[driving]") {
  CHECK(as_base64("").empty());
  CHECK(as_base64("f") == "Zg==");
  CHECK(as_base64("fo") == "Zm8=");
  CHECK(as_base64("foo") == "Zm9v");
  CHECK(as_base64("foobar") == "Zm9vYmFy");
  CHECK(as_base64(std::string_view("\xff\xfe\x00\xfb", 4)) == "//4A+w==");
}

TEST_CASE("a piece is told with all its columns", "[driving]") {
  auto halos = test::many_halos(3);
  halos.columns[1].values[2] = std::numeric_limits<double>::quiet_NaN();
  const json told = told_piece(halos, 2);
  CHECK(told["number"] == 2);
  CHECK(told["center"] == json{74., 22., 66.});
  CHECK(told["radius"] == 4.);
  CHECK(told["properties"]["Members"] == json{{"value", 1}});
  CHECK(told["properties"]["R200"] == json{{"value", 4.}, {"unit", "kpc/h"}});
  CHECK(told["properties"]["Mass"]["value"].is_null());
  CHECK_THROWS_AS(told_piece(halos, 3), Error);
}

TEST_CASE("a piece is told with all columns of its row in the catalog", "[driving]") {
  auto halos = test::many_halos(2);
  HaloTable& table = halos.catalog.tables.front();
  table.count = 2;
  CatalogColumn ids, spins;
  ids.name = "GroupIDMostbound";
  ids.values = std::vector<std::uint64_t>{1, 9007199254740993};
  spins.name = "GroupVel";
  spins.unit = "km/s";
  spins.components = 3;
  spins.values = std::vector<double>{1, 2, 3, 4, std::numeric_limits<double>::infinity(), 6};
  table.columns = {ids, spins};
  const json told = told_piece(halos, 1)["catalog"];
  CHECK(told["GroupIDMostbound"]["value"] == std::uint64_t(9007199254740993));
  CHECK(told["GroupVel"] == json{{"value", {4., nullptr, 6.}}, {"unit", "km/s"}});
  // Rows of other things than the pieces.
  table.count = 3;
  CHECK_FALSE(told_piece(halos, 1).contains("catalog"));
}

TEST_CASE("snapshot and structures are told", "[driving]") {
  session::State state;
  state.snapshots = {"a", "b"};
  state.current = 1;
  const json told = told_snapshot(test::box_model(), state);
  CHECK(told["number"] == 1);
  CHECK(told["of"] == 2);
  CHECK(told["box_size"] == 100.);
  CHECK(told["redshift"] == 0.5);
  CHECK(told["particles"] == json{{"gas", 110592}, {"dm", 110592}});
  state.finding("halos").selected = 1;
  const json halos = told_structures(test::many_halos(3), state);
  CHECK(halos["count"] == 3);
  CHECK(halos["selected"] == 1);
  CHECK(halos["columns"] == json{"Members", "Mass", "R200"});
}

}  // namespace haloscope::app::viewer
