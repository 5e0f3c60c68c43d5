#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace haloscope::app::viewer {

// A line that a program has sent. What has a fault is not to be done.
struct CommandLine {
  std::uint64_t number = 0;  // from 1 on; every line has one, empty lines too
  std::string text;          // without its end
  std::string fault;         // one sentence; empty: none
};

// Cuts what comes, in pieces of any size, into lines. Of a line that is too long nothing is kept
// but its fault, so that the memory has a bound whatever is sent.
class CommandLines {
 public:
  static constexpr std::size_t kLongest = 64 * 1024;  // bytes, without the line's end

  // The lines that these bytes complete.
  std::vector<CommandLine> add(std::string_view bytes);
  // Nothing more comes. A line without its end may lack half of a file's name: it is a fault.
  std::vector<CommandLine> end();

 private:
  void append(std::string_view part, std::vector<CommandLine>& lines);
  CommandLine finished();

  std::uint64_t count_ = 0;  // of lines that were handed over
  std::string begun_;
  bool too_long_ = false;  // the line that has begun, whose fault is told already
};

}  // namespace haloscope::app::viewer
