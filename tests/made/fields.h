#pragma once

#include "compute/topology/grid.h"

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

// Scalar fields of every kind on small grids.
namespace haloscope::test {

struct Field {
  std::string name;
  compute::topology::GridShape shape;
  std::vector<float> value;

  compute::topology::ScalarGrid grid() const { return {shape, std::span<const float>(value)}; }
};

// Waves of random phases along random directions, each with a power of k⁻²; periodic in the box.
inline std::vector<float> gaussian_random_field(const compute::topology::GridShape& shape,
                                                std::mt19937_64& random) {
  struct Wave {
    std::array<double, 3> k;
    double phase, amplitude;
  };
  std::vector<Wave> waves;
  std::uniform_real_distribution<double> uniform(0, 1);
  for (int i = 0; i < 48; ++i) {
    Wave wave{};
    double k2 = 0;
    for (auto& k : wave.k) {
      k = double(int(random() % 9) - 4);
      k2 += k * k;
    }
    wave.phase = 2 * M_PI * uniform(random);
    wave.amplitude = 1 / (k2 + 1);
    waves.push_back(wave);
  }
  std::vector<float> value;
  value.reserve(shape.count());
  for (std::uint32_t x = 0; x < shape.cells[0]; ++x)
    for (std::uint32_t y = 0; y < shape.cells[1]; ++y)
      for (std::uint32_t z = 0; z < shape.cells[2]; ++z) {
        double sum = 0;
        for (const Wave& wave : waves)
          sum += wave.amplitude *
                 std::cos(2 * M_PI *
                              (wave.k[0] * x / shape.cells[0] + wave.k[1] * y / shape.cells[1] +
                               wave.k[2] * z / shape.cells[2]) +
                          wave.phase);
        value.push_back(float(sum));
      }
  return value;
}

inline std::vector<float> white_noise(std::size_t count, std::mt19937_64& random) {
  std::normal_distribution<float> normal;
  std::vector<float> value;
  for (std::size_t i = 0; i < count; ++i) value.push_back(normal(random));
  return value;
}

// All kinds on one shape; what lies on plateaus, on edges and in corners is among them.
inline std::vector<Field> fields_on(const compute::topology::GridShape& shape,
                                    std::mt19937_64& random) {
  const std::size_t count = shape.count();
  std::vector<Field> all;
  const auto add = [&](const char* name, std::vector<float> value) {
    all.push_back({name, shape, std::move(value)});
  };
  add("Gaussian random field", gaussian_random_field(shape, random));
  add("white noise", white_noise(count, random));
  std::vector<float> levels = gaussian_random_field(shape, random);
  for (float& v : levels) v = std::floor(v * 4);
  add("plateaus of a smooth field", levels);
  for (float& v : levels) v = float(random() % 8);
  add("eight levels", levels);
  std::vector<float> counts(count, 0.f);
  for (std::size_t i = 0; i < count / 6 + 1; ++i) counts[random() % count] += 0.25f;
  add("mostly empty cells", counts);
  for (float& v : counts) v = random() % 2 ? 0.f : -0.f;
  add("zeros of both signs", counts);
  add("constant", std::vector<float>(count, 2.5f));
  std::vector<float> ramp;
  for (std::size_t i = 0; i < count; ++i) ramp.push_back(float(i));
  add("ramp", ramp);
  std::vector<float> corner(count, 0.f), edge(count, 1.f);
  corner[count - 1] = 1;
  add("a peak in the last corner", corner);
  corner[count - 1] = 0;
  corner[0] = 1;
  add("a peak in the first corner", corner);
  edge[shape.cells[2] / 2] = 3;
  edge[count - 1 - shape.cells[2] / 2] = 2;
  add("peaks on two edges", edge);
  return all;
}

// A ridge that winds through all planes across x: one basin, and a way up that goes through each
// plane once for two rows. Periodic along x.
inline Field winding_ridge() {
  Field ridge{"ridge", {{9, 40, 1}, {true, false, false}}, {}};
  ridge.value.assign(ridge.shape.count(), 0.f);
  float height = 1;
  for (std::uint32_t y = 0; y < 40; y += 2)
    for (std::uint32_t x = 0; x < 8; ++x) {
      const std::uint32_t at = y / 2 % 2 ? 7 - x : x;
      ridge.value[at * 40 + y] = ++height;
      if (x == 7 && y + 1 < 40) ridge.value[at * 40 + y + 1] = ++height;
    }
  return ridge;
}

}  // namespace haloscope::test
