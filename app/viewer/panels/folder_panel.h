#pragma once

#include "app/viewer/panels/panel_input.h"

#include <string>
#include <vector>

namespace haloscope::app::viewer {

// A field for a path, which Tab completes, and the list of its folder, where a click opens a file.
void show_folder(const PanelInput& input);

// The path as far as it is certain: with all that the names have in common which begin with its
// leaf. A folder that is the only such name gets a / at its end. Returns `text` itself where there
// is no such name, or the folder has not been read.
std::string completed(const std::string& text, const FolderModel& model);

// The paths that begin with `text`, folders with / at their end, and the home folder in place of ~.
// Empty where its folder has not been read.
std::vector<std::string> paths_with(const std::string& text, const FolderModel& model);

}  // namespace haloscope::app::viewer
