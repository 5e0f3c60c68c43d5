#include "app/viewer/tasks/scene_crew.h"

#include "compute/exec/rank_fault.h"
#include "core/error.h"

#include <chrono>
#include <memory>
#include <utility>

namespace haloscope::app::viewer {

namespace {

// How late a device learns that somebody cancels.
constexpr std::chrono::milliseconds kLate{20};

render::RenderRequest on_device(render::RenderRequest request, compute::Device device) {
  request.compute.chosen = device;
  request.compute.devices.clear();
  return request;
}

// Whether this is not the fault itself, but that of a rank which was stopped for it.
bool was_stopped(const std::exception_ptr& fault) {
  try {
    std::rethrow_exception(fault);
  } catch (const Cancelled&) {
    return true;
  } catch (const compute::RankFault&) {
    return true;
  } catch (...) {
    return false;
  }
}

}  // namespace

SceneCrew::SceneCrew(const render::RenderRequest& request,
                     const std::vector<compute::Device>& devices, Progress& progress)
    : request_(request), devices_(devices), left_(devices.size()) {
  for (std::size_t r = 0; r < devices_.size(); ++r)
    if (r == 0)
      progress_.emplace_back([this, &progress](const std::string& phase, double part) {
        if (loading_) progress.report(phase, part);
      });
    else
      progress_.emplace_back();
  thread_ = std::thread([this] {
    compute::run_thread_ranks(int(devices_.size()),
                              [this](compute::Ranks& ranks) { serve(ranks); });
  });
  std::unique_lock lock(mutex_);
  wait_for_all(lock, &progress);
  loading_ = false;
  // Cancelled when all were done already, too: their progress says so for ever.
  const bool cancelled = progress.cancelled();
  if (!first_fault_ && !cancelled) return;
  lock.unlock();
  end();
  if (cancelled) throw Cancelled();
  std::rethrow_exception(first_fault_);
}

SceneCrew::~SceneCrew() {
  end();
}

void SceneCrew::end() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

// `above`: cancels it; null: nobody does.
void SceneCrew::wait_for_all(std::unique_lock<std::mutex>& lock, Progress* above) {
  while (left_ > 0) {
    if (!above) {
      changed_.wait(lock);
      continue;
    }
    changed_.wait_for(lock, kLate);
    // One that reads or searches alone would not meet the others for long.
    if (above->cancelled() || some_failed_)
      for (Progress& one : progress_) one.cancel();
  }
}

// Of one device, on its thread.
void SceneCrew::attempt(const std::function<void()>& deed) {
  std::exception_ptr fault;
  try {
    deed();
  } catch (...) {
    fault = std::current_exception();
    some_failed_ = true;
  }
  {
    const std::lock_guard lock(mutex_);
    if (fault && was_stopped(fault)) ++stopped_;
    // That of a device that was stopped tells nothing.
    if (fault && (!first_fault_ || was_stopped(first_fault_))) first_fault_ = fault;
    --left_;
  }
  changed_.notify_all();
}

void SceneCrew::serve(compute::Ranks& ranks) {
  const auto r = std::size_t(ranks.rank());
  Progress& own = progress_[r];
  ranks.set_check([&] {
    if (some_failed_ || own.cancelled()) throw Cancelled();
  });
  analysis::RunContext context{own, [](const std::string&) {}, {}, &ranks};
  std::unique_ptr<render::SnapshotScene> scene;
  attempt([&] {
    scene = std::make_unique<render::SnapshotScene>(on_device(request_, devices_[r]), context);
    scene->want_histograms();
    scene->load();
    scene->keep_lengths();
  });
  for (std::size_t done = 0;;) {
    const Work* work = nullptr;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return ends_ || turn_ > done; });
      if (ends_) return;
      done = turn_;
      work = work_;
    }
    attempt([&] { (*work)(*scene, own, ranks.first()); });
  }
}

void SceneCrew::run(const Work& work) {
  std::unique_lock lock(mutex_);
  if (broken_)
    throw Error("one of the GPUs that draw together has failed", "--gpus",
                "open the snapshot again, or start without it");
  work_ = &work;
  left_ = devices_.size();
  ++turn_;
  changed_.notify_all();
  wait_for_all(lock, nullptr);
  if (!first_fault_) return;
  broken_ = stopped_ > 0;
  some_failed_ = broken_;
  std::rethrow_exception(std::exchange(first_fault_, nullptr));
}

}  // namespace haloscope::app::viewer
