#pragma once

#include "analysis/measuring/measurement.h"
#include "analysis/snapshot/file_stamps.h"
#include "app/viewer/tasks/task.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace haloscope::app::viewer {

// One kind of measurement of the snapshot that is shown, on a thread of its own: it follows what
// the state asks for. All calls are the user interface's thread's; none waits but wait() and
// stop().
class Measurer final : public TaskBase {
 public:
  struct Request {
    // What tells it from any other one: a measurement that was asked for last is not made again.
    std::string key;
    std::string name;  // for the user: "measuring a profile"
    std::function<analysis::Measurement(Progress&)> measure;
    std::string snapshot = {};            // that is measured
    std::vector<std::string> files = {};  // that are read
    std::shared_ptr<const void> about =
        {};  // what was found, where it is about that: a part of the key
  };
  // What is measured, or why it is not. Both empty: it is not known yet, or was stopped.
  struct Outcome {
    std::shared_ptr<const analysis::Measurement> made;
    std::string fault;
  };

  // `wake` is called from any thread when receive() shall be called.
  explicit Measurer(std::function<void()> wake);

  // Nothing: forgets what was measured.
  void want(const std::optional<Request>& request);
  // Gives up what was measured in files that have changed since.
  void forget_changed();
  // Gives up what was measured in another snapshot.
  void forget_others(const std::string& snapshot);
  // What was stopped, or could not be measured, is measured once more when it is wanted next.
  void try_again();
  // It cannot be asked for, for that reason.
  void refuse(const std::string& why);
  // What came in since the last call.
  std::optional<Outcome> receive();
  const Outcome& shown() const { return shown_; }
  // Whether what was asked for last was cancelled before it was made.
  bool was_stopped() const {
    return !asked_.empty() && !task_.busy() && !shown_.made && shown_.fault.empty();
  }

  bool busy() const override { return task_.busy(); }
  Worker::Status status() const override { return task_.status(); }
  void cancel() override { task_.cancel(); }
  void wait() override { task_.wait(); }

 private:
  void forget();

  std::string asked_;     // key; empty: nothing
  std::string snapshot_;  // of what was asked for, with the next ones
  std::vector<std::string> files_;
  analysis::FileStamps stamps_;  // before they were read
  std::shared_ptr<const void> about_;
  Outcome shown_;
  std::string fault_;                                        // that receive() was told
  Task<std::shared_ptr<const analysis::Measurement>> task_;  // last: ends first
};

}  // namespace haloscope::app::viewer
