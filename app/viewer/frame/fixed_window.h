#pragma once

#include "app/viewer/frame/area.h"

namespace haloscope::app::viewer {

enum class Filled {
  Page,   // scrolls
  Line,   // as high as one
  Column  // as wide as one word
};

// A window of Dear ImGui's that fills a part of ours, however small.
class FixedWindow {
 public:
  FixedWindow(const char* name, const Area& area, float scale, Filled filled);
  ~FixedWindow();
  FixedWindow(const FixedWindow&) = delete;
  FixedWindow& operator=(const FixedWindow&) = delete;
};

// A button that looks pressed while what it opens is open.
bool tab_button(const char* label, bool open);

}  // namespace haloscope::app::viewer
