#pragma once

#include "app/viewer/panels/panel_input.h"

#include <string>

namespace haloscope::app::viewer {

// The particle type that keys for colors mean, as commands take it: the one whose row is under the
// mouse, else the one whose row was unfolded last and still is, else another that is unfolded, else
// the first that is drawn.
std::string chosen_type(const PanelMemory& memory, const SceneModel* scene,
                        const session::State& state);

}  // namespace haloscope::app::viewer
