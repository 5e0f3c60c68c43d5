#pragma once

#include "app/session/camera.h"
#include "app/viewer/overlays/overlays.h"

#include <imgui.h>
#include <optional>

// From the snapshot's lengths to pixels of the window.
namespace haloscope::app::viewer {

// The copy of a point of a periodic box that is nearest to the camera's center, where it is drawn.
Vec nearest_copy(const PanelInput& input, const session::Camera& camera, Vec point);

// Nothing: behind the eye.
std::optional<ImVec2> place_in(const PictureArea& area, const session::Camera& camera,
                               const Vec& point);

// A ball as it is seen in the picture on screen, in a periodic box the copy of it that is nearest
// to the camera's center, where it is drawn; its number stays 0. Nothing: behind the eye or
// too close to it.
std::optional<PieceCircle> seen_ball(const PanelInput& input, const PictureArea& area,
                                     const Vec& center, double radius);

}  // namespace haloscope::app::viewer
