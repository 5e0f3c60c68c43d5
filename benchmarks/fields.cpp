#include "benchmarks/fields.h"

#include "compute/grids/smoothing.h"
#include "core/array.h"
#include "core/error.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <utility>

// Functions of the C library round differently from one machine to the next, so that noise is made
// of whole numbers, and powers of two by exp2_of() (the weights of the smoothing alone are the
// library's, in double, which rounding to float32 hides).
namespace haloscope::benchmarks {

namespace {

using namespace haloscope::compute;

using Cells = std::array<std::uint32_t, 3>;

std::size_t count_of(const Cells& cells) {
  return std::size_t(cells[0]) * cells[1] * cells[2];
}

template <class F>
void for_each(std::size_t count, const F& f) {
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, count, 1 << 14), [&](const auto& some) {
    for (std::size_t i = some.begin(); i != some.end(); ++i) f(i);
  });
}

// 2^x to 1e-8 of it.
double exp2_of(double x) {
  const double whole = std::floor(x + 0.5), y = (x - whole) * 0.693147180559945309;
  double term = 1, sum = 1;
  for (int k = 1; k <= 9; ++k) {
    term *= y / k;
    sum += term;
  }
  return std::ldexp(sum, int(whole));
}

// A number of a bell curve of mean 0 and variance 1, as the sum of four is: within 3.5.
float noise_at(std::uint64_t seed, std::uint64_t i) {
  // SplitMix64 (Steele, Lea, Flood 2014).
  std::uint64_t z = (seed << 40) + i * 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  z ^= z >> 31;
  const auto sum = std::int32_t((z & 65535) + (z >> 16 & 65535) + (z >> 32 & 65535) + (z >> 48));
  return float(sum - 2 * 65535) * (1.7320508f / 65536);
}

// Noise whose power falls as a power of the wave number.
struct Spectrum {
  std::uint64_t seed;
  int first, last;   // octaves that hold noise: of cells of 2^first to 2^last; both at least 0
  double slope;      // power ~ k^-slope between them
  double finest;     // of the first octave's amplitude: it is white beyond where others end
  double smoothing;  // σ of the Gaussian at the end, cells
};

Array<float> smoothed(Device device, const Cells& cells, double sigma, Array<float> values) {
  if (sigma == 0) return values;
  grids::GridFrame frame;
  std::array<double, 3> width{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    frame.cells[axis] = cells[axis];
    frame.edge[axis] = grids::Edge::Wrap;
    width[axis] = std::min(sigma, double(cells[axis]));
  }
  return grids::smooth_grid(device, frame, width, values);
}

// Each cell in place of two along every axis that has more than one.
Array<float> doubled(const Cells& from, const Array<float>& values, const Cells& to) {
  Array<float> fine(count_of(to));
  for_each(std::size_t(to[0]) * to[1], [&](std::size_t row) {
    const std::size_t x = row / to[1] / 2, y = row % to[1] / 2;
    const float* const coarse = values.data() + (x * from[1] + y) * from[2];
    float* const line = fine.data() + row * to[2];
    for (std::uint32_t z = 0; z < to[2]; ++z) line[z] = coarse[z / 2];
  });
  return fine;
}

// So that the mean is 0 and the variance 1. Sums of stretches are added one after another.
void normalize(Array<float>& values) {
  constexpr std::size_t kStretch = 1 << 16;
  const std::size_t stretches = (values.size() + kStretch - 1) / kStretch;
  std::vector<std::array<double, 2>> sums(stretches);
  tbb::parallel_for(std::size_t(0), stretches, [&](std::size_t k) {
    const std::size_t end = std::min(values.size(), (k + 1) * kStretch);
    for (std::size_t i = k * kStretch; i < end; ++i) {
      sums[k][0] += values[i];
      sums[k][1] += double(values[i]) * values[i];
    }
  });
  std::array<double, 2> all{};
  for (const auto& sum : sums) {
    all[0] += sum[0];
    all[1] += sum[1];
  }
  const double count = double(values.size()), mean = all[0] / count;
  const double variance = all[1] / count - mean * mean;
  const double scale = variance > 0 ? 1 / std::sqrt(variance) : 0;
  for_each(values.size(), [&](std::size_t i) { values[i] = float((values[i] - mean) * scale); });
}

// From the coarsest octave to the finest: what is there is doubled and smoothed, and noise added.
// A Gaussian as wide as half the grid would take as many additions a cell as the grid has along an
// axis; this takes 30.
Array<float> make_noise(Device device, const Cells& cells, const Spectrum& spectrum) {
  std::vector<Cells> octaves{cells};
  const auto is_long = [](std::uint32_t n) { return n == 1 || n >= 8; };
  while (std::all_of(octaves.back().begin(), octaves.back().end(), is_long) &&
         int(octaves.size()) <= spectrum.last && count_of(octaves.back()) > 1) {
    Cells half = octaves.back();
    for (std::uint32_t& n : half) n = (n + 1) / 2;
    octaves.push_back(half);
  }
  const int last = int(octaves.size()) - 1, first = std::min(spectrum.first, last);
  const int dimensions = cells[2] == 1 ? 2 : 3;
  Array<float> values;
  for (int octave = last; octave >= 0; --octave) {
    const Cells& here = octaves[std::size_t(octave)];
    if (octave < last)
      values = smoothed(device, here, 1, doubled(octaves[std::size_t(octave) + 1], values, here));
    else {
      values = Array<float>(count_of(here));
      for_each(values.size(), [&](std::size_t i) { values[i] = 0; });
    }
    if (octave < first) continue;
    const double finest = octave == first ? spectrum.finest : 1;
    const auto amplitude = float(finest * exp2_of(octave * (spectrum.slope - dimensions) / 2));
    const std::uint64_t seed = spectrum.seed * 32 + std::uint64_t(octave);
    for_each(values.size(), [&](std::size_t i) { values[i] += amplitude * noise_at(seed, i); });
  }
  values = smoothed(device, cells, spectrum.smoothing, std::move(values));
  normalize(values);
  return values;
}

template <class T, class Tell>
Grid grid_of(const Cells& cells, const Array<float>& values, const Tell& tell) {
  Grid grid;
  std::copy(cells.begin(), cells.end(), grid.cells.begin());
  grid.scalar = grid_scalar_of<T>();
  grid.bytes = Array<std::byte>(values.size() * sizeof(T));
  T* const to = grid.values<T>();
  for_each(values.size(), [&](std::size_t i) { to[i] = tell(i, values[i]); });
  return grid;
}

template <class T>
T whole(double value) {
  constexpr double kMost = double(T(~T(0)));
  return T(std::clamp(std::floor(value + 0.5), 0., kMost));
}

// As of a scan by X-rays: air, 32 levels, and material that is too bright.
Grid make_noise8(const Cells& cells, const Array<float>& noise) {
  return grid_of<std::uint8_t>(cells, noise, [](std::size_t, double g) {
    return std::uint8_t(8 * std::clamp(std::floor(12 * (g + 0.25)), 0., 31.));
  });
}

Grid make_lognormal(const Cells& cells, const Array<float>& noise) {
  constexpr double kWidth = 1.8;  // of ln ρ
  return grid_of<float>(cells, noise, [](std::size_t, double g) {
    return float(exp2_of((kWidth * g - 0.5 * kWidth * kWidth) * 1.44269504088896341));
  });
}

// The place of a cell on one line through all of them: row after row, each the other way.
std::size_t place_on_line(const Cells& cells, std::size_t i) {
  const std::size_t row = i / cells[2], x = row / cells[1];
  std::size_t y = row % cells[1], z = i % cells[2];
  if (x % 2 == 1) y = cells[1] - 1 - y;
  const std::size_t line = x * cells[1] + y;
  if (line % 2 == 1) z = cells[2] - 1 - z;
  return line * cells[2] + z;
}

// The lower half rises along one line through all its cells, whose neighbors on it are neighbors in
// the grid, mostly against the order in which the cells are merged: so each triplet points to the
// next cell, no triplet is final before all are merged, and each cell walks along many of them. On
// one thread the time of the triplets then grows as the number of cells to the power 5/3.
Grid make_half(const Cells& cells, const Array<float>& noise) {
  const std::size_t half = noise.size() / 2;
  return grid_of<float>(cells, noise, [&](std::size_t i, float g) {
    return i < half ? float(double(place_on_line(cells, i)) / double(half) * 1e-3)
                    : 1 + std::abs(g);
  });
}

Grid as_it_is(const Cells& cells, const Array<float>& noise) {
  return grid_of<float>(cells, noise, [](std::size_t, float g) { return g; });
}

Grid make_image8(const Cells& cells, const Array<float>& noise) {
  return grid_of<std::uint8_t>(
      cells, noise, [](std::size_t, double g) { return whole<std::uint8_t>(128 + 42 * g); });
}

Grid make_image16(const Cells& cells, const Array<float>& noise) {
  return grid_of<std::uint16_t>(
      cells, noise, [](std::size_t, double g) { return whole<std::uint16_t>(32768 + 10752 * g); });
}

constexpr int kAllOctaves = 31;
// As many maxima at 14 and 26 neighbors as fields have that are made by a Fourier transform, within
// 7 %; at 6 a quarter more.
constexpr double kFinest = 0.35;

struct Recipe {
  FieldSet set;
  Spectrum spectrum;
  Grid (*make)(const Cells& cells, const Array<float>& noise);
};

// Kolmogorov's spectrum in three dimensions falls as k^-11/3; where it ends there is no noise in
// the finest octave. Photographs fall as k^-2 (Field 1987).
const std::vector<Recipe>& recipes() {
  static const std::vector<Recipe> all{
      {{"gaussian", "noise of all octaves, made for a power of k^-2, float32", false},
       {1, 0, kAllOctaves, 2, kFinest, 0},
       as_it_is},
      {{"noise8", "smoothed noise with large plateaus, uint8", false},
       {2, 2, 2, 0, 1, 0},
       make_noise8},
      {{"turbulence", "like turbulence, made for a power of k^-11/3, float32", false},
       {3, 1, kAllOctaves, 11. / 3, kFinest, 0},
       as_it_is},
      {{"lognormal", "lognormal density, as of gas between galaxies, float32", false},
       {4, 0, kAllOctaves, 2, kFinest, 1},
       make_lognormal},
      {{"half", "half the cells at nearly one value, float32", false},
       {5, 1, kAllOctaves, 11. / 3, kFinest, 0},
       make_half},
      {{"image8", "noisy image of N x N x 1, uint8", true},
       {6, 0, kAllOctaves, 2, kFinest, 0},
       make_image8},
      {{"image16", "noisy image of N x N x 1, uint16", true},
       {6, 0, kAllOctaves, 2, kFinest, 0},
       make_image16}};
  return all;
}

}  // namespace

const std::vector<FieldSet>& field_sets() {
  static const std::vector<FieldSet> sets = [] {
    std::vector<FieldSet> named;
    for (const Recipe& recipe : recipes()) named.push_back(recipe.set);
    return named;
  }();
  return sets;
}

Grid make_field(Device device, const std::string& name, std::uint32_t size) {
  if (size == 0) throw Error("a set without cells is asked for", "--size", "give 1 or more");
  for (const Recipe& recipe : recipes()) {
    if (recipe.set.name != name) continue;
    const Cells cells{size, size, recipe.set.is_image ? 1 : size};
    Grid grid = recipe.make(cells, make_noise(device, cells, recipe.spectrum));
    grid.name = name;
    return grid;
  }
  throw Error("there is no set of the name " + name, "--set");
}

}  // namespace haloscope::benchmarks
