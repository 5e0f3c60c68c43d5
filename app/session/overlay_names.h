#pragma once

#include "app/session/state.h"

#include <string>
#include <vector>

// The words by which commands and the command line call what is drawn over a picture.
namespace haloscope::app::session {

// All but those that older recordings have.
const std::vector<std::string>& overlay_names();
bool is_shown(const Overlays& overlays, const std::string& name);
// `name` is one of the names, or an older one. One scale bar takes the other's place.
void show_overlay(Overlays& overlays, const std::string& name, bool on);

}  // namespace haloscope::app::session
