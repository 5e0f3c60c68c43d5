#pragma once

#include "app/session/session_actions.h"
#include "app/viewer/tasks/scene_model.h"

namespace haloscope::app::viewer {

// What commands may ask of a snapshot that is open.
session::SceneFacts facts_of(const SceneModel& model);

}  // namespace haloscope::app::viewer
