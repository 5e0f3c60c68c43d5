#pragma once

#include "app/session/session_actions.h"
#include "app/viewer/panels/panel_input.h"

// One function per panel, each in its own file; each draws itself as a part of the window that is
// being built (Dear ImGui's, between begin_frame and end_frame of UiFrame).
namespace haloscope::app::viewer {

void show_file_panel(const PanelInput& input);
void show_particles_panel(const PanelInput& input);
void show_camera_panel(const PanelInput& input);
void show_find_panel(const PanelInput& input);
void show_piece_table(const PanelInput& input);
void show_selection_panel(const PanelInput& input);
void show_set_list(const PanelInput& input);  // a part of it
void show_path_panel(const PanelInput& input);
void show_export_panel(const PanelInput& input);
void show_log_panel(const PanelInput& input);

// What a sheet above all else may cover of a window of that width: the picture's columns.
float free_width(const PanelInput& input, float width, float height);

// The sheet of keys, the settings and the line for commands, above all else, where they are open.
void show_key_sheet(const PanelInput& input, float width, float height);
void show_settings(const PanelInput& input, float width, float height);
void show_command_line(const PanelInput& input, const session::SceneFacts& facts, float width,
                       float height);

// The fault that has just come, or what a key has done, over the lower edge of the
// picture: its width, and where it ends.
void show_notice(const PanelInput& input, float width, float bottom);

// What is seen where no snapshot is open; the middle of the picture.
void show_start_page(const PanelInput& input, float x, float y);

}  // namespace haloscope::app::viewer
