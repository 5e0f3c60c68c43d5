#pragma once

#include "app/viewer/log_line.h"

#include <string>
#include <vector>

namespace haloscope::app::viewer {

// A line that was entered in the line for commands, and what came of it.
struct EnteredLine {
  std::string line;
  std::vector<LogLine> told;
  bool runs = true;  // it, or a job that it has begun
};

// The last of them. What the session says while one runs is taken for its result: also what a job
// says that was begun before it, which nobody can tell apart.
class EnteredLines {
 public:
  void begin(const std::string& line);
  // Returns whether a line runs that this belongs to.
  bool tell(bool warning, const std::string& text);
  // Nothing of the last line is under way any more.
  void end();

  bool running() const { return !lines_.empty() && lines_.back().runs; }
  const std::vector<EnteredLine>& all() const { return lines_; }

 private:
  std::vector<EnteredLine> lines_;
};

}  // namespace haloscope::app::viewer
