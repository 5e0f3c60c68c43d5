// The whole snapshot as one structure, beside sums made here.

#include "analysis/finder.h"
#include "analysis/snapshot/open_snapshot.h"
#include "analysis/whole/half_mass_radius.h"
#include "tests/catch.h"
#include "tests/command_line.h"
#include "tests/made/snapshot_files.h"
#include "tests/output_folder.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

using namespace haloscope;
using namespace snapshot_files;
using analysis::Finding;

namespace {

// A ball of stars and a smaller one of gas about (3, -2, 1), in no box.
struct Galaxy {
  static constexpr std::uint32_t kGas = 400, kStars = 3000;
  std::vector<float> gas, stars;

  explicit Galaxy() : gas(ball(kGas, 1.f)), stars(ball(kStars, 4.f)) {}

  // Points on a spiral, whose density falls outwards.
  static std::vector<float> ball(std::uint32_t count, float radius) {
    std::vector<float> at;
    for (std::uint32_t i = 0; i < count; ++i) {
      const float part = (float(i) + 0.5f) / float(count), z = 1 - 2 * std::fmod(part * 377, 1.f);
      const float r = radius * part * part, phi = 2.39996f * float(i), w = std::sqrt(1 - z * z);
      at.insert(at.end(), {3 + r * w * std::cos(phi), -2 + r * w * std::sin(phi), 1 + r * z});
    }
    return at;
  }

  std::string write(const TemporaryFolder& folder, bool masses = true) const {
    FileWriter file(folder / "galaxy.hdf5");
    write_header(file, {kGas, 0, 0, 0, kStars, 0}, 0);
    write(file, "PartType0", gas, 1, masses);
    write(file, "PartType4", stars, 10001, masses);
    return folder / "galaxy.hdf5";
  }

 private:
  static void write(FileWriter& file, const std::string& group, const std::vector<float>& at,
                    std::uint64_t first_id, bool masses) {
    const std::size_t count = at.size() / 3;
    std::vector<std::uint64_t> ids(count);
    for (std::size_t i = 0; i < count; ++i) ids[i] = first_id + i;
    file.group(group).dataset(group + "/Coordinates", {count, 3}, at);
    file.dataset(group + "/ParticleIDs", {count}, ids);
    if (masses)
      file.dataset(group + "/Masses", {count},
                   std::vector<float>(count, group == "PartType0" ? 2.f : 0.5f));
  }
};

std::shared_ptr<const Finding> find_whole(const std::string& snapshot, bool only_labels = false) {
  Progress progress;
  analysis::FindRequest request;
  request.device = compute::Device::cpu();
  request.only_labels = only_labels;
  return analysis::find_in(*analysis::open_snapshot(snapshot, {}), "whole",
                           analysis::require_finder("whole").options(), request, progress);
}

double half_mass_by_sorting(const Galaxy& galaxy, const Vec& center) {
  std::vector<std::pair<double, double>> all;
  const auto add = [&](const std::vector<float>& at, double mass) {
    for (std::size_t i = 0; i < at.size(); i += 3)
      all.emplace_back(std::hypot(at[i] - center[0], at[i + 1] - center[1], at[i + 2] - center[2]),
                       mass);
  };
  add(galaxy.gas, 2);
  add(galaxy.stars, 0.5);
  std::sort(all.begin(), all.end());
  double within = 0;
  for (const auto& [distance, mass] : all)
    if ((within += mass) >= (2. * Galaxy::kGas + 0.5 * Galaxy::kStars) / 2) return distance;
  return 0;
}

}  // namespace

TEST_CASE("the whole snapshot is one structure with a place, a mass and counts", "[whole]") {
  const TemporaryFolder folder;
  const Galaxy galaxy;
  const auto found = find_whole(galaxy.write(folder));
  REQUIRE(found->pieces == 1);
  const Vec center = found->places.at(0).center;
  CHECK(std::hypot(center[0] - 3, center[1] + 2, center[2] - 1) < 0.05);
  CHECK(found->columns.at(0).values.at(0) == Galaxy::kGas + Galaxy::kStars);
  CHECK(found->columns.at(1).values.at(0) == Approx(2. * Galaxy::kGas + 0.5 * Galaxy::kStars));
  CHECK(found->columns.at(2).values.at(0) ==
        Approx(half_mass_by_sorting(galaxy, center)).epsilon(1e-6));
  CHECK(found->columns.at(3).values.at(0) == Galaxy::kGas);
  CHECK(found->columns.at(4).values.at(0) == Galaxy::kStars);
  const HaloTable& table = found->catalog.tables.at(0);
  CHECK(table.find("MembersType")->value(0, 4) == Galaxy::kStars);
  CHECK(table.find("MassType")->value(0, 0) == Approx(2. * Galaxy::kGas));
  for (std::size_t axis = 0; axis < 3; ++axis) {
    double sum = 0;
    for (std::size_t i = axis; i < galaxy.gas.size(); i += 3) sum += 2 * double(galaxy.gas[i]);
    for (std::size_t i = axis; i < galaxy.stars.size(); i += 3)
      sum += 0.5 * double(galaxy.stars[i]);
    CHECK(table.find("CenterOfMass")->value(0, int(axis)) ==
          Approx(sum / (2. * Galaxy::kGas + 0.5 * Galaxy::kStars)).margin(1e-5));
  }
  for (const auto& [type, labels] : found->labels->of)
    CHECK(std::count(labels.begin(), labels.end(), 0u) == std::ptrdiff_t(labels.size()));
  CHECK(find_whole(folder / "galaxy.hdf5", true)->labels->of == found->labels->of);
}

TEST_CASE("without masses the whole has none, and says so", "[whole]") {
  const TemporaryFolder folder;
  const auto found = find_whole(Galaxy().write(folder, false));
  CHECK(std::isnan(found->columns.at(1).values.at(0)));
  CHECK(found->columns.at(2).values.at(0) > 0);
  CHECK(std::any_of(found->notes.begin(), found->notes.end(), [](const std::string& note) {
    return note.find("no masses") != std::string::npos;
  }));
}

TEST_CASE("half of the mass is counted over the edges of a periodic box", "[whole]") {
  ParticleSet particles;
  particles.domain = {{0, 0, 0}, 10, true};
  ParticleColumns columns;
  columns.count = 4;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    columns.position[axis] = Array<std::uint32_t>(4);
    for (std::size_t i = 0; i < 4; ++i)
      columns.position[axis][i] = particles.domain.to_fixed(axis == 0 ? 9.5 + double(i) : 5., 0);
  }
  particles.types.push_back(std::move(columns));
  // At distances 0, 1, 2, 3 from the first.
  CHECK(analysis::half_mass_radius(particles, {9.5, 5, 5}) == Approx(1).margin(1e-6));
}

TEST_CASE("a session lists, flies to, selects and profiles the whole snapshot", "[whole][window]") {
  const test::OutputFolder folder;
  const TemporaryFolder made;
  const std::string snapshot = Galaxy().write(made);
  test::put_bytes(folder.path("run.txt"),
                  "find whole\nwait\nfly_to whole 0\nselect whole 0\nselect_members\n"
                  "profile whole 0\nwait\nsave_state " +
                      folder.path("s.toml") + "\nexport whole " + folder.path("w.csv") +
                      "\nexport_selection " + folder.path("all.hdf5") + "\n");
  const auto run = test::run_program(
      {"view", snapshot, "--headless", "--device", "cpu", "--run", folder.path("run.txt")});
  INFO(run.out + run.err);
  REQUIRE(run.code == 0);
  CHECK(run.says("1 whole snapshot"));
  CHECK(test::file_bytes(folder.path("s.toml")).find("[whole]") != std::string::npos);
  CHECK(test::file_bytes(folder.path("w.csv")).find("3400") != std::string::npos);
  CHECK(run.says("wrote 3000 of 3000"));
  const auto listed =
      test::run_program({"whole", snapshot, "--device", "cpu", "-o", folder.path("again.hdf5")});
  INFO(listed.out + listed.err);
  CHECK(listed.code == 0);
  CHECK(listed.says("The whole snapshot: 3400 particles, mass 2.3e+13 Msun"));
}
