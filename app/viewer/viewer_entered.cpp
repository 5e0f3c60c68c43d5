#include "app/viewer/line_history.h"
#include "app/viewer/viewer.h"

#include <utility>

// Lines that the user enters in the line for commands: each is done, and what comes of it is shown
// beside it.
namespace haloscope::app::viewer {

void Viewer::enter(const std::string& line) {
  waiting_lines_.push_back(line);
  // Also one that is refused, to be mended.
  if (add_to_history(line, typed_lines_) && entered_line_) entered_line_(line);
}

void Viewer::run_entered() {
  for (const std::string& line : std::exchange(waiting_lines_, {})) {
    entered_.begin(line);
    try {
      run_by_hand(session::parse_command(line));
    } catch (const std::exception& error) {
      tell(true, error.what());
    }
  }
}

// Once no job is left that may have something to say.
void Viewer::end_entered() {
  if (entered_.running() && !busy(&AwaitedBy::command) && log_mail_.empty() && deeds_.empty())
    entered_.end();
}

}  // namespace haloscope::app::viewer
