// The middle of a set, which a camera follows.

#include "render/scene/set_center.h"

#include "tests/catch.h"
#include "tests/made/snapshot_files.h"
#include "tests/output_folder.h"

#include <cmath>
#include <string>
#include <vector>

using namespace haloscope;

namespace {

constexpr std::uint32_t kClump = 400, kOthers = 800;

// A clump across the edge of the box, those of row 0 on, among others; one of them has no position.
std::string write_clump(const test::OutputFolder& folder) {
  std::vector<float> positions = snapshot_files::some_positions(kClump, 0.4, 7);
  const float corner[3] = {9.8f, 4.8f, -0.1f};
  for (std::size_t i = 0; i < positions.size(); ++i) {
    float& x = positions[i];
    x = std::fmod(x + corner[i % 3] + 10.f, 10.f);
  }
  positions[3 * 17] = std::nanf("");
  const std::vector<float> others = snapshot_files::some_positions(kOthers, 10, 8);
  positions.insert(positions.end(), others.begin(), others.end());
  const std::string path = folder.path("a.hdf5");
  snapshot_files::FileWriter file(path);
  snapshot_files::write_header(file, {0, kClump + kOthers, 0, 0, 0, 0}, 10);
  file.group("PartType1").dataset("PartType1/Coordinates", {kClump + kOthers, 3}, positions);
  file.dataset("PartType1/Masses", {kClump + kOthers}, std::vector<float>(kClump + kOthers, 1));
  return path;
}

}  // namespace

TEST_CASE("the middle of a set is that of its densest clump, around the edge", "[render][sets]") {
  const test::OutputFolder folder;
  analysis::SetMembers members;
  members.snapshot = write_clump(folder);
  members.sets.resize(3);
  // Bit 0: the clump and some others; bit 1: the others; bit 2: nobody.
  auto& rows = members.of[1];
  for (std::size_t row = 0; row < kClump + kOthers; ++row)
    rows.push_back(row < kClump ? 1 : row < kClump + 100 ? 3 : 2);
  Progress progress;
  const auto middle = render::center_of_set(members, 0, {}, progress);
  REQUIRE(middle);
  // Half the clump's side at most from its middle, 10 5 0.1, by the shortest way.
  const double expected[3] = {10, 5, 0.1};
  for (std::size_t c = 0; c < 3; ++c) {
    const double d = (*middle)[c] - expected[c];
    CHECK(std::abs(d - 10 * std::round(d / 10)) < 0.1);
  }
  CHECK_FALSE(render::center_of_set(members, 2, {}, progress));
}
