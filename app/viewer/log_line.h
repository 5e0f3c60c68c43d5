#pragma once

#include <string>

namespace haloscope::app::viewer {

struct LogLine {
  bool warning = false;
  std::string text;
};

}  // namespace haloscope::app::viewer
