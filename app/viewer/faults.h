#pragma once

#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace haloscope::app::viewer {

// What any thread has to say, on its way to the user.
template <class T>
class Mail {
 public:
  void add(T one) {
    const std::lock_guard lock(mutex_);
    all_.push_back(std::move(one));
  }
  std::vector<T> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(all_, {});
  }
  bool empty() const {
    const std::lock_guard lock(mutex_);
    return all_.empty();
  }

 private:
  mutable std::mutex mutex_;
  std::vector<T> all_;
};

using Faults = Mail<std::string>;

// A sentence about what was written, with the file's name as it was given.
struct FileNews {
  std::string words, path;  // no path: none was written
};

}  // namespace haloscope::app::viewer
