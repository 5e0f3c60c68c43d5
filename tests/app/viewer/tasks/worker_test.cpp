#include "app/viewer/tasks/worker.h"

#include "core/error.h"
#include "tests/catch.h"

#include <atomic>
#include <future>

namespace haloscope::app::viewer {

namespace {

// Runs until somebody asks it to stop; tells when it began.
Job endless(std::promise<void>& began, bool gives_way) {
  return {"endless",
          [&began](const std::shared_ptr<Progress>& progress) {
            began.set_value();
            while (true) progress->report("turning", 0.5);
          },
          {},
          gives_way};
}

}  // namespace

TEST_CASE("a newer job cancels the one that runs, and of those that wait only the last is done",
          "[window]") {
  std::atomic<int> sum{0};
  Worker worker;
  std::promise<void> began;
  worker.submit(endless(began, true));
  began.get_future().wait();
  for (int k = 1; k <= 3; ++k) worker.submit({"add", [&sum, k](const auto&) { sum += k; }, {}});
  worker.wait();
  // 1 and 2 may be done where the thread is quick to take them, but 3 is, and nothing twice.
  CHECK(sum >= 3);
  CHECK(sum <= 6);
  CHECK_FALSE(worker.busy());
}

TEST_CASE("a job that does not give way is finished before the next", "[window]") {
  Worker worker;
  std::promise<void> began, go_on;
  std::atomic<bool> finished{false};
  std::atomic<bool> seen{false};
  auto gate = go_on.get_future().share();
  worker.submit({"coarse",
                 [&](const std::shared_ptr<Progress>& progress) {
                   began.set_value();
                   gate.wait();
                   progress->report("drawing", 1);
                   finished = true;
                 },
                 {},
                 false});
  began.get_future().wait();
  worker.submit({"fine", [&](const auto&) { seen = finished.load(); }, {}});
  go_on.set_value();
  worker.wait();
  CHECK(seen);
}

TEST_CASE("what a job throws becomes a sentence, and the next job runs", "[window]") {
  Worker worker;
  std::string sentence;
  worker.submit({"open", [](const auto&) { throw Error("no such file", "x.hdf5", "check it"); },
                 [&](const std::string& text) { sentence = text; }});
  worker.wait();
  CHECK(sentence.find("no such file") != std::string::npos);
  bool done = false;
  worker.submit({"again", [&](const auto&) { done = true; }, {}});
  worker.wait();
  CHECK(done);
}

TEST_CASE("a worker ends while its job runs", "[window]") {
  std::promise<void> began;
  Worker worker;
  worker.submit(endless(began, false));
  began.get_future().wait();
  CHECK(worker.status().name == "endless");
}

}  // namespace haloscope::app::viewer
