#include "render/film/path_file.h"

#include "core/error.h"
#include "render/camera.h"
#include "tests/catch.h"
#include "tests/output_folder.h"

#include <cmath>

// Camera paths as files.

using namespace haloscope;
using haloscope::test::message_of;
using haloscope::test::OutputFolder;
using haloscope::test::put_bytes;
using render::PathFile;

namespace {

constexpr const char* kPath = R"(# a flight
fps = 24
[[key]]
eye = [1, -2.5, 3e3]
target = [0, 0, 0]
fov = 50
range = [1e4, 1e7]

[[key]]
time = 2.5
target = [1, 0, 0]
exposure = -1
[[key]]
snapshot = 1
)";

// The defaults of a test: a camera around the unit cube, limits as they stand.
render::PathDefaults defaults() {
  render::PathDefaults d;
  d.view = [](const render::CameraChoice& choice) {
    return render::choose_view({}, choice, 100, 100);
  };
  d.exposure_ev = 0.5;
  d.range = {0, 1};
  d.transformed_limit = [](double limit) { return std::log10(limit); };
  return d;
}

std::string fault_of(const std::string& text) {
  return message_of([&] { render::parse_path(text, "p.toml"); });
}

}  // namespace

TEST_CASE("a path file's missing values are as in the key before", "[app][path]") {
  const PathFile file = render::parse_path(kPath, "p.toml");
  CHECK(file.fps == 24);
  const auto path = render::complete_path(file, defaults());
  const auto& keys = path.keys();
  REQUIRE(keys.size() == 3);
  CHECK(keys[0].time == 0);
  CHECK(keys[0].eye == std::array<double, 3>{1, -2.5, 3e3});
  CHECK(keys[0].exposure_ev == 0.5);
  CHECK(keys[0].range[0] == Approx(4));
  CHECK(keys[1].time == 2.5);
  CHECK(keys[1].eye == keys[0].eye);
  CHECK(keys[1].target == std::array<double, 3>{1, 0, 0});
  CHECK(keys[1].fov_degrees == 50);
  CHECK(keys[1].exposure_ev == -1);
  CHECK(keys[2].time == 3.5);
  CHECK(keys[2].range[1] == Approx(7));
  CHECK(keys[2].snapshot == 1);
}

TEST_CASE("a path written and read again is the same to the last bit", "[app][path]") {
  PathFile file = render::parse_path(kPath, "p.toml");
  file.keys[0].camera.eye = {1. / 3, 1e-300, -12345678.9012345678};
  file.keys[1].camera.up = {0, 0.1 + 0.2, 1};
  file.keys[2].camera.fov_degrees.reset();
  const PathFile again = render::parse_path(render::path_as_toml(file), "q.toml");
  CHECK(again.fps == file.fps);
  CHECK(again.keys == file.keys);
  CHECK(render::path_as_toml(again) == render::path_as_toml(file));
}

TEST_CASE("a fault in a path file names its line and what to do", "[app][path]") {
  const auto says = [](const std::string& message, const std::string& part) {
    INFO(message);
    CHECK(message.find(part) != std::string::npos);
  };
  says(fault_of("[[key]]\nfoof = 3\n"), "p.toml:2");
  says(fault_of("[[key]]\ntarge = [0, 0, 1]\n"), "did you mean target?");
  says(fault_of("[[keys]]\n"), "did you mean key?");
  says(fault_of("[[key]]\neye = [1, 2]\n"), "3 numbers");
  says(fault_of("[[key]]\neye = [1, 2, \"x\"]\n"), "p.toml:2");
  says(fault_of("[[key]]\n\nfov = nan\n"), "p.toml:3");
  says(fault_of("[[key]]\neye = [1, 2\n"), "p.toml:");
  says(fault_of("[[key]\n"), "p.toml:1");
  says(fault_of("[key]\nfov = 3\n"), "[[key]]");
  says(fault_of("[[key]]\nfov = 40\northo = 2\n"), "exclude");
  says(fault_of("[[key]]\nrange = [2, 1]\n"), "ascend");
  says(fault_of("fps = 0\n[[key]]\n"), "p.toml:1");
  says(fault_of(""), "no key");
  CHECK(fault_of("[[key]]\neye = [1, 2\n").find('\n') == std::string::npos);
  CHECK(fault_of(kPath).empty());
}

TEST_CASE("a Splotch scene is a path, and a path becomes a scene", "[app][path]") {
  const OutputFolder folder;
  const std::string scene = folder.path("flight.scene");
  put_bytes(scene,
            "camera_x camera_y camera_z lookat_x lookat_y lookat_z sky_x sky_y sky_z fov fidx\n"
            "0 -10 0 0 0 0 0 0 1 30 3.25\n"
            "1 -10 0 0 0 0 0 0 1 31 3.5\n"
            "2 -10 0 0 0.5 0 0 0 1 32 4\n");
  const PathFile file = render::read_path(scene, 25);
  REQUIRE(file.keys.size() == 3);
  CHECK(file.keys[2].time == 2. / 25);
  CHECK(file.keys[2].camera.target == std::array<double, 3>{0, 0.5, 0});
  CHECK(file.keys[1].camera.fov_degrees == 31);
  CHECK(file.keys[0].snapshot == 0.25);
  CHECK(file.keys[2].snapshot == 1);

  const auto path = render::complete_path(file, defaults());
  REQUIRE(path.frame_count(25) == 3);
  const std::string copy = folder.path("copy.scene");
  put_bytes(copy, render::path_as_splotch_scene(path, 25));
  CHECK(render::read_path(copy, 25).keys == file.keys);
}

TEST_CASE("a film refuses one eye of a stereo pair", "[app][path]") {
  const OutputFolder folder;
  const std::string scene = folder.path("eye.scene");
  const auto write = [&](const std::string& center) {
    put_bytes(scene,
              "camera_x camera_y camera_z lookat_x lookat_y lookat_z center_x center_y center_z\n"
              "0 -10 0 0 0 0 0 -10 0\n"
              "0 -10 0 0 0 0 " +
                  center + "\n");
  };
  write("0 -10 0");
  CHECK(render::read_path(scene).keys.size() == 2);
  write("1 -10 0");
  const auto fault = haloscope::test::message_of([&] { render::read_path(scene); });
  for (const char* part : {"frame 1", "stereo", "haloscope splotch"})
    CHECK(fault.find(part) != std::string::npos);
}

TEST_CASE("an orthographic scene keeps its width", "[app][path]") {
  const OutputFolder folder;
  const std::string scene = folder.path("flat.scene");
  put_bytes(scene,
            "camera_x camera_y camera_z lookat_x lookat_y lookat_z projection fov\n"
            "0 -10 0 0 0 0 F 90\n");
  const PathFile file = render::read_path(scene);
  // At 45° to either side the half width is the distance.
  REQUIRE(file.keys[0].camera.ortho_width);
  CHECK(*file.keys[0].camera.ortho_width == Approx(20));
  const auto path = render::complete_path(file, defaults());
  put_bytes(scene, render::path_as_splotch_scene(path, 30));
  CHECK(*render::read_path(scene).keys[0].camera.ortho_width == Approx(20).epsilon(1e-12));
}
