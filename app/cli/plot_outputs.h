#pragma once

#include "analysis/finding.h"
#include "analysis/snapshot/output_guard.h"

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace haloscope::app::cli {

// Plots that were asked for and have nothing to show.
struct EmptyPlots {
  std::vector<std::string> files;  // that were not written
  std::string why;

  // The files that were written, of all that were to be.
  std::vector<std::string> without(const std::vector<std::string>& outputs) const;
  // Throws Error where there are any. For the end of a command, which has written and said all
  // else.
  void refuse() const;
};

// The plots of a finding that a command writes, each by "--plot NAME=FILE". Functions throw Error
// that names the option.
class PlotOutputs {
 public:
  void add_option(CLI::App& command);
  bool empty() const { return words_.empty(); }
  std::vector<std::string> names() const;
  // The files, all of which can be written.
  std::vector<std::string> require_targets(const analysis::Overwriting& overwriting) const;
  // That each name is a plot's; for asking before anything is written.
  void require_plots(const analysis::Finding& finding) const;
  // Writes all plots but those with nothing to show, which it returns.
  [[nodiscard]] EmptyPlots write(const analysis::Finding& finding,
                                 const std::string& command_line) const;

 private:
  std::vector<std::string> words_;
};

}  // namespace haloscope::app::cli
