#include "app/viewer/tasks/task.h"

#include "core/error.h"
#include "tests/catch.h"

#include <atomic>
#include <future>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

// Results on their way from a thread to the window: once, or not at all where nobody wants them.

namespace haloscope::app::viewer {

namespace {

using Shared = std::shared_ptr<Progress>;

// Work that has begun and waits, so that a test can do something meanwhile.
class Held {
 public:
  // Returns `value` once it may go on, whether it was cancelled or not.
  Task<int>::Work returning(int value) {
    return [this, value](const Shared&) {
      began_.set_value();
      gate_.wait();
      return value;
    };
  }
  Task<int>::Work failing(const std::string& fault) {
    return [this, fault](const Shared&) -> int {
      began_.set_value();
      gate_.wait();
      throw Error(fault);
    };
  }
  void wait_until_begun() { began_.get_future().wait(); }
  void go_on() { go_on_.set_value(); }

 private:
  std::promise<void> began_, go_on_;
  std::shared_future<void> gate_ = go_on_.get_future().share();
};

Task<int>::Work at_once(int value) {
  return [value](const Shared&) { return value; };
}

struct Numbers {
  std::vector<std::string> faults;
  Task<int> task{{}, [this](const std::string& fault) { faults.push_back(fault); }};
};

}  // namespace

TEST_CASE("a result is delivered once, and the task is busy until then", "[window][task]") {
  Numbers numbers;
  CHECK_FALSE(numbers.task.busy());
  numbers.task.submit("count", at_once(7));
  CHECK(numbers.task.busy());
  numbers.task.wait();
  CHECK(numbers.task.busy());
  CHECK_FALSE(numbers.task.status().busy);
  CHECK(numbers.task.receive() == 7);
  CHECK_FALSE(numbers.task.busy());
  CHECK_FALSE(numbers.task.receive().has_value());
  CHECK(numbers.faults.empty());
}

TEST_CASE("what was overtaken delivers nothing, whether it runs or has finished",
          "[window][task]") {
  Numbers numbers;
  Held held;
  numbers.task.submit("count", held.returning(1));
  held.wait_until_begun();
  numbers.task.submit("count", at_once(2));
  held.go_on();
  numbers.task.wait();
  CHECK(numbers.task.receive() == 2);
  // Finished, but not received yet.
  numbers.task.submit("count", at_once(3));
  numbers.task.wait();
  Held second;
  numbers.task.submit("count", second.returning(4));
  CHECK_FALSE(numbers.task.receive().has_value());
  second.go_on();
  numbers.task.wait();
  CHECK(numbers.task.receive() == 4);
}

TEST_CASE("what does not give way delivers though newer work waits", "[window][task]") {
  Numbers numbers;
  Held coarse, fine;
  numbers.task.submit("draw", coarse.returning(1), false);
  coarse.wait_until_begun();
  numbers.task.submit("draw", fine.returning(2));
  coarse.go_on();
  fine.wait_until_begun();
  CHECK(numbers.task.receive() == 1);
  fine.go_on();
  numbers.task.wait();
  CHECK(numbers.task.receive() == 2);
}

TEST_CASE("of results that wait to be received the newest is kept", "[window][task]") {
  Numbers numbers;
  for (int k = 1; k <= 3; ++k) {
    numbers.task.submit("draw", at_once(k), false);
    numbers.task.wait();
  }
  CHECK(numbers.task.receive() == 3);
  CHECK_FALSE(numbers.task.receive().has_value());
}

TEST_CASE("what was cancelled delivers neither result nor fault", "[window][task]") {
  Numbers numbers;
  // Finished, but not received yet.
  numbers.task.submit("count", at_once(1), false);
  numbers.task.wait();
  numbers.task.cancel();
  CHECK_FALSE(numbers.task.busy());
  CHECK_FALSE(numbers.task.receive().has_value());
  // It runs, and does not look whether it was cancelled.
  for (const bool fails : {false, true}) {
    Held held;
    numbers.task.submit("count", fails ? held.failing("no such file") : held.returning(2), false);
    held.wait_until_begun();
    numbers.task.cancel();
    // The thread is not free yet.
    CHECK(numbers.task.busy());
    held.go_on();
    numbers.task.wait();
    CHECK_FALSE(numbers.task.busy());
    CHECK_FALSE(numbers.task.receive().has_value());
  }
  CHECK(numbers.faults.empty());
  numbers.task.submit("count", at_once(3));
  numbers.task.wait();
  CHECK(numbers.task.receive() == 3);
}

TEST_CASE("a fault is told once, as one sentence, when results are received", "[window][task]") {
  Numbers numbers;
  numbers.task.submit(
      "open", [](const Shared&) -> int { throw Error("no such file", "x.hdf5", "check it"); });
  numbers.task.wait();
  CHECK(numbers.task.busy());
  CHECK(numbers.faults.empty());
  CHECK_FALSE(numbers.task.receive().has_value());
  REQUIRE(numbers.faults.size() == 1);
  CHECK(numbers.faults[0] == "x.hdf5: no such file; check it");
  CHECK_FALSE(numbers.task.busy());
  numbers.task.receive();
  CHECK(numbers.faults.size() == 1);
  // Neither what was cancelled from inside, nor what was overtaken, has a fault.
  numbers.task.submit("open", [](const Shared&) -> int { throw Cancelled(); });
  numbers.task.wait();
  CHECK_FALSE(numbers.task.busy());
  Held held;
  numbers.task.submit("open", held.failing("overtaken"));
  held.wait_until_begun();
  numbers.task.submit("open", at_once(5));
  held.go_on();
  numbers.task.wait();
  CHECK(numbers.task.receive() == 5);
  CHECK(numbers.faults.size() == 1);
}

TEST_CASE("a fault is not lost to a newer result", "[window][task]") {
  Numbers numbers;
  numbers.task.submit(
      "draw", [](const Shared&) -> int { throw std::runtime_error("odd"); }, false);
  numbers.task.wait();
  numbers.task.submit("draw", at_once(1));
  numbers.task.wait();
  CHECK(numbers.task.receive() == 1);
  REQUIRE(numbers.faults.size() == 1);
  CHECK(numbers.faults[0].find("did not expect: odd") != std::string::npos);
}

TEST_CASE("work without a result is done, and tells only its faults", "[window][task]") {
  std::string fault;
  Task<void> task({}, [&](const std::string& sentence) { fault = sentence; });
  bool done = false;
  task.submit("write", [&](const Shared&) { done = true; });
  task.wait();
  CHECK(done);
  CHECK_FALSE(task.busy());
  task.submit("write", [](const Shared&) { throw Error("the disk is full"); });
  task.wait();
  CHECK(task.busy());
  task.receive();
  CHECK(fault == "the disk is full");
  CHECK_FALSE(task.busy());
}

TEST_CASE("a task tells how far it is, and wakes whoever waits for it", "[window][task]") {
  std::promise<void> reported, go_on;
  auto gate = go_on.get_future().share();
  std::atomic<int> woken{0};
  Task<int> task([&] { ++woken; });
  task.submit("opening", [&](const Shared& progress) {
    progress->report("reading", 0.5);
    reported.set_value();
    gate.wait();
    return 1;
  });
  reported.get_future().wait();
  CHECK(task.status().busy);
  CHECK(task.status().name == "opening");
  CHECK(task.status().phase == "reading");
  CHECK(task.status().fraction == 0.5);
  CHECK(woken == 1);
  go_on.set_value();
  task.stop();
  CHECK_FALSE(task.busy());
}

TEST_CASE("a task ends while its work runs and more waits", "[window][task]") {
  std::promise<void> began;
  auto ended = std::make_shared<std::atomic<bool>>(false);
  {
    Task<std::vector<int>> task({});
    task.submit(
        "endless",
        [&began, ended](const Shared& progress) {
          began.set_value();
          try {
            while (true) progress->report("turning", 0.5);
          } catch (const Cancelled&) {
            *ended = true;
          }
          return std::vector<int>(1000);
        },
        false);
    began.get_future().wait();
    task.submit("never begun", [](const Shared&) { return std::vector<int>(); });
  }
  CHECK(*ended);
}

}  // namespace haloscope::app::viewer
