#include "app/viewer/mouse_queue.h"

namespace haloscope::app::viewer {

void MouseQueue::button(int button, bool down) {
  if (button >= 0 && button < kButtons) events_.push_back({Kind::Button, button, down, 0, 0});
}

MouseQueue::Turn MouseQueue::take() {
  std::array<bool, kButtons> changed{};
  bool moved = false, any_changed = false, turned = false;
  now_.wheel = {};
  for (; !events_.empty(); events_.pop_front()) {
    const Event& event = events_.front();
    if (event.kind == Kind::Move) {
      if (any_changed || turned) break;
      now_.position = {event.x, event.y};
      moved = true;
    } else if (event.kind == Kind::Button) {
      if (moved || changed[event.button] || turned) break;
      changed[event.button] = any_changed = true;
      now_.down[event.button] = event.down;
    } else {
      if (any_changed) break;
      turned = true;
      now_.wheel[0] += event.x;
      now_.wheel[1] += event.y;
    }
  }
  return now_;
}

void MouseQueue::catch_up() {
  while (waits()) take();
}

}  // namespace haloscope::app::viewer
