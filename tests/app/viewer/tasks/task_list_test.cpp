#include "app/viewer/tasks/task_list.h"

#include "tests/catch.h"

#include <string>
#include <utility>

// The background jobs of a session, asked and stopped one by one and all together.

namespace haloscope::app::viewer {

namespace {

using session::JobKind;

class FakeTask final : public TaskBase {
 public:
  explicit FakeTask(std::string name) : name_(std::move(name)) {}
  bool runs = false;
  int cancelled = 0, waited = 0;

  bool busy() const override { return runs; }
  Worker::Status status() const override { return {runs, runs ? name_ : "", {}, 0}; }
  void cancel() override {
    runs = false;
    ++cancelled;
  }
  void wait() override { ++waited; }

 private:
  std::string name_;
};

struct Jobs {
  FakeTask film{"film"}, search{"search"}, picture{"picture"}, probe{"probe"};
  TaskList list{{{&film, {.command = true, .end = true}, JobKind::Export},
                 {&search, {.command = true, .shot = true}, JobKind::Find},
                 {&picture, {.end = true, .shot = true}, {}},
                 {&probe, {}, {}}}};
};

}  // namespace

TEST_CASE("each waits for the tasks that it needs", "[window][task]") {
  Jobs jobs;
  const auto waits = [&] {
    std::string who;
    if (jobs.list.busy(&AwaitedBy::command)) who += "command ";
    if (jobs.list.busy(&AwaitedBy::end)) who += "end ";
    if (jobs.list.busy(&AwaitedBy::series)) who += "series ";
    if (jobs.list.busy(&AwaitedBy::shot)) who += "shot ";
    return who;
  };
  CHECK(waits().empty());
  jobs.probe.runs = true;
  CHECK(waits().empty());
  jobs.film.runs = true;
  CHECK(waits() == "command end ");
  jobs.picture.runs = true;
  CHECK(waits() == "command end shot ");
  jobs.film.runs = false;
  CHECK(waits() == "end shot ");
}

TEST_CASE("jobs that have a bar are told by their kind", "[window][task]") {
  Jobs jobs;
  CHECK_FALSE(jobs.list.jobs().any());
  jobs.picture.runs = true;
  CHECK_FALSE(jobs.list.jobs().any());
  jobs.search.runs = true;
  const RunningJobs running = jobs.list.jobs();
  CHECK(running.any());
  CHECK(running[JobKind::Find].name == "search");
  CHECK_FALSE(running[JobKind::Export].busy);
  CHECK_FALSE(running[JobKind::Open].busy);
}

TEST_CASE("a job is stopped by its kind, or the first that can be, or all are", "[window][task]") {
  Jobs jobs;
  jobs.picture.runs = jobs.search.runs = true;
  jobs.list.cancel(JobKind::Export);
  CHECK(jobs.film.cancelled == 1);
  CHECK(jobs.search.runs);
  jobs.list.cancel_first();
  CHECK_FALSE(jobs.search.runs);
  CHECK(jobs.film.cancelled == 1);
  // The picture has no name by which it could be stopped.
  jobs.list.cancel_first();
  CHECK(jobs.picture.runs);
  jobs.list.stop();
  for (const FakeTask* task : {&jobs.film, &jobs.search, &jobs.picture, &jobs.probe}) {
    CHECK_FALSE(task->runs);
    CHECK(task->waited == 1);
  }
}

}  // namespace haloscope::app::viewer
