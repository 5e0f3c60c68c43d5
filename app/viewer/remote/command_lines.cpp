#include "app/viewer/remote/command_lines.h"

#include <fmt/format.h>

#include <utility>

namespace haloscope::app::viewer {

CommandLine CommandLines::finished() {
  CommandLine line{++count_, std::exchange(begun_, {}), {}};
  if (line.text.ends_with('\r')) line.text.pop_back();
  if (line.text.find('\0') != std::string::npos) {
    line.text.clear();
    line.fault = "the line holds a NUL byte, and a command is text: send text alone";
  }
  return line;
}

// The fault of a line that is too long is told at once: its end may never come.
void CommandLines::append(std::string_view part, std::vector<CommandLine>& lines) {
  if (too_long_) return;
  if (begun_.size() + part.size() <= kLongest) {
    begun_ += part;
    return;
  }
  too_long_ = true;
  begun_ = {};
  lines.push_back(
      {++count_,
       {},
       fmt::format("the line is longer than {} bytes, and was not done: send shorter lines",
                   kLongest)});
}

std::vector<CommandLine> CommandLines::add(std::string_view bytes) {
  std::vector<CommandLine> lines;
  while (!bytes.empty()) {
    const auto end = bytes.find('\n');
    append(bytes.substr(0, end), lines);
    if (end == std::string_view::npos) break;
    if (!std::exchange(too_long_, false)) lines.push_back(finished());
    bytes.remove_prefix(end + 1);
  }
  return lines;
}

std::vector<CommandLine> CommandLines::end() {
  const bool told = std::exchange(too_long_, false);
  if (told || begun_.empty()) return {};
  begun_.clear();
  return {
      {++count_, {}, "the input ended in the middle of a line, which was not done: end each line"}};
}

}  // namespace haloscope::app::viewer
