#pragma once

#include "analysis/run_context.h"
#include "compute/exec/device.h"
#include "compute/exec/ranks.h"
#include "core/progress.h"
#include "render/scene/snapshot_scene.h"

#include <atomic>
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace haloscope::app::viewer {

// A snapshot that several devices of this process draw together, each with its part of the
// particles: for each device a thread and a scene of its own, which are each other's ranks. They
// live as long as the crew.
class SceneCrew {
 public:
  // What one device does with its scene. `first`: it is the one that gets the pictures.
  using Work = std::function<void(render::SnapshotScene& scene, Progress& progress, bool first)>;

  // Opens and loads the snapshot on all devices. Throws what the first that failed has thrown, and
  // Cancelled where `progress` is cancelled meanwhile.
  SceneCrew(const render::RenderRequest& request, const std::vector<compute::Device>& devices,
            Progress& progress);
  ~SceneCrew();
  SceneCrew(const SceneCrew&) = delete;
  SceneCrew& operator=(const SceneCrew&) = delete;

  std::size_t size() const { return devices_.size(); }

  // All devices do the work, at once, and nobody can cancel it: what is under way between GPUs can
  // only be waited for. One caller at a time. Throws what the first that failed has thrown; where
  // another one had to be stopped for it, the crew is of no more use, and all calls behind throw
  // Error. What all refuse alike, or one when the others are done, leaves it as it was.
  void run(const Work& work);

 private:
  void serve(compute::Ranks& ranks);
  void attempt(const std::function<void()>& deed);
  void wait_for_all(std::unique_lock<std::mutex>& lock, Progress* above);
  void end();

  const render::RenderRequest request_;
  const std::vector<compute::Device> devices_;
  std::deque<Progress> progress_;  // of each

  std::mutex mutex_;
  std::condition_variable changed_;
  const Work* work_ = nullptr;
  std::size_t turn_ = 0;  // of what all do
  std::size_t left_ = 0;  // who are not done with it
  bool ends_ = false, broken_ = false;
  std::exception_ptr first_fault_;
  std::size_t stopped_ = 0;               // who were stopped for it
  std::atomic<bool> some_failed_{false};  // so that the others do not wait for it
  std::atomic<bool> loading_{true};       // whoever opens the snapshot is told how far it is

  std::thread thread_;  // last: it uses all of these
};

}  // namespace haloscope::app::viewer
