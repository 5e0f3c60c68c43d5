#include "app/viewer/tasks/depth_job.h"

#include "core/vector_math.h"
#include "tests/catch.h"
#include "tests/made/snapshot_files.h"

#include <memory>
#include <string>
#include <vector>

// The depth of what is seen at a place of the picture.

namespace haloscope::app::viewer {

namespace {

constexpr double kBox = 400, kDepth = 100;

// A wide camera in the middle of a side, which looks along −z at the plane z = 200.
session::Camera wide_camera(bool perspective) {
  session::Camera camera;
  camera.perspective = perspective;
  camera.center = {200, 200, 200};
  camera.distance = kDepth;
  camera.fov_degrees = 100;
  camera.ortho_width = 240;
  return camera;
}

// A heap of dark matter about each point.
std::shared_ptr<OpenScene> heaps_at(const std::string& path, const std::vector<Vec>& points) {
  using namespace snapshot_files;
  constexpr std::size_t kEach = 200;
  const std::vector<float> scatter = some_positions(kEach, 1);
  std::vector<float> positions;
  for (const Vec& point : points)
    for (std::size_t k = 0; k < scatter.size(); ++k)
      positions.push_back(float(point[k % 3]) + scatter[k] - 0.5f);
  {
    const auto count = std::uint32_t(positions.size() / 3);
    FileWriter file(path);
    write_header(file, {0, count, 0, 0, 0, 0}, kBox);
    file.group("PartType1").dataset("PartType1/Coordinates", {count, 3}, positions);
    file.dataset("PartType1/Masses", {count}, std::vector<float>(count, 1.f));
  }
  render::RenderRequest request;
  request.snapshot = path;
  request.compute.device = "cpu";
  return open_scene(request, std::make_shared<Progress>());
}

std::optional<Vec> seen_at(OpenScene& scene, const session::Camera& camera,
                           session::PicturePoint at, const session::State& state) {
  Progress progress;
  return point_seen(scene, {camera, at, 800, looks_of(scene.model, state, {})}, progress);
}

}  // namespace

TEST_CASE("what a slab leaves at the edge of a wide picture is met, and nothing else",
          "[window][slab]") {
  const snapshot_files::TemporaryFolder folder;
  const session::PicturePoint at{0.4, 0.2};
  for (const bool perspective : {true, false}) {
    const session::Camera camera = wide_camera(perspective);
    // Depths across the line of sight: the first is drawn, the second is not.
    const std::vector<Vec> heaps{session::point_under(camera, at, kDepth - 8),
                                 session::point_under(camera, at, kDepth + 14)};
    const auto scene = heaps_at(folder / "heaps.hdf5", heaps);
    session::State state;
    state.slab.thickness = 20;
    const auto seen = seen_at(*scene, camera, at, state);
    REQUIRE(seen);
    CHECK(length(minus(*seen, heaps[0])) < 2);
    // A thin slab between the two leaves nothing.
    state.slab.thickness = 10;
    CHECK_FALSE(seen_at(*scene, camera, at, state));
  }
}

TEST_CASE("the point that is seen lies under its place, whatever the projection", "[window]") {
  const snapshot_files::TemporaryFolder folder;
  for (const bool perspective : {true, false})
    for (const session::PicturePoint at : {session::PicturePoint{-0.3, 0.25}, {0.45, -0.1}}) {
      const session::Camera camera = wide_camera(perspective);
      const Vec heap = session::point_under(camera, at, kDepth);
      const auto scene = heaps_at(folder / "heap.hdf5", {heap});
      const auto seen = seen_at(*scene, camera, at, {});
      REQUIRE(seen);
      CHECK(length(minus(*seen, heap)) < 2);
      // Of the empty place beside it nothing is told.
      CHECK_FALSE(seen_at(*scene, camera, {at.x, at.y + 0.15}, {}));
    }
}

}  // namespace haloscope::app::viewer
