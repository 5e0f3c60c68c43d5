#include "app/viewer/key_queue.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <algorithm>

namespace haloscope::app::viewer {

namespace {

// A command that opens a field is done in one frame, the field takes the keys in the next one, and
// that is known when the one after it begins.
constexpr int kFramesToSettle = 3;

bool is_modifier(int key) {
  return key >= GLFW_KEY_LEFT_SHIFT && key <= GLFW_KEY_RIGHT_SUPER;
}

// Keys that Dear ImGui looks at itself. Letters reach it as such, but for shortcuts.
bool is_looked_at(const KeyEvent& event) {
  const bool shortcut = (event.modifiers & (GLFW_MOD_CONTROL | GLFW_MOD_SUPER)) != 0;
  return !is_modifier(event.key) && (event.key >= GLFW_KEY_ESCAPE || shortcut);
}

bool holds(const std::vector<int>& keys, int key) {
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

}  // namespace

void KeyQueue::settle() {
  settling_ = kFramesToSettle;
}

// One key may change but once in a frame, and what was held with it stays held.
bool KeyQueue::must_wait(const KeyEvent& event) const {
  if (event.kind == KeyEvent::Kind::Release)
    return holds(pressed_, event.key) || (is_modifier(event.key) && !pressed_.empty());
  return event.kind == KeyEvent::Kind::Press && holds(released_, event.key);
}

void KeyQueue::deliver(const std::function<bool(const KeyEvent&)>& handle) {
  pressed_.clear();
  released_.clear();
  if (settling_ > 0 && --settling_ > 0) return;
  while (!events_.empty() && !must_wait(events_.front())) {
    const KeyEvent event = events_.front();
    events_.pop_front();
    const bool looked_at = is_looked_at(event);
    if (looked_at && event.kind == KeyEvent::Kind::Press) pressed_.push_back(event.key);
    if (looked_at && event.kind == KeyEvent::Kind::Release) released_.push_back(event.key);
    if (handle(event)) return settle();
  }
}

}  // namespace haloscope::app::viewer
