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

constexpr std::uint32_t kClump = 400, kLoose = 100, kOthers = 800;

// A clump across the edge of the box, of row 0 on, then a looser one about 5 5 5, and others. One
// of the clump has no position.
std::string write_clump(const test::OutputFolder& folder) {
  std::vector<float> positions = snapshot_files::some_positions(kClump, 0.4, 7);
  const float corner[3] = {9.8f, 4.8f, -0.1f};
  for (std::size_t i = 0; i < positions.size(); ++i) {
    float& x = positions[i];
    x = std::fmod(x + corner[i % 3] + 10.f, 10.f);
  }
  positions[3 * 17] = std::nanf("");
  for (const float x : snapshot_files::some_positions(kLoose, 1, 9)) positions.push_back(4.5f + x);
  const std::vector<float> others = snapshot_files::some_positions(kOthers - kLoose, 10, 8);
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
  // Bit 0: all but the last ones; bit 1: the loose clump; bit 2: nobody.
  auto& rows = members.of[1];
  for (std::size_t row = 0; row < kClump + kOthers; ++row)
    rows.push_back(row < kClump ? 1 : row < kClump + kLoose ? 3 : row < kClump + 300 ? 1 : 0);
  Progress progress;
  const auto middle = render::center_of_set(members, 0, {}, progress);
  REQUIRE(middle);
  // Half the clump's side at most from its middle, 10 5 0.1, by the shortest way.
  const double expected[3] = {10, 5, 0.1};
  for (std::size_t c = 0; c < 3; ++c) {
    const double d = (*middle)[c] - expected[c];
    CHECK(std::abs(d - 10 * std::round(d / 10)) < 0.1);
  }
  const auto loose = render::center_of_set(members, 1, {}, progress);
  REQUIRE(loose);
  for (const double x : *loose) CHECK(std::abs(x - 5) < 0.5);
  CHECK_FALSE(render::center_of_set(members, 2, {}, progress));
}
