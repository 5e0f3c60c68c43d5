#pragma once

#include "tests/made/snapshot_files.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

// A snapshot whose halos are known, and the command that finds them.
namespace haloscope::test {

inline constexpr double kBox = 100;

// Sorted: background and gas apart, the particles of each ball stand together in the file, as
// GADGET-4 writes them; otherwise the last dark particle of the first ball stands at the end.
enum class Order { Sorted, Scattered };

// Dark-matter balls of 100, 80, 60 and 40 particles of radius about 0.5, the first across a corner
// of the box, one gas particle for each ten, and a thin background. IDs: type · 10⁶ + row.
inline void write_universe(const std::string& path, double box = kBox,
                           Order order = Order::Sorted) {
  std::mt19937 random(11);
  std::normal_distribution<double> normal(0, 0.2);
  std::uniform_real_distribution<double> uniform(0, kBox);
  const double centers[4][3] = {{0, 0, 0}, {20, 30, 40}, {60, 60, 60}, {80, 20, 50}};
  std::vector<double> dark, gas;
  const auto add = [&](std::vector<double>& to, const double* center) {
    for (int axis = 0; axis < 3; ++axis) {
      const double x = center[axis] + normal(random);
      to.push_back(x < 0 ? x + kBox : x);
    }
  };
  for (std::size_t h = 0; h < 4; ++h)
    for (std::size_t i = 0; i < 100 - 20 * h; ++i) {
      add(dark, centers[h]);
      if (i % 10 == 0) add(gas, centers[h]);
    }
  for (int i = 0; i < 3 * 200; ++i) dark.push_back(uniform(random));
  if (order == Order::Scattered) std::rotate(dark.begin(), dark.begin() + 3, dark.end());
  snapshot_files::FileWriter file(path);
  const std::uint32_t n_dark = std::uint32_t(dark.size() / 3),
                      n_gas = std::uint32_t(gas.size() / 3);
  snapshot_files::write_header(file, {n_gas, n_dark, 0, 0, 0, 0}, box);
  const auto write = [&](int type, const std::vector<double>& positions) {
    const std::string group = "PartType" + std::to_string(type);
    const std::size_t n = positions.size() / 3;
    std::vector<std::uint64_t> ids;
    for (std::size_t i = 0; i < n; ++i) ids.push_back(std::uint64_t(type) * 1000000 + i);
    file.group(group).dataset(group + "/Coordinates", {n, 3}, positions);
    file.dataset(group + "/ParticleIDs", {n}, ids);
    file.dataset(group + "/Velocities", {n, 3}, std::vector<float>(3 * n, 3.f));
    file.dataset(group + "/Masses", {n}, std::vector<float>(n, type == 1 ? 2.f : 1.f));
  };
  write(0, gas);
  write(1, dark);
}

inline std::vector<std::string> halos_command(const std::string& snapshot,
                                              const std::string& output,
                                              std::vector<std::string> more) {
  more.insert(more.begin(), {"halos", snapshot, "-o", output});
  return more;
}

}  // namespace haloscope::test
