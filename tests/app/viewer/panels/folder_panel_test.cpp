#include "app/viewer/panels/folder_panel.h"

#include "tests/app/viewer/hand.h"
#include "tests/catch.h"

#include <cstdlib>
#include <string>
#include <vector>

// A folder that is clicked through, and paths that are typed.

namespace haloscope::app::viewer {

namespace {

using Lines = std::vector<std::string>;

FolderModel data_folder() {
  FolderModel model;
  model.folder = "/data/";
  model.listed = true;
  model.rows = {{"older", true, 0, {}, false},
                {"halos.csv", false, 5, {}, false},
                {"snap_*.hdf5", false, 20, {"snap_8.hdf5", "snap_10.hdf5"}, true},
                {"snap_8.hdf5", false, 10, {}, false},
                {"snap_10.hdf5", false, 10, {}, false},
                {"z.*.hdf5", false, 10, {"z.0.hdf5", "z.1.hdf5"}, false}};
  model.kinds["halos.csv"] = {FileKind::What::Catalog, "CSV halo catalog", {}, 1};
  model.kinds["snap_8.hdf5"] = {FileKind::What::Snapshot, "GADGET-4", "z = 1.00", 1};
  return model;
}

class Folder {
 public:
  FolderModel model = data_folder();
  test::Hand hand{[this](const PanelInput& input) {
    PanelInput with = input;
    with.folder = &model;
    show_folder(with);
  }};

  Folder() {
    hand.memory.path.set("/data/");
    hand.rest(3);
  }
  // Row 0 is the folder above; the list begins below the field.
  void click_row(int row) {
    const float height = ImGui::GetFontSize() + 4;
    hand.click(30, 42 + height * float(row));
  }
};

}  // namespace

TEST_CASE("a click in a folder opens a snapshot, a series, a set, and goes through folders",
          "[window]") {
  Folder folder;
  Lines all;
  // Each row once, wherever it lies.
  for (float y = 34; y < 300; y += 4) {
    folder.hand.emitted.clear();
    folder.hand.click(30, y);
    for (const std::string& line : folder.hand.emitted)
      if (all.empty() || all.back() != line) all.push_back(line);
    folder.hand.memory.path.set("/data/");
  }
  CHECK(all == Lines{"open \"/data/snap_8.hdf5\" \"/data/snap_10.hdf5\"",
                     "open \"/data/snap_8.hdf5\"", "open \"/data/snap_10.hdf5\"",
                     "open \"/data/z.0.hdf5\""});
  // What was seen is looked into; the folder is not.
  CHECK(folder.hand.memory.seen_files ==
        Lines{"halos.csv", "snap_8.hdf5", "snap_8.hdf5", "snap_10.hdf5", "z.0.hdf5"});
  std::vector<std::string> gone;
  for (float y = 34; y < 80; y += 4) {
    folder.hand.click(30, y);
    const std::string now = folder.hand.memory.path.text();
    if (now != "/data/" && (gone.empty() || gone.back() != now)) gone.push_back(now);
    folder.hand.memory.path.set("/data/");
  }
  CHECK(gone == Lines{"/", "/data/older/"});
}

TEST_CASE("a click on a halo catalog tells in one sentence what it is and what to do", "[window]") {
  Folder folder;
  folder.model.kinds["snap_8.hdf5"] = {FileKind::What::Other, "raw", {}, 1};
  for (float y = 34; y < 300 && folder.hand.told.empty(); y += 4) {
    folder.hand.click(30, y);
    folder.hand.memory.path.set("/data/");
  }
  REQUIRE(folder.hand.told.size() == 1);
  const std::string& sentence = folder.hand.told.front();
  CHECK(sentence.find("there are no particles to show in this CSV halo catalog") !=
        std::string::npos);
  CHECK(sentence.find("/data/halos.csv") != std::string::npos);
  CHECK(sentence.find("haloscope catalog") != std::string::npos);
  CHECK(sentence.find('\n') == std::string::npos);
  for (const std::string& line : folder.hand.emitted)
    CHECK(line.find("halos.csv") == std::string::npos);
}

TEST_CASE("a path is typed with Tab and Enter", "[window]") {
  Folder folder;
  test::Hand& hand = folder.hand;
  const auto typed = [&](const std::string& letters) {
    hand.emitted.clear();
    hand.memory.path.set("/data/");
    hand.rest(2);
    hand.click(60, 16);
    hand.press(ImGuiKey_End);
    hand.type(letters);
    hand.press(ImGuiKey_Tab);
    const std::string completed = hand.memory.path.text();
    hand.press(ImGuiKey_Enter);
    return completed;
  };
  CHECK(typed("sn") == "/data/snap_");
  CHECK(hand.emitted == Lines{"open \"/data/snap_\""});
  CHECK(typed("snap_1") == "/data/snap_10.hdf5");
  CHECK(hand.emitted == Lines{"open \"/data/snap_10.hdf5\""});
  CHECK(typed("o") == "/data/older/");
  CHECK(hand.emitted.empty());
  CHECK(typed("q") == "/data/q");
  // Several files, called as their line is.
  typed("snap_*.hdf5");
  CHECK(hand.emitted == Lines{"open \"/data/snap_8.hdf5\" \"/data/snap_10.hdf5\""});
  typed("z.*.hdf5");
  CHECK(hand.emitted == Lines{"open \"/data/z.0.hdf5\""});
}

TEST_CASE("the panel takes what is typed at once, and what is typed behind a wrong path",
          "[window]") {
  Folder folder;
  test::Hand& hand = folder.hand;
  hand.type("snap_9");
  CHECK(hand.memory.path.text() == "/data/snap_9");
  hand.press(ImGuiKey_Enter);
  CHECK(hand.emitted == Lines{"open \"/data/snap_9\""});
  hand.rest(3);
  hand.type(".hdf5");
  CHECK(hand.memory.path.text() == "/data/snap_9.hdf5");
}

TEST_CASE("a whole path typed behind another one takes its place", "[window]") {
  Folder folder;
  folder.hand.type("/tmp/a");
  CHECK(folder.hand.memory.path.text() == "/tmp/a");
  folder.hand.type("~/b");
  CHECK(folder.hand.memory.path.text() == "/tmp/a~/b");
  folder.hand.type("/~/c");
  CHECK(folder.hand.memory.path.text() == "~/c");
  folder.hand.type("/" + std::string("/data//run/d"));
  CHECK(folder.hand.memory.path.text().ends_with("/run/d"));
  // Files may be named so in a command line.
  folder.hand.memory.path.set("/data//older/");
  folder.hand.rest(3);
  CHECK(folder.hand.memory.path.text() == "/data/older/");
}

TEST_CASE("Tab goes on as far as all names do") {
  const FolderModel model = data_folder();
  CHECK(completed("/data/", model) == "/data/");
  CHECK(completed("/data/s", model) == "/data/snap_");
  CHECK(completed("/data/snap_8", model) == "/data/snap_8.hdf5");
  CHECK(completed("/data/z", model) == "/data/z.");
  CHECK(completed("/data/z.1", model) == "/data/z.1.hdf5");
  CHECK(completed("/data/ol", model) == "/data/older/");
  CHECK(completed("/data/x", model) == "/data/x");
  CHECK(completed("/other/s", model) == "/other/s");
}

TEST_CASE("a typed path is a folder and the beginning of a name") {
  PathDraft draft;
  const auto meant = [&](const std::string& text) {
    draft.set(text);
    return draft.folder() + " " + draft.leaf() + " " + draft.path();
  };
  CHECK(meant("/a/b") == "/a/ b /a/b");
  CHECK(meant("/a/b/") == "/a/b/  /a/b");
  CHECK(meant("/") == "/  /");
  CHECK(meant("b") == "./ b b");
  CHECK(meant("../b") == "../ b ../b");
  if (const char* const home = std::getenv("HOME"))
    CHECK(meant("~/b") == home + std::string("/ b ") + home + "/b");
}

}  // namespace haloscope::app::viewer
