#pragma once

#include "tests/made/snapshot_files.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

// A small zoom simulation: a sphere of gas (type 0) and dark matter (type 1) of high resolution
// with a dense clump in its middle, in a shell of heavier particles (type 2) in a box of still
// heavier ones (type 3).
namespace zoom_files {

struct Zoom {
  double box = 100, radius = 6;
  std::array<double, 3> center{50, 50, 50};
  bool cosmological = true;
  bool mass_blocks = false;  // else the header has the masses
  std::map<int, double> mass{{0, 0.2}, {1, 1}, {2, 8}, {3, 64}};
  std::size_t count = 2000;  // of each type
};

class Numbers {
 public:
  explicit Numbers(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15ULL + 1) {}
  double next() {
    state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;
    return double(state_ >> 40) / double(1 << 24);
  }
  // In the shell between two radii around the origin.
  std::array<double, 3> in_shell(double inner, double outer) {
    while (true) {
      std::array<double, 3> p{};
      double square = 0;
      for (double& x : p) {
        x = outer * (2 * next() - 1);
        square += x * x;
      }
      if (square <= outer * outer && square >= inner * inner) return p;
    }
  }

 private:
  std::uint64_t state_;
};

inline std::vector<float> positions(const Zoom& zoom, int type) {
  Numbers numbers(std::uint64_t(type) + 1);
  std::vector<float> all;
  for (std::size_t i = 0; i < zoom.count; ++i) {
    std::array<double, 3> p{};
    if (type <= 1)
      p = numbers.in_shell(0, i % 4 == 0 ? zoom.radius / 12 : zoom.radius);
    else if (type == 2)
      p = numbers.in_shell(zoom.radius, 3 * zoom.radius);
    else
      do {
        for (double& x : p) x = zoom.box * (numbers.next() - 0.5);
      } while (std::hypot(p[0], p[1], p[2]) < 3 * zoom.radius);
    for (std::size_t c = 0; c < 3; ++c) {
      const double x = p[c] + zoom.center[c];
      all.push_back(float(x - zoom.box * std::floor(x / zoom.box)));
    }
  }
  return all;
}

inline void write_header(snapshot_files::FileWriter& file, const Zoom& zoom) {
  std::vector<std::uint32_t> counts(6, 0);
  std::vector<double> masses(6, 0);
  for (const auto& [type, mass] : zoom.mass) {
    counts[std::size_t(type)] = std::uint32_t(zoom.count);
    if (!zoom.mass_blocks) masses[std::size_t(type)] = mass;
  }
  file.group("Header");
  file.attribute("Header", "NumPart_ThisFile", counts).attribute("Header", "NumPart_Total", counts);
  file.attribute("Header", "MassTable", masses);
  file.attribute<std::int32_t>("Header", "NumFilesPerSnapshot", {1}, false);
  file.number("Header", "BoxSize", zoom.box).number("Header", "Time", 0.5);
  file.number("Header", "Redshift", zoom.cosmological ? 1 : 0).number("Header", "HubbleParam", 0.7);
  file.number("Header", "Omega0", zoom.cosmological ? 0.3 : 0);
  file.number("Header", "OmegaLambda", zoom.cosmological ? 0.7 : 0);
}

// More can be put into the file afterwards.
inline void write(snapshot_files::FileWriter& file, const Zoom& zoom) {
  write_header(file, zoom);
  for (const auto& [type, mass] : zoom.mass) {
    const std::string group = "PartType" + std::to_string(type);
    file.group(group);
    file.dataset(group + "/Coordinates", {zoom.count, 3}, positions(zoom, type));
    std::vector<std::uint32_t> ids(zoom.count);
    for (std::size_t i = 0; i < zoom.count; ++i)
      ids[i] = std::uint32_t(std::size_t(type) * zoom.count + i + 1);
    file.dataset(group + "/ParticleIDs", {zoom.count}, ids);
    if (zoom.mass_blocks)
      file.dataset(group + "/Masses", {zoom.count}, std::vector<float>(zoom.count, float(mass)));
  }
}

inline std::string write(const std::string& path, const Zoom& zoom = {}) {
  snapshot_files::FileWriter file(path);
  write(file, zoom);
  return path;
}

}  // namespace zoom_files
