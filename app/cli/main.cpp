#include "app/cli/command_line.h"
#include "app/cli/library_faults.h"

#include <csignal>

int main(int argc, char** argv) {
  // A full disk or a closed pipe shall be told as an error, not end the program.
  std::signal(SIGXFSZ, SIG_IGN);
  std::signal(SIGPIPE, SIG_IGN);
  haloscope::app::cli::tell_faults_of_hdf5();
  return haloscope::app::cli::run_command_line({argv + 1, argv + argc});
}
