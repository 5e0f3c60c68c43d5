#pragma once

#include "analysis/finding.h"
#include "analysis/selection/selection_count.h"
#include "app/session/state.h"
#include "app/viewer/tasks/scene_model.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <optional>
#include <string>

// What a program is told of a session. Lengths are the snapshot's code units, as in commands.
namespace haloscope::app::viewer {

// Of a pixel of a map.
struct MapValue {
  std::string quantity, unit;  // "surface density"
  double value = 0;
};

nlohmann::json told_snapshot(const SceneModel& model, const session::State& state);
// `width`, `height`: of the picture, pixels.
nlohmann::json told_camera(const session::Camera& camera, int width, int height);
nlohmann::json told_structures(const analysis::Finding& found, const session::State& state);
// Throws Error where there is none of that number.
nlohmann::json told_piece(const analysis::Finding& found, std::uint64_t number);
nlohmann::json told_selection(const session::SelectionState& selection,
                              const analysis::SelectionCount& count);
// null as the value where there is none.
nlohmann::json told_value(const std::optional<MapValue>& value);
// The bytes of a PNG.
nlohmann::json told_picture(const std::string& png, int width, int height);

}  // namespace haloscope::app::viewer
