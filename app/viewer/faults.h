#pragma once

#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace haloscope::app::viewer {

// Sentences from any thread on their way to the user.
class Faults {
 public:
  void add(std::string sentence) {
    const std::lock_guard lock(mutex_);
    sentences_.push_back(std::move(sentence));
  }
  std::vector<std::string> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(sentences_, {});
  }
  bool empty() const {
    const std::lock_guard lock(mutex_);
    return sentences_.empty();
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> sentences_;
};

}  // namespace haloscope::app::viewer
