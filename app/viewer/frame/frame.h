#pragma once

#include "app/viewer/frame/frame_parts.h"
#include "app/viewer/panels/panel_input.h"

// What stands around the picture, each part in a file of its own; each is a window of Dear ImGui's
// that does not move (between begin and end of a UiFrame).
namespace haloscope::app::viewer {

// All of it in a window of that size, as the state's layout says.
void show_frame(const PanelInput& input, float width, float height);

void show_top_bar(const PanelInput& input, const Area& area);
// What the top bar's arrow unfolds.
void show_file_sheet(const PanelInput& input, const FrameParts& parts);
void show_words(const PanelInput& input, const Area& area);
void show_inspector(const PanelInput& input, const Area& area);
void show_shelf(const PanelInput& input, const FrameParts& parts);
void show_status_line(const PanelInput& input, const Area& area);

// Whether the status line has room for what the user should see now.
bool notice_fits(const PanelInput& input, const Area& status);

// Before a frame in which Tab goes down and no field has the keys: it goes to a field there.
void lead_tab(bool start_page);

}  // namespace haloscope::app::viewer
