#pragma once

#include <array>
#include <deque>
#include <optional>

namespace haloscope::app::viewer {

// What the mouse did, in its order, until the frame that may see it. Dear ImGui before 1.87 looks
// where the mouse is and what is held when a frame begins: where frames are slow it takes a press
// for one at the place that the mouse has reached since, and two quick clicks for one.
class MouseQueue {
 public:
  static constexpr int kButtons = 5;

  // Of one frame.
  struct Turn {
    std::optional<std::array<double, 2>> position;  // pixels; none: it has not moved yet
    std::array<bool, kButtons> down{};
    std::array<double, 2> wheel{};
  };

  void move(double x, double y) { events_.push_back({Kind::Move, 0, false, x, y}); }
  // A button that does not exist is left out.
  void button(int button, bool down);
  void scroll(double x, double y) { events_.push_back({Kind::Scroll, 0, false, x, y}); }

  // Once a frame, before it is built: what this frame may see. The mouse is at its place in a frame
  // before a button changes there, so that the end of a drag is seen while it is held. A button
  // changes once at most; the mouse moves on, or turns its wheel, in a later frame.
  Turn take();
  // Forgets what happened, but for where the mouse is and what is held: no frame is to see it.
  void catch_up();
  // Whether take() will tell more without another event.
  bool waits() const { return !events_.empty(); }

 private:
  enum class Kind { Move, Button, Scroll };
  struct Event {
    Kind kind;
    int button;
    bool down;
    double x, y;
  };

  std::deque<Event> events_;
  Turn now_;
};

}  // namespace haloscope::app::viewer
