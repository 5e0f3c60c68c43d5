#include "app/viewer/seen_moment.h"

#include "tests/catch.h"

// What a frame shows while a path is previewed or the camera glides.

namespace haloscope::app::viewer {

namespace {

using session::Camera;

Camera at(double distance) {
  return {true, {50, 50, 50}, distance, {}, 40, distance};
}

session::State with_path() {
  session::State state;
  state.camera = at(100);
  state.tone.exposure_ev = 1;
  state.path.push_back({0, at(200), 2, {}, 0});
  state.path.push_back({4, at(300), 3, {}, 0});
  return state;
}

}  // namespace

TEST_CASE("a preview shows the path in its own time, and then the state again", "[window]") {
  const session::State state = with_path();
  SeenMoment seen;
  CHECK(seen.begin_frame(state, nullptr, true, 9) == at(100));
  CHECK_FALSE(seen.path_seconds());
  CHECK(&seen.seen_state(state, nullptr) == &state);
  CHECK(seen.exposure_ev(state) == 1);
  seen.preview(state, {}, 10);
  CHECK(seen.previewing());
  CHECK(seen.begin_frame(state, nullptr, true, 10).distance == 200);
  CHECK(seen.path_seconds() == 0);
  CHECK(seen.exposure_ev(state) == 2);
  CHECK(seen.begin_frame(state, nullptr, true, 14).distance == 300);
  CHECK(seen.path_seconds() == 4);
  CHECK(&seen.seen_state(state, nullptr) != &state);
  CHECK(seen.begin_frame(state, nullptr, true, 14.1) == at(100));
  CHECK_FALSE(seen.previewing());
  CHECK_FALSE(seen.path_seconds());
}

TEST_CASE("the camera of a preview goes along with the set that is followed", "[window][path]") {
  const session::State state = with_path();
  SeenMoment seen;
  seen.preview(state, {}, 0);
  const Vec middle{10, 20, 30};
  const Camera followed = seen.begin_frame(state, nullptr, true, 0, middle);
  CHECK(followed.center == middle);
  CHECK(followed.distance == 200);
  CHECK(seen.begin_frame(state, nullptr, true, 0).center == Vec{50, 50, 50});
}

TEST_CASE("a preview that was ended shows the state in the next frame", "[window]") {
  const session::State state = with_path();
  SeenMoment seen;
  seen.preview(state, {}, 0);
  seen.begin_frame(state, nullptr, true, 1);
  seen.end_preview();
  CHECK_FALSE(seen.previewing());
  CHECK(seen.begin_frame(state, nullptr, true, 1) == at(100));
  CHECK(seen.exposure_ev(state) == 1);
}

TEST_CASE("a glide is seen where somebody watches", "[window]") {
  const session::State state = with_path();
  SeenMoment seen;
  seen.glide_from(at(400), 5);
  CHECK(seen.gliding(5.1));
  CHECK(seen.begin_frame(state, nullptr, false, 5.1) == at(100));
  const double distance = seen.begin_frame(state, nullptr, true, 5.1).distance;
  CHECK(distance > 100);
  CHECK(distance < 400);
  CHECK_FALSE(seen.gliding(6));
  CHECK(seen.begin_frame(state, nullptr, true, 6) == at(100));
}

}  // namespace haloscope::app::viewer
