#include "app/viewer/tasks/worker.h"

#include "core/error.h"

#include <new>

namespace haloscope::app::viewer {

namespace {

// A job that reports thousands of times a second shall not redraw the window as often.
constexpr double kTellEvery = 0.01;

}  // namespace

Worker::Worker(std::function<void()> wake) : wake_(std::move(wake)), thread_([this] { loop(); }) {}

Worker::~Worker() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
    waiting_.reset();
    if (running_) running_->cancel();
  }
  changed_.notify_all();
  thread_.join();
}

void Worker::submit(Job job) {
  {
    const std::lock_guard lock(mutex_);
    waiting_ = std::move(job);
    status_.busy = true;
    if (running_ && running_gives_way_) running_->cancel();
  }
  changed_.notify_all();
}

void Worker::cancel() {
  const std::lock_guard lock(mutex_);
  waiting_.reset();
  if (running_)
    running_->cancel();
  else
    status_ = {};
}

Worker::Status Worker::status() const {
  const std::lock_guard lock(mutex_);
  return status_;
}

void Worker::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return !running_ && !waiting_; });
}

void Worker::loop() {
  while (true) {
    Job job;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return ends_ || waiting_; });
      if (ends_) return;
      job = std::move(*waiting_);
      waiting_.reset();
      running_ = std::make_shared<Progress>(
          [this](const std::string& phase, double fraction) { listen(phase, fraction); });
      running_gives_way_ = job.gives_way;
      status_ = {true, job.name, {}, 0};
    }
    run(job);
    {
      const std::lock_guard lock(mutex_);
      running_.reset();
      if (!waiting_) status_ = {};
    }
    changed_.notify_all();
    wake();
  }
}

// The job boundary: what a job throws becomes a sentence in the window (DESIGN: errors).
void Worker::run(Job& job) {
  std::shared_ptr<Progress> progress;
  {
    const std::lock_guard lock(mutex_);
    progress = running_;
  }
  std::string fault;
  try {
    job.work(progress);
    return;
  } catch (const Cancelled&) {
    return;
  } catch (const Error& error) {
    fault = error.what();
  } catch (const std::bad_alloc&) {
    fault = "out of memory; show fewer particle types or open a part of the snapshot";
  } catch (const std::exception& error) {
    fault = std::string("something failed that haloscope did not expect: ") + error.what();
  }
  if (job.failed) job.failed(fault);
}

void Worker::listen(const std::string& phase, double fraction) {
  {
    const std::lock_guard lock(mutex_);
    if (phase == status_.phase && fraction > status_.fraction &&
        fraction < status_.fraction + kTellEvery)
      return;
    status_.phase = phase;
    status_.fraction = fraction;
  }
  wake();
}

void Worker::wake() const {
  if (wake_) wake_();
}

}  // namespace haloscope::app::viewer
