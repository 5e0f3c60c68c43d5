#pragma once

#include "app/viewer/panels/panel_input.h"

#include <string>

namespace haloscope::app::viewer {

// A path to be typed, Tab completes it, and what is in its folder; a click opens.
void show_folder(const PanelInput& input);

// The path with what all names have in common that go on with its leaf; a folder that alone does
// has / at its end. `text` as it is where no name does, or the folder has not been read.
std::string completed(const std::string& text, const FolderModel& model);

}  // namespace haloscope::app::viewer
