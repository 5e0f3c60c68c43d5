#include "app/viewer/panels/command_draft.h"

#include "tests/catch.h"

#include <string>
#include <vector>

// What Tab, Up and Down make of a line that is typed.

namespace haloscope::app::viewer {

namespace {

std::vector<session::Completion> lines(const std::vector<std::string>& texts, bool begins = true) {
  std::vector<session::Completion> all;
  for (const std::string& text : texts) all.push_back({text, text, "", begins, true});
  return all;
}

}  // namespace

TEST_CASE("Tab types what is certain, and then offers one after another", "[window][command]") {
  CommandDraft draft;
  const auto both = lines({"show_set", "show_sets"});
  CHECK(draft.tab("sh", both, false) == "show_set");
  CHECK(draft.tab("show_set", both, false) == "show_sets");
  CHECK(draft.tab("show_sets", both, false) == "show_set");
  CHECK(draft.tab("show_set", both, true) == "show_sets");
  // What was typed by hand is not offered once more.
  draft.clear();
  CHECK(draft.tab("show_set", both, false) == "show_sets");
  // One alone is whole: a blank follows.
  CHECK(draft.tab("orb", lines({"orbit"}), false) == "orbit ");
  CHECK(draft.tab("xyz", {}, false) == "xyz");
}

TEST_CASE("Tab takes words that hold what is typed where none begins so", "[window][command]") {
  CommandDraft draft;
  auto all = lines({"fly_to_halo", "select_halo"}, false);
  CHECK(draft.tab("halo", all, false) == "fly_to_halo");
  CHECK(draft.tab("fly_to_halo", all, false) == "select_halo");
  all.push_back({"halos", "halos", "", true, false});
  CHECK(draft.tab("halo", all, false) == "halos");
}

TEST_CASE("Tab cuts no letter of several bytes in two", "[window][command]") {
  CommandDraft draft;
  CHECK(draft.tab("open m", lines({"open m\u00e9", "open m\u00e8"}), false) == "open m\u00e9");
}

TEST_CASE("Up and Down go through the lines that begin with what was typed", "[window][command]") {
  CommandDraft draft;
  const std::vector<std::string> history{"fit", "orbit 1 2", "fit", "orbit 3 4"};
  CHECK(draft.older("", history) == "orbit 3 4");
  CHECK(draft.older("orbit 3 4", history) == "fit");
  CHECK(draft.newer("fit", history) == "orbit 3 4");
  CHECK(draft.newer("orbit 3 4", history).empty());
  CHECK(draft.newer("", history).empty());
  CHECK(draft.older("or", history) == "orbit 3 4");
  CHECK(draft.older("orbit 3 4", history) == "orbit 1 2");
  CHECK(draft.older("orbit 1 2", history) == "orbit 1 2");
  CHECK(draft.newer("orbit 1 2", history) == "orbit 3 4");
  CHECK(draft.newer("orbit 3 4", history) == "or");
  // What is changed by hand is another beginning.
  CHECK(draft.older("f", history) == "fit");
  draft.clear();
  CHECK(draft.older("", {}).empty());
}

TEST_CASE("a line that is longer than the field is not put in", "[window][command]") {
  CommandDraft draft;
  draft.set("fit");
  draft.set(std::string(4000, 'x'));
  CHECK(draft.text() == "fit");
}

}  // namespace haloscope::app::viewer
