#pragma once

#include "app/cli/command_line.h"
#include "core/log.h"

#include <algorithm>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

namespace haloscope::test {

// What one run of the program said and returned.
struct Outcome {
  int code = 0;
  std::string out, err;

  bool says(const std::string& part) const { return (out + err).find(part) != std::string::npos; }
  // A fault as the user shall see it: exit code 2 and one line on standard error.
  bool is_fault() const {
    return code == 2 && err.starts_with("haloscope: error: ") &&
           std::count(err.begin(), err.end(), '\n') == 1 && err.back() == '\n';
  }
};

// Runs the program inside this process.
inline Outcome run_program(const std::vector<std::string>& arguments) {
  log::flush();  // warnings that other tests brought about are not of this run
  std::ostringstream out, err;
  auto* former_out = std::cout.rdbuf(out.rdbuf());
  auto* former_err = std::cerr.rdbuf(err.rdbuf());
  Outcome outcome;
  outcome.code = app::cli::run_command_line(arguments);
  std::cout.rdbuf(former_out);
  std::cerr.rdbuf(former_err);
  outcome.out = out.str();
  outcome.err = err.str();
  return outcome;
}

}  // namespace haloscope::test
