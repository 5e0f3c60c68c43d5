#pragma once

#include <deque>
#include <functional>
#include <vector>

namespace haloscope::app::viewer {

// What the keyboard did, as GLFW tells it.
struct KeyEvent {
  enum class Kind { Press, Repeat, Release, Letter };
  Kind kind = Kind::Press;
  int key = 0, scancode = 0, modifiers = 0;
  unsigned letter = 0;
};

// Keys and letters in their order until the frame that may see them: a letter behind the key that
// opens a field, or leaves one, must not be understood before it is known who has the keys then.
//
// Dear ImGui before 1.87 looks at what is held when a frame begins: a key that went down and up
// between two frames is let go in the next one.
class KeyQueue {
 public:
  void add(const KeyEvent& event) { events_.push_back(event); }
  // Somebody else may have the keys from now on: what is there and comes waits until that is known.
  void settle();
  // Once a frame, before it is built, hands over what this frame may see. `handle` returns whether
  // the event may give the keys to somebody else.
  void deliver(const std::function<bool(const KeyEvent&)>& handle);
  // Whether something will be handed over without another event.
  bool waits() const { return settling_ > 0 || !events_.empty(); }

 private:
  bool must_wait(const KeyEvent& event) const;

  std::deque<KeyEvent> events_;
  std::vector<int> pressed_, released_;  // in this frame
  int settling_ = 0;                     // frames
};

}  // namespace haloscope::app::viewer
