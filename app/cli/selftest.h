#pragma once

#include "analysis/run_context.h"
#include "app/cli/selftest/check.h"

#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace haloscope::app::cli {

// A computation of the program's own came out wrong: no fault of the user's world.
class CheckFailed : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Runs each check on each of `devices`, of which the first is the one that the others are compared
// with, and prints a line per check and device. Throws CheckFailed where a result differs from what
// is stored or from the first device's.
void run_checks(const std::vector<Check>& checks, const std::vector<compute::Device>& devices,
                bool show_results, analysis::RunContext& context);

// Adds `selftest` to the command line; `run` is set when the user chose it.
void add_selftest_command(CLI::App& app, analysis::RunContext& context, std::function<void()>& run);

}  // namespace haloscope::app::cli
