#include "app/viewer/key_queue.h"
#include "app/viewer/panels/topmost.h"
#include "tests/app/viewer/dry_ui.h"
#include "tests/catch.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <imgui.h>
#include <map>
#include <string>
#include <vector>

// The order of keys and letters between the keyboard, commands and fields.

namespace haloscope::app::viewer {

namespace {

using Kind = KeyEvent::Kind;

// What frames see, a word for each event and a bar between frames; Enter may give the keys to
// somebody else.
class Frames {
 public:
  KeyQueue queue;
  std::string seen;

  void tap(int key, int modifiers = 0) {
    queue.add({Kind::Press, key, 0, modifiers, 0});
    if (key < 256 && modifiers == 0) queue.add({Kind::Letter, 0, 0, 0, unsigned(key)});
    queue.add({Kind::Release, key, 0, modifiers, 0});
  }
  void run() {
    for (int k = 0; queue.waits() && k < 100; ++k) {
      queue.deliver([&](const KeyEvent& event) { return take(event); });
      seen += "|";
    }
  }

 private:
  bool take(const KeyEvent& event) {
    if (event.kind == Kind::Letter) seen += char(event.letter);
    const bool enter = event.key == GLFW_KEY_ENTER, back = event.key == GLFW_KEY_BACKSPACE;
    const bool shift = event.key == GLFW_KEY_LEFT_SHIFT, left = event.key == GLFW_KEY_LEFT;
    const char* const name = enter ? "E" : back ? "B" : shift ? "S" : left ? "L" : "";
    if (*name) seen += std::string(name) + (event.kind == Kind::Press ? "+" : "-");
    return enter && event.kind == Kind::Press;
  }
};

}  // namespace

TEST_CASE("Escape closes an open list, then a sheet, and else is free to stop a job", "[window]") {
  const test::DryUi ui(400, 300);
  std::map<std::string, bool> open{{"keys", true}, {"file", false}, {"commands", false}};
  std::vector<std::string> lines;
  const auto escape = [&] {
    return close_topmost(open, [&](const std::string& line) { lines.push_back(line); });
  };
  bool opens = true, is_open = false;
  const auto frame = [&] {
    ImGui::NewFrame();
    ImGui::Begin("panel");
    if (opens) ImGui::OpenPopup("list");
    opens = false;
    is_open = ImGui::BeginPopup("list");
    if (is_open) ImGui::EndPopup();
    ImGui::End();
    ImGui::Render();
  };
  frame();
  frame();
  REQUIRE(is_open);
  CHECK(escape());
  frame();
  CHECK_FALSE(is_open);
  CHECK(lines.empty());
  CHECK(escape());
  CHECK(lines == std::vector<std::string>{"panel keys"});
  open["keys"] = false;
  open["file"] = true;
  CHECK(escape());
  CHECK(lines.back() == "panel file");
  open["file"] = false;
  CHECK_FALSE(escape());
  CHECK(lines.size() == 2);
}

TEST_CASE("letters of one moment reach one frame, in their order", "[window]") {
  Frames frames;
  for (const char letter : std::string("1e4")) frames.tap(letter);
  frames.run();
  CHECK(frames.seen == "1e4|");
  CHECK_FALSE(frames.queue.waits());
}

TEST_CASE("what is behind a key that gives the keys away waits until that is known", "[window]") {
  Frames frames;
  frames.tap('7');
  frames.tap(GLFW_KEY_ENTER);
  frames.tap('m');
  frames.run();
  CHECK(frames.seen == "7E+|||E-m|");
  // A press of the mouse may enter a field too.
  frames.seen.clear();
  frames.queue.settle();
  frames.tap('m');
  frames.run();
  CHECK(frames.seen == "||m|");
}

TEST_CASE("a key that is looked at changes once in a frame, and stays held with its modifiers",
          "[window]") {
  Frames frames;
  frames.tap(GLFW_KEY_BACKSPACE);
  frames.tap(GLFW_KEY_BACKSPACE);
  frames.run();
  CHECK(frames.seen == "B+|B-|B+|B-|");
  frames.seen.clear();
  frames.queue.add({Kind::Press, GLFW_KEY_LEFT_SHIFT, 0, 0, 0});
  frames.tap(GLFW_KEY_LEFT, GLFW_MOD_SHIFT);
  frames.queue.add({Kind::Release, GLFW_KEY_LEFT_SHIFT, 0, 0, 0});
  frames.run();
  CHECK(frames.seen == "S+L+|L-S-|");
  // A capital letter needs no frame of its own.
  frames.seen.clear();
  frames.queue.add({Kind::Press, GLFW_KEY_LEFT_SHIFT, 0, 0, 0});
  frames.tap('A');
  frames.queue.add({Kind::Release, GLFW_KEY_LEFT_SHIFT, 0, 0, 0});
  frames.run();
  CHECK(frames.seen == "S+AS-|");
}

}  // namespace haloscope::app::viewer
