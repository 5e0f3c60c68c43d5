#pragma once

#include "app/viewer/panels/panel_input.h"

#include <cstddef>
#include <optional>

namespace haloscope::app::viewer {

// The piece that is chosen in the table or the picture; nothing: none is.
std::optional<std::size_t> chosen_piece(const PanelInput& input);

// Buttons that fly to the chosen piece, measure its profile, and follow its members through a
// series; where none is chosen they mean the first of the table, which is the largest halo. The
// first ones stand beside what was drawn last where there is room.
void show_piece_actions(const PanelInput& input);

// The members of the chosen piece through a series, seen, by one press. Nothing where none is
// chosen, where it is followed already, or where there is one snapshot.
void show_following(const PanelInput& input);

// The next button stands beside the last one where there is room.
void same_line_if_fits(const char* title);

}  // namespace haloscope::app::viewer
