#pragma once

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

// What goes to a program that drives a session: JSON, one object a line.
namespace haloscope::app::viewer {

// Changes where a program that knows the former one would misread an answer.
inline constexpr int kProtocol = 1;

struct Answer {
  std::uint64_t command = 0;       // the line's number
  std::string fault;               // one sentence; empty: the command is done
  std::string values;              // a JSON object as text; empty: the command has none
  std::vector<std::string> files;  // that it wrote
  std::vector<std::string> said;   // sentences for the log
};

// The first line: who answers. `fault`: why nothing will be answered; empty: something will.
std::string greeting(const std::string& fault = {});
// With its line's end. Long faults are cut: they may repeat what was sent.
std::string as_line(const Answer& answer);

std::string as_base64(std::string_view bytes);

}  // namespace haloscope::app::viewer
