#pragma once

#include <chrono>
#include <string>

namespace haloscope::app::cli {

// One line on a terminal that says how far a long job is; nothing where standard error is no
// terminal.
class ProgressBar {
 public:
  ProgressBar();
  ~ProgressBar() { clear(); }
  void show(const std::string& phase, double fraction);
  // Takes the line away, so that other text can be printed.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;
  bool terminal_;
  bool visible_ = false;
  // Jobs shorter than this show nothing.
  static constexpr std::chrono::milliseconds kPatience{300};
  static constexpr std::chrono::milliseconds kInterval{60};
  Clock::time_point start_ = Clock::now();
  Clock::time_point last_{};
};

}  // namespace haloscope::app::cli
