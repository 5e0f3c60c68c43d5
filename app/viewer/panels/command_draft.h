#pragma once

#include "app/session/completion.h"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace haloscope::app::viewer {

// The line for commands as it is typed: what Tab makes of it, and the lines that were entered
// before.
class CommandDraft {
 public:
  std::array<char, 2048> typed{};
  std::string path;        // that is being typed in it, to be looked for in its folder
  bool has_path = false;   // there is one
  bool wants_keys = true;  // the field takes the keys in the next frame
  bool to_end = false;     // and its cursor stands at the end

  std::string text() const { return typed.data(); }
  // Nothing happens where it is longer than the field.
  void set(const std::string& text);
  // The line was entered, or given up: an empty one.
  void clear();

  // Tab: what all that begins so have in common; where that is typed already, one after another,
  // with `back` the one before.
  std::string tab(const std::string& line, const std::vector<session::Completion>& possible,
                  bool back);
  // Up and Down: of the lines entered before, those that begin with what was typed; behind the last
  // one what was typed itself. Returns `line` where there is none.
  std::string older(const std::string& line, const std::vector<std::string>& history);
  std::string newer(const std::string& line, const std::vector<std::string>& history);

 private:
  void begin_walk(const std::string& line, std::size_t count);

  // Of Tab: what it has offered, and which of them stands in the line.
  std::vector<std::string> offered_;
  std::size_t offer_ = 0;
  // Of Up and Down.
  std::string begun_;  // what was typed
  std::string shown_;  // what the last step has put into the line
  std::optional<std::size_t> place_;
};

}  // namespace haloscope::app::viewer
