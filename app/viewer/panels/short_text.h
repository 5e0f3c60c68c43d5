#pragma once

#include <string>

namespace haloscope::app::viewer {

// The text as far as it fits into so many pixels, with "…" where its end is left out.
std::string shortened(const std::string& text, float width);

// One line, dimmed, no wider than the place that is left; under the mouse the whole is told.
void show_short_text(const std::string& text);

}  // namespace haloscope::app::viewer
