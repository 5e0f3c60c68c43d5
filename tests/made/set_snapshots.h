#pragma once

#include "tests/made/snapshot_files.h"

#include <cstdint>
#include <set>
#include <string>
#include <vector>

// Snapshots of a series for tests of sets.
namespace haloscope::test {

// Gas, dark matter and a few stars in a box of 10; the gas has its IDs as "Density". In the `later`
// snapshot the rows are in reverse order, everybody has moved, and the first 60 of the gas are
// stars too.
struct SetSnapshot {
  static constexpr std::uint32_t kGas = 900, kDark = 700, kBorn = 60, kOld = 20;
  static constexpr double kBox = 10;

  std::vector<float> gas, dark, stars;  // positions
  std::vector<std::uint64_t> gas_ids, dark_ids, star_ids;
  std::set<std::string> without_ids = {};  // groups

  explicit SetSnapshot(bool later) {
    using snapshot_files::some_positions;
    const std::uint32_t born = later ? kBorn : 0;
    gas = some_positions(kGas - born, kBox, later ? 3 : 1);
    dark = some_positions(kDark, kBox, later ? 4 : 2);
    stars = some_positions(kOld + born, kBox, later ? 6 : 5);
    for (std::uint64_t i = 0; i < kGas - born; ++i) gas_ids.push_back(later ? kGas - i : 1 + i);
    for (std::uint64_t i = 0; i < kDark; ++i)
      dark_ids.push_back(10001 + (later ? kDark - 1 - i : i));
    for (std::uint64_t i = 0; i < kOld; ++i) star_ids.push_back(20001 + i);
    for (std::uint64_t i = 0; i < born; ++i) star_ids.push_back(1 + i);
  }

  void write(const std::string& path) const {
    snapshot_files::FileWriter file(path);
    const std::vector<std::uint32_t> counts{std::uint32_t(gas_ids.size()),  kDark, 0, 0,
                                            std::uint32_t(star_ids.size()), 0};
    file.group("Header").attribute("Header", "NumPart_ThisFile", counts);
    file.attribute("Header", "NumPart_Total", counts);
    file.attribute("Header", "MassTable", std::vector<double>(6, 0.0));
    file.attribute<std::int32_t>("Header", "NumFilesPerSnapshot", {1}, false);
    file.number("Header", "BoxSize", kBox).number("Header", "Time", gas_ids.size() == kGas ? 1 : 2);
    write_type(file, "PartType0", gas, gas_ids, "Density");
    write_type(file, "PartType1", dark, dark_ids, "Potential");
    write_type(file, "PartType4", stars, star_ids, "Metallicity");
  }

 private:
  void write_type(snapshot_files::FileWriter& file, const std::string& group,
                  const std::vector<float>& positions, const std::vector<std::uint64_t>& ids,
                  const std::string& field) const {
    const std::size_t count = ids.size();
    file.group(group).dataset(group + "/Coordinates", {count, 3}, positions);
    if (!without_ids.count(group)) file.dataset(group + "/ParticleIDs", {count}, ids);
    file.dataset(group + "/Masses", {count}, std::vector<float>(count, 0.5f));
    file.dataset(group + "/" + field, {count}, std::vector<float>(ids.begin(), ids.end()));
  }
};

}  // namespace haloscope::test
