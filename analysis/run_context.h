#pragma once

#include "core/progress.h"

#include <functional>
#include <string>

namespace haloscope::compute {
class Ranks;
}

namespace haloscope::analysis {

// What a command needs of the outside world, so that tests can stand in for it.
struct RunContext {
  Progress& progress;
  // Lines for the user's terminal (what a command found or did); a test collects them.
  std::function<void(const std::string&)> print;
  std::string command_line;  // as typed, for the scene inside a picture
  // Those that a launcher started together; null: this process is alone.
  compute::Ranks* ranks = nullptr;
};

}  // namespace haloscope::analysis
