#include "app/viewer/remote/command_lines.h"

#include "tests/catch.h"

#include <string>
#include <vector>

// What a program sends, cut into lines.

namespace haloscope::app::viewer {

namespace {

std::vector<std::string> texts(const std::vector<CommandLine>& lines) {
  std::vector<std::string> found;
  for (const auto& line : lines) found.push_back(line.fault.empty() ? line.text : "fault");
  return found;
}

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("lines come whole, however their bytes were cut", "[driving]") {
  const std::string sent = "orbit 1 2\n\nfit\r\n# a remark\n";
  const Texts expected{"orbit 1 2", "", "fit", "# a remark"};
  for (std::size_t piece = 1; piece <= sent.size(); ++piece) {
    CommandLines lines;
    std::vector<CommandLine> found;
    for (std::size_t at = 0; at < sent.size(); at += piece)
      for (auto& line : lines.add(std::string_view(sent).substr(at, piece))) found.push_back(line);
    CHECK(texts(found) == expected);
    REQUIRE(found.size() == 4);
    for (std::size_t k = 0; k < found.size(); ++k) CHECK(found[k].number == k + 1);
    CHECK(lines.end().empty());
  }
}

TEST_CASE("a line of the greatest length is done, and a longer one is a fault", "[driving]") {
  const std::string longest(CommandLines::kLongest, 'x');
  for (const std::size_t piece : {std::size_t(1000), longest.size() + 10}) {
    CommandLines lines;
    std::vector<CommandLine> found;
    const std::string sent = longest + "\n" + longest + "y\nfit\n";
    for (std::size_t at = 0; at < sent.size(); at += piece)
      for (auto& line : lines.add(std::string_view(sent).substr(at, piece))) found.push_back(line);
    CHECK(texts(found) == Texts{longest, "fault", "fit"});
    REQUIRE(found.size() == 3);
    CHECK(found[1].fault.find("longer than 65536 bytes") != std::string::npos);
    CHECK(found[1].text.empty());
    CHECK(found[2].number == 3);
  }
}

TEST_CASE("the fault of a line that never ends is told while it grows, once", "[driving]") {
  CommandLines lines;
  const std::string much(CommandLines::kLongest, 'x');
  CHECK(lines.add(much).empty());
  CHECK(texts(lines.add("y")) == Texts{"fault"});
  CHECK(lines.add(much).empty());
  CHECK(lines.end().empty());
}

TEST_CASE("a line with a NUL byte is a fault", "[driving]") {
  CommandLines lines;
  const auto found = lines.add(std::string_view("save_state a.toml\0.png\nfit\n", 27));
  CHECK(texts(found) == Texts{"fault", "fit"});
  CHECK(found[0].fault.find("NUL") != std::string::npos);
}

TEST_CASE("half a line at the end is not done", "[driving]") {
  CommandLines lines;
  CHECK(texts(lines.add("fit\nscreenshot pict")) == Texts{"fit"});
  const auto last = lines.end();
  CHECK(texts(last) == Texts{"fault"});
  CHECK(last[0].number == 2);
  CHECK(lines.end().empty());
}

}  // namespace haloscope::app::viewer
