#include "app/viewer/mouse_queue.h"

#include "tests/catch.h"

#include <fmt/format.h>

#include <string>

// What frames see of a mouse that is faster than they are.

namespace haloscope::app::viewer {

namespace {

using Position = std::array<double, 2>;

// Frame by frame: the place, buttons that are held, and the wheel.
std::string seen(MouseQueue& queue) {
  std::string text;
  while (queue.waits()) {
    const MouseQueue::Turn turn = queue.take();
    text += turn.position ? fmt::format("{},{}", (*turn.position)[0], (*turn.position)[1]) : "-";
    for (int k = 0; k < MouseQueue::kButtons; ++k)
      if (turn.down[k]) text += fmt::format(" b{}", k);
    if (turn.wheel[1] != 0) text += fmt::format(" w{}", turn.wheel[1]);
    text += "|";
  }
  return text;
}

void press(MouseQueue& queue, int button = 0) {
  queue.button(button, true);
}
void release(MouseQueue& queue, int button = 0) {
  queue.button(button, false);
}

}  // namespace

TEST_CASE("a drag between two frames begins where the button went down") {
  MouseQueue queue;
  queue.move(1, 2);
  queue.move(10, 20);
  press(queue);
  queue.move(30, 20);
  queue.move(40, 20);
  release(queue);
  queue.move(90, 90);
  CHECK(seen(queue) == "10,20|10,20 b0|40,20 b0|40,20|90,90|");
}

TEST_CASE("a drag of two frames shows its way and its end") {
  MouseQueue queue;
  queue.move(10, 20);
  press(queue);
  CHECK(seen(queue) == "10,20|10,20 b0|");
  CHECK(queue.take().down[0]);
  queue.move(40, 20);
  CHECK(seen(queue) == "40,20 b0|");
  release(queue);
  CHECK(seen(queue) == "40,20|");
}

TEST_CASE("each of two clicks between two frames is seen") {
  MouseQueue queue;
  queue.move(5, 5);
  for (int k = 0; k < 2; ++k) {
    press(queue);
    release(queue);
  }
  CHECK(seen(queue) == "5,5|5,5 b0|5,5|5,5 b0|5,5|");
}

TEST_CASE("two buttons may change in one frame") {
  MouseQueue queue;
  press(queue, 0);
  press(queue, 1);
  release(queue, 0);
  CHECK(seen(queue) == "- b0 b1|- b1|");
}

TEST_CASE("the wheel turns where the mouse was") {
  MouseQueue queue;
  queue.move(5, 5);
  queue.scroll(0, 1);
  queue.scroll(0, 2);
  queue.move(8, 5);
  queue.scroll(0, -1);
  press(queue);
  queue.scroll(0, 4);
  CHECK(seen(queue) == "5,5 w3|8,5 w-1|8,5 b0|8,5 b0 w4|");
  CHECK(queue.take().wheel == Position{0, 0});
}

TEST_CASE("what was forgotten leaves the mouse where it is") {
  MouseQueue queue;
  queue.move(5, 5);
  press(queue);
  release(queue);
  press(queue, 1);
  queue.scroll(0, 1);
  queue.move(8, 9);
  queue.catch_up();
  CHECK_FALSE(queue.waits());
  const MouseQueue::Turn turn = queue.take();
  CHECK(turn.position == Position{8, 9});
  CHECK_FALSE(turn.down[0]);
  CHECK(turn.down[1]);
  CHECK(turn.wheel == Position{0, 0});
}

TEST_CASE("buttons that do not exist are left out") {
  MouseQueue queue;
  press(queue, MouseQueue::kButtons);
  press(queue, -1);
  CHECK_FALSE(queue.waits());
}

}  // namespace haloscope::app::viewer
