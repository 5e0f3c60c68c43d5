#pragma once

#include "app/viewer/tasks/worker.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace haloscope::app::viewer {

// A background job of the window as a list sees it, which asks and stops all jobs alike. All calls
// are the user interface's thread's; none waits but wait() and stop().
class TaskBase {
 public:
  virtual ~TaskBase() = default;

  // Whether something runs, waits to run, or has come and was not received yet.
  virtual bool busy() const = 0;
  // What runs, and how far it is.
  virtual Worker::Status status() const = 0;
  // Stops what runs and forgets what waits. Nothing of either is delivered.
  virtual void cancel() = 0;
  // Until the thread rests.
  virtual void wait() = 0;
  void stop() {
    cancel();
    wait();
  }
};

// A kind of work with a thread of its own. Of the work that waits to run, and of the results that
// wait to be received, only the newest is kept. Work that was cancelled or overtaken delivers
// nothing, even where it has finished. `Result` is void where the work delivers by other ways.
template <class Result>
class Task final : public TaskBase {
 public:
  using Work = std::function<Result(const std::shared_ptr<Progress>&)>;
  using Failed = std::function<void(const std::string& fault)>;

  // `wake` is called from the thread when something changed, `failed` by receive(), with one
  // sentence. Without `failed` nobody hears of faults.
  explicit Task(std::function<void()> wake, Failed failed = {})
      : failed_(std::move(failed)), worker_(std::move(wake)) {}

  // Runs `work` on the thread. `gives_way`: newer work overtakes it, that is, cancels it; else it
  // is finished first and delivers (a coarse picture, which would never be seen otherwise).
  void submit(const std::string& name, Work work, bool gives_way = true) {
    const Ticket ticket{++newest_, gives_way};
    Job job;
    job.name = name;
    job.gives_way = gives_way;
    job.work = [this, ticket, work = std::move(work)](const std::shared_ptr<Progress>& progress) {
      if constexpr (std::is_void_v<Result>)
        work(progress);
      else
        come({ticket, work(progress), {}});
    };
    if (failed_)
      job.failed = [this, ticket](const std::string& fault) { come({ticket, {}, fault}); };
    worker_.submit(std::move(job));
  }

  // Tells the faults that have come, and returns the result, each once.
  auto receive() {
    std::vector<Outcome> outcomes;
    {
      const std::lock_guard lock(mutex_);
      std::swap(outcomes, outcomes_);
    }
    std::optional<Kept> result;
    for (Outcome& outcome : outcomes) {
      if (!delivers(outcome.ticket)) continue;
      if (outcome.result) result = std::move(outcome.result);
      // Last, for whoever hears of a fault may submit or cancel.
      if (!outcome.fault.empty()) failed_(outcome.fault);
    }
    if constexpr (!std::is_void_v<Result>) return result;
  }

  bool busy() const override {
    // In this order, for work that ends in between has delivered by then.
    if (worker_.busy()) return true;
    const std::lock_guard lock(mutex_);
    return std::any_of(outcomes_.begin(), outcomes_.end(),
                       [this](const Outcome& outcome) { return delivers(outcome.ticket); });
  }
  Worker::Status status() const override { return worker_.status(); }
  void cancel() override {
    cancelled_ = newest_;
    worker_.cancel();
    std::vector<Outcome> dropped;  // destroyed behind the lock
    const std::lock_guard lock(mutex_);
    std::swap(dropped, outcomes_);
  }
  void wait() override { worker_.wait(); }

 private:
  using Kept = std::conditional_t<std::is_void_v<Result>, bool, Result>;
  struct Ticket {
    std::uint64_t number = 0;
    bool gives_way = true;
  };
  struct Outcome {
    Ticket ticket;
    std::optional<Kept> result;
    std::string fault;  // empty: there is a result
  };

  bool delivers(const Ticket& ticket) const {
    return ticket.number > cancelled_ && (ticket.number == newest_ || !ticket.gives_way);
  }

  // On the thread. A result takes the place of one that nobody has received.
  void come(Outcome outcome) {
    std::vector<Outcome> replaced;  // destroyed behind the lock
    const std::lock_guard lock(mutex_);
    if (outcome.result) {
      for (Outcome& former : outcomes_)
        if (former.result) replaced.push_back(std::move(former));
      std::erase_if(outcomes_, [](const Outcome& former) { return former.fault.empty(); });
    }
    outcomes_.push_back(std::move(outcome));
  }

  Failed failed_;
  // Numbers of what was submitted last, and of what was last before a cancel().
  std::uint64_t newest_ = 0, cancelled_ = 0;
  mutable std::mutex mutex_;
  std::vector<Outcome> outcomes_;
  Worker worker_;  // last: ends first
};

}  // namespace haloscope::app::viewer
