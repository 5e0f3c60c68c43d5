#include "app/cli/run_on_devices.h"

#include "analysis/option_parsing/option_error.h"
#include "compute/exec/rank_devices.h"
#include "compute/exec/ranks.h"
#include "core/error.h"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>

namespace haloscope::app::cli {

namespace {

// How late a loop that asks for its own progress alone learns that it should stop.
constexpr std::chrono::milliseconds kLate{20};

// The progress of each rank, and a thread that cancels all of them when somebody cancels the one
// above them, or a rank has failed.
class ProgressOfRanks {
 public:
  ProgressOfRanks(Progress& above, std::size_t ranks) : above_(above) {
    for (std::size_t r = 0; r < ranks; ++r)
      if (r == 0)
        own_.emplace_back(
            [this](const std::string& phase, double part) { above_.report(phase, part); });
      else
        own_.emplace_back();
    watch_ = std::thread([this] { watch(); });
  }
  ~ProgressOfRanks() {
    {
      const std::lock_guard lock(mutex_);
      done_ = true;
    }
    changed_.notify_all();
    watch_.join();
  }
  ProgressOfRanks(const ProgressOfRanks&) = delete;
  ProgressOfRanks& operator=(const ProgressOfRanks&) = delete;

  Progress& of(int rank) { return own_[std::size_t(rank)]; }
  void cancel() {
    for (Progress& one : own_) one.cancel();
  }

 private:
  void watch() {
    std::unique_lock lock(mutex_);
    while (!done_) {
      if (above_.cancelled()) cancel();
      changed_.wait_for(lock, kLate);
    }
  }

  Progress& above_;
  std::deque<Progress> own_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool done_ = false;
  std::thread watch_;
};

}  // namespace

std::vector<compute::Device> devices_of_gpus(const std::string& gpus, const std::string& device,
                                             const analysis::RunContext& context) {
  if (gpus.empty()) return {};
  const std::string option = "--gpus " + gpus;
  if (compute::ranks_or_alone(context.ranks).size() > 1)
    throw Error("each of the ranks that a launcher started takes one GPU", option,
                "use --device cuda, or start one process");
  if (device != "auto" && device != "cuda")
    throw Error("--gpus and --device " + device + " exclude each other", option,
                "leave one of them out");
  return compute::choose_gpus(gpus);
}

void run_on_devices(
    const std::vector<compute::Device>& devices, analysis::RunContext& context,
    const std::function<void(analysis::RunContext& own, compute::Device device)>& work) {
  // One device needs no other thread.
  if (devices.size() == 1) return work(context, devices.front());
  ProgressOfRanks progress(context.progress, devices.size());
  // What the others throw after the first fault is that they were stopped.
  std::mutex mutex;
  std::exception_ptr first;
  const auto run = [&](compute::Ranks& ranks) {
    Progress& its = progress.of(ranks.rank());
    ranks.set_check([&its] {
      if (its.cancelled()) throw Cancelled();
    });
    analysis::RunContext own{its, [](const std::string&) {}, context.command_line, &ranks};
    if (ranks.first()) own.print = context.print;
    try {
      work(own, devices[std::size_t(ranks.rank())]);
    } catch (...) {
      {
        const std::lock_guard lock(mutex);
        if (!first) first = std::current_exception();
      }
      progress.cancel();
      throw;
    }
  };
  try {
    compute::run_thread_ranks(int(devices.size()), run);
  } catch (...) {
    std::rethrow_exception(first ? first : std::current_exception());
  }
}

void search_on_devices(const std::vector<compute::Device>& devices, analysis::RunContext& context,
                       const std::function<void(analysis::RunContext& own,
                                                std::optional<compute::Device> device)>& work) {
  analysis::with_flags_in_faults([&] {
    if (devices.empty()) return work(context, {});
    run_on_devices(devices, context,
                   [&](analysis::RunContext& own, compute::Device device) { work(own, device); });
  });
}

}  // namespace haloscope::app::cli
