#include "app/session/camera_motion.h"
#include "app/session/command_groups.h"
#include "app/session/find_command.h"
#include "core/text_values.h"

#include <algorithm>
#include <cmath>

namespace haloscope::app::session {

namespace {

// Beside the longest side of the scene: nearer, positions have no more digits; farther, it is a
// point.
constexpr double kNearest = 1e-9, kFarthest = 1e4;

// Beyond so many distances from the origin eye and center are one point in double precision, and no
// picture could be made until a reset: the center is held there. That is more than kFarthest by
// kNearest, so that no view of particles is touched.
constexpr double kReach = 1e14;

Camera within_reach(const Camera& camera) {
  Camera held = camera;
  for (double& c : held.center)
    c = std::clamp(c, -kReach * camera.distance, kReach * camera.distance);
  return held;
}

void settle(const Call& call, Camera& camera, const Camera& next, const State& state,
            const SessionActions& actions) {
  for (double c : next.center)
    require(call, std::isfinite(c), "the camera would go where no numbers are");
  const SceneFacts scene = actions.scene();
  camera = state.tiling && scene.periodic ? wrapped(next, scene.box_origin, scene.box_size)
                                          : within_reach(next);
}

using Motion = std::function<Camera(const Call&, const Camera&, const SessionActions&)>;

// A step that is seen at once.
auto step(Motion motion) {
  return [motion](const Call& call, State& state, SessionActions& actions) {
    Camera& camera = require_camera(call, state, actions);
    settle(call, camera, motion(call, camera, actions), state, actions);
  };
}

// A change that the eye is led to.
auto glide(Motion motion) {
  return [motion](const Call& call, State& state, SessionActions& actions) {
    Camera& camera = require_camera(call, state, actions);
    const Camera from = camera;
    settle(call, camera, motion(call, camera, actions), state, actions);
    actions.glide_from(from);
  };
}

Camera zoom_step(const Call& call, const Camera& camera, const SessionActions& actions) {
  double factor = number_at(call, 0);
  require(call, factor > 0, "the factor must be greater than 0");
  const double extent = longest_side(actions.scene());
  const double now = camera.perspective ? camera.distance : camera.ortho_width;
  const double next = std::clamp(now / factor, kNearest * extent, kFarthest * extent);
  return zoom(camera, now / next, {number_at(call, 1), number_at(call, 2)},
              length_at(call, 3, actions));
}

Camera glide_to(const Call& call, const Camera& camera, const SessionActions& actions) {
  Camera next = camera;
  const SceneFacts scene = actions.scene();
  const double extent = longest_side(scene);
  for (std::size_t c = 0; c < 3; ++c) {
    next.center[c] = length_at(call, c, actions);
    require(call, std::abs(next.center[c] - scene.bounds.low[c]) <= kFarthest * extent,
            "the point lies too far from the particles");
  }
  if (!given(call, 3)) return next;
  const double size = length_at(call, 3, actions);
  require(call, size >= kNearest * extent && size <= kFarthest * extent,
          "DISTANCE is too small or too large for the particles");
  (camera.perspective ? next.distance : next.ortho_width) = size;
  return next;
}

// To the piece that argument `k` names.
Camera fly_to(const analysis::PiecePlace& place, const Camera& camera) {
  Camera next = camera;
  next.center = place.center;
  // Six radii wide: the piece with its surroundings.
  if (!(place.radius > 0)) return next;
  const double wide = 6 * place.radius;
  if (camera.perspective)
    next.distance = wide / width_at(camera, 1);
  else
    next.ortho_width = wide;
  return next;
}

std::vector<Command> steps() {
  return {
      {"orbit",
       "Camera",
       "Turn the camera about the center, in degrees",
       {number("YAW"), number("PITCH")},
       {{"Left drag", "", "Turn the camera about the center", true},
        {"Shift+Left", "-3 0", "Turn the picture to the left, as a drag does", false},
        {"Shift+Right", "3 0", "Turn the picture to the right", false},
        {"Shift+Up", "0 -3", "Turn the picture upwards", false},
        {"Shift+Down", "0 3", "Turn the picture downwards", false}},
       true,
       step([](const Call& c, const Camera& camera, const SessionActions&) {
         return orbit(camera, number_at(c, 0), number_at(c, 1));
       })},
      {"pan",
       "Camera",
       "Move the picture, in widths of the picture, as things at DEPTH move",
       {number("DX"), number("DY"), length("DEPTH", "0")},
       {{"Right drag", "", "Move the picture", true},
        {"Shift+left drag", "", "Move the picture", true},
        {"Middle drag", "", "Move the picture", true},
        {"Alt+Left", "-0.02 0", "Move the picture to the left, as a drag does", false},
        {"Alt+Right", "0.02 0", "Move the picture to the right", false},
        {"Alt+Up", "0 0.02", "Move the picture upwards", false},
        {"Alt+Down", "0 -0.02", "Move the picture downwards", false}},
       true,
       step([](const Call& c, const Camera& camera, const SessionActions& actions) {
         return pan(camera, number_at(c, 0), number_at(c, 1), length_at(c, 2, actions));
       })},
      {"zoom",
       "Camera",
       "Enlarge FACTOR times about the point X Y (widths of the picture from its middle) at DEPTH",
       {number("FACTOR"), number("X", "0"), number("Y", "0"), length("DEPTH", "0")},
       {{"Wheel", "", "Enlarge about the center", true},
        {"Ctrl+wheel", "", "Enlarge about the cursor", true},
        {"+", "1.25", "Enlarge", false},
        {"-", "0.8", "Make smaller", false}},
       true,
       step(zoom_step)},
      {"roll",
       "Camera",
       "Turn the picture clockwise, in degrees",
       {number("DEGREES")},
       {{"Q", "-5", "Turn the picture counterclockwise", false},
        {"E", "5", "Turn the picture clockwise", false}},
       true,
       step([](const Call& c, const Camera& camera, const SessionActions&) {
         return roll(camera, number_at(c, 0));
       })},
      {"fly",
       "Camera",
       "Move the camera, in widths of the picture at the center",
       {number("FORWARD"), number("RIGHT", "0"), number("UP", "0")},
       {{"W A S D", "", "Fly forward, left, back, right", true}},
       true,
       step([](const Call& c, const Camera& camera, const SessionActions&) {
         return fly(camera, number_at(c, 0), number_at(c, 1), number_at(c, 2));
       })},
      {"look",
       "Camera",
       "Turn the camera about the eye: to the right and up, in degrees",
       {number("YAW"), number("PITCH")},
       {{"Alt+left drag", "", "Look around from where the camera is", true}},
       true,
       step([](const Call& c, const Camera& camera, const SessionActions&) {
         return look(camera, number_at(c, 0), number_at(c, 1));
       })},
  };
}

std::vector<Command> glides() {
  return {
      {"reset",
       "Camera",
       "The first view again",
       {},
       {{"Home", "", "", false}, {"H", "", "", false}},
       false,
       [](const Call& call, State& state, SessionActions& actions) {
         const SceneFacts scene = require_scene(call, actions);
         const auto from = state.camera;
         state.camera = first_camera(scene, state);
         if (from) actions.glide_from(*from);
       }},
      {"fit",
       "Camera",
       "See all from the same direction",
       {},
       {{"F", "", "", false}},
       false,
       [](const Call& call, State& state, SessionActions& actions) {
         const SceneFacts scene = require_scene(call, actions);
         Camera& camera = require_camera(call, state, actions);
         const Camera from = camera;
         camera = fit(camera, scene, state);
         actions.glide_from(from);
       }},
      {"glide_to",
       "Camera",
       "Bring a point to the middle, and the camera to a DISTANCE",
       {length("X"), length("Y"), length("Z"), length("DISTANCE", "")},
       {{"Double-click", "", "Bring what is under the cursor to the middle", true}},
       false,
       glide(glide_to)},
      {"fly_to",
       "Find",
       "Bring a piece of what was found to the middle; without a number the selected one",
       {finder_of_pieces(), number_of(Named::Piece, "N", "")},
       {},
       false,
       [](const Call& call, State& state, SessionActions& actions) {
         fly_to_piece(call, 1, text_at(call, 0), state, actions);
       }},
  };
}

std::vector<Command> lenses() {
  return {
      {"projection",
       "Camera",
       "Perspective or orthographic",
       {choice("PROJECTION", {"perspective", "orthographic", "toggle"}, "toggle")},
       {{"O", "", "", false}},
       false,
       step([](const Call& c, const Camera& camera, const SessionActions& actions) {
         const std::string& word = text_at(c, 0);
         const bool perspective = word == "toggle" ? !camera.perspective : word == "perspective";
         return with_projection(camera, perspective, longest_side(actions.scene()));
       })},
      {"fov",
       "Camera",
       "Horizontal field of view of a perspective, in degrees",
       {number("DEGREES")},
       {},
       false,
       step([](const Call& c, const Camera& camera, const SessionActions&) {
         const double degrees = number_at(c, 0);
         require(c, degrees >= 1 && degrees <= 170, "DEGREES must lie between 1 and 170");
         Camera next = camera;
         next.fov_degrees = degrees;
         return next;
       })},
      {"tiling",
       "Camera",
       "Fly through the edges of a periodic box",
       {on_off()},
       {},
       false,
       [](const Call& call, State& state, SessionActions& actions) {
         state.tiling = switched(call, 0, state.tiling);
         if (state.camera) settle(call, *state.camera, Camera(*state.camera), state, actions);
       }},
  };
}

std::vector<Command> bookmarks() {
  return {
      {"bookmark",
       "Camera",
       "Remember the camera under a name",
       {name_of(Named::Bookmark, "NAME")},
       {},
       false,
       [](const Call& call, State& state, SessionActions& actions) {
         const Camera& camera = require_camera(call, state, actions);
         const std::string& name = text_at(call, 0);
         require(call, !trimmed(name).empty(), "a bookmark needs a name of one letter or more");
         for (auto& bookmark : state.bookmarks)
           if (bookmark.name == name) {
             bookmark.camera = camera;
             return;
           }
         state.bookmarks.push_back({name, camera});
       }},
      {"go_to_bookmark",
       "Camera",
       "The camera that was remembered",
       {name_of(Named::Bookmark, "NAME")},
       {},
       false,
       [](const Call& call, State& state, SessionActions& actions) {
         const Camera from = require_camera(call, state, actions);
         for (const auto& bookmark : state.bookmarks)
           if (bookmark.name == text_at(call, 0)) {
             state.camera = bookmark.camera;
             return actions.glide_from(from);
           }
         require(call, false, "there is no bookmark '" + text_at(call, 0) + "'");
       }},
      {"forget_bookmark",
       "Camera",
       "Remove a bookmark",
       {name_of(Named::Bookmark, "NAME")},
       {},
       false,
       [](const Call& call, State& state, SessionActions&) {
         const auto removed = std::erase_if(
             state.bookmarks, [&](const Bookmark& b) { return b.name == text_at(call, 0); });
         require(call, removed > 0, "there is no bookmark '" + text_at(call, 0) + "'");
       }},
  };
}

}  // namespace

void fly_to_place(const Call& call, const analysis::PiecePlace& place, State& state,
                  SessionActions& actions) {
  Camera& camera = require_camera(call, state, actions);
  const Camera from = camera;
  settle(call, camera, fly_to(place, from), state, actions);
  actions.glide_from(from);
}

void fly_to_piece(const Call& call, std::size_t k, const std::string& finder, State& state,
                  SessionActions& actions) {
  require_camera(call, state, actions);
  const auto place = actions.piece(finder, piece_at(call, k, finder, state, actions));
  fly_to_place(call, *place, state, actions);
}

std::vector<Command> camera_commands() {
  std::vector<Command> all;
  for (auto part : {steps(), glides(), lenses(), bookmarks()})
    all.insert(all.end(), part.begin(), part.end());
  return all;
}

}  // namespace haloscope::app::session
