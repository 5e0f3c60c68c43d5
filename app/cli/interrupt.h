#pragma once

#include "core/progress.h"

namespace haloscope::app::cli {

// While it lives, Ctrl-C (SIGINT), SIGTERM and a closed terminal (SIGHUP, where nohup has not
// turned it off) cancel `progress`; a second one ends the program at once. One at a time.
class InterruptCancels {
 public:
  explicit InterruptCancels(Progress& progress);
  ~InterruptCancels();
  InterruptCancels(const InterruptCancels&) = delete;
  InterruptCancels& operator=(const InterruptCancels&) = delete;
};

}  // namespace haloscope::app::cli
