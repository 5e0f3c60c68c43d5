// Speed of the renderer with data resident. `cpu`: the scene by which CPU splatters are compared;
// `views`: the seven zoom positions of Rivi et al. 2014, Table 2, on a universe of any size.
// `wide`: one scene of wide splats at growing resolutions, on levels and exact.
// `boxes`: the points of a universe that lie in a cube, as profiles need them.
// `gpus`: pictures of several GPUs beside those of one.
// Prints one table; every figure is a median over repeated frames after a warm-up.

#include "benchmarks/box_rows.h"
#include "benchmarks/pictures_over_gpus.h"
#include "benchmarks/universe.h"
#include "compute/splotch/renderer.h"
#include "core/array.h"
#include "core/error.h"
#include "render/colors/tone_map.h"

#include <CLI/CLI.hpp>
#include <fmt/core.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <random>
#include <string>
#include <vector>

namespace {

using namespace haloscope;
using namespace haloscope::benchmarks;
using namespace haloscope::compute::splotch;

const std::vector<std::array<float, 3>> kFire{
    {0.1f, 0, 0.2f}, {0.7f, 0.1f, 0.1f}, {1, 0.7f, 0.1f}, {1, 1, 1}};

struct Measured {
  Frame last;
  Statistics draw, total;
  double median(const std::string& phase) const { return phases.median(phase); }
  Timings phases;
};

Measured measure(Renderer& renderer, const View& view, const std::vector<Appearance>& looks,
                 const Options& options, int repeats) {
  Progress progress;
  Measured m;
  for (int warm = 0; warm < 2; ++warm) m.last = renderer.render(view, looks, options, progress);
  std::vector<double> draw, total;
  for (int k = 0; k < repeats; ++k) {
    m.last = renderer.render(view, looks, options, progress);
    draw.push_back(m.last.timings.median("draw"));
    total.push_back(m.last.timings.median("total"));
    for (const auto& [phase, samples] : m.last.timings.samples())
      m.phases.add(phase, samples.front());
  }
  m.draw = statistics(draw);
  m.total = statistics(total);
  return m;
}

// ---------------------------------------------------------------------------------------------

double count_updates(const std::array<std::vector<std::uint32_t>, 3>& position,
                     const std::vector<float>& radius, const Domain& domain, const View& view) {
  const double scale = view.width / view.ortho_width;
  double sum = 0;
  for (std::size_t i = 0; i < radius.size(); ++i) {
    const double r = radius[i] * scale;
    const double x = view.width / 2.0 + scale * domain.to_world(position[0][i], 0);
    const double y = view.height / 2.0 + scale * domain.to_world(position[1][i], 1);
    for (int row = std::max(0, int(y - r)); row <= std::min(view.height - 1, int(y + r)); ++row) {
      const double half = std::sqrt(std::max(0.0, r * r - (row - y) * (row - y)));
      sum += std::max(0.0, std::min(view.width - 1.0, std::floor(x + half)) -
                               std::max(0.0, std::ceil(x - half)) + 1);
    }
  }
  return sum;
}

// 1 M particles whose radii have a median of 5.8 px on a 1024² image: 443 M pixel updates.
void bench_cpu(int repeats, int threads, Mode mode, bool packed) {
  tbb::global_control limit(tbb::global_control::max_allowed_parallelism, std::size_t(threads));
  constexpr std::size_t kCount = 1000000;
  Domain domain;
  domain.side = 4;
  domain.origin = {-2, -2, -2};
  std::mt19937 random(5);
  std::normal_distribution<float> normal;
  std::uniform_real_distribution<float> uniform(0, 1);
  std::array<std::vector<std::uint32_t>, 3> position;
  std::vector<float> radius, color;
  std::array<std::array<float, 3>, 40> centers;
  for (auto& c : centers)
    for (auto& x : c) x = 1.6f * uniform(random) - 0.8f;
  for (std::size_t i = 0; i < kCount; ++i) {
    const auto& center = centers[random() % centers.size()];
    for (std::size_t c = 0; c < 3; ++c)
      position[c].push_back(domain.to_fixed(
          std::clamp(double(center[c] + 0.15f * normal(random)), -0.98, 0.98), int(c)));
    // Log-normal; image scale is 512 px per unit below.
    radius.push_back(5.8f / 512 * std::exp(0.857f * normal(random)));
    color.push_back(uniform(random));
  }
  TypeInput in;
  in.count = kCount;
  for (std::size_t c = 0; c < 3; ++c) in.position[c] = position[c].data();
  in.radius = radius.data();
  in.color[0] = color.data();
  in.packed = packed;
  Appearance look;
  look.palette = kFire;
  look.brightness = 1e-3f;
  // Classic: w = 0.75 · 2 r; makes both modes cover the same pixels.
  look.radius_factor = mode == Mode::Classic ? 1 / 1.5f : 1;
  View view;
  view.eye = {0, 0, 3};
  view.perspective = false;
  view.ortho_width = 2;
  view.width = view.height = 1024;
  Options options;
  options.mode = mode;
  auto renderer = make_cpu_renderer();
  Progress progress;
  renderer->set_particles(domain, {in}, progress);
  const Measured m = measure(*renderer, view, {look}, options, repeats);
  // Counted pixel by pixel: centers inside the splat's circle and on the image.
  const double updates = count_updates(position, radius, domain, view);
  auto rate = [&](double ms) { return updates / ms / 1e6 / threads; };
  fmt::print(
      "{:8} {:2} threads  {:6.1f} M updates  draw {:7.1f} ms ({:.1f} to {:.1f}), project {:.1f}, "
      "splat {:.1f}  "
      "{:.2f} G updates per core-second (splat alone {:.2f})\n",
      mode == Mode::Classic ? "classic" : "default", threads, updates / 1e6, m.draw.median,
      m.draw.low, m.draw.high, m.median("project"), m.median("medium"), rate(m.draw.median),
      rate(m.median("medium")));
}

// ---------------------------------------------------------------------------------------------

struct ViewsSetup {
  std::string file, device = "cuda";
  double box = 152;
  int repeats = 20, size = 2048, sample = 1;
  bool fixed_radius = false, paper = false, classic = false, sets = false, exact = false,
       packed = false, compare = false, density = false;
  std::uint64_t gpu_memory = 0;
  std::vector<int> views{1, 2, 3, 4, 5, 6, 7};
};

// The same view with three sets of a tenth of the particles each, in runs of a thousand of the
// file: over a dimmed rest, and alone; and what it costs to give the labels.
void bench_sets(Renderer& renderer, const View& view, const Appearance& look,
                const Options& options, std::size_t count, int repeats) {
  std::vector<std::uint8_t> labels(count);
  for (std::size_t i = 0; i < count; ++i) labels[i] = std::uint8_t(i / 1000 % 10);
  const auto begin = std::chrono::steady_clock::now();
  renderer.label({labels.data()});
  const double given =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
  for (const float rest : {1.f, 0.1f, 0.f}) {
    Appearance tinted = look;
    tinted.tints.assign(10, Tint{{1, 1, 1}, 0, rest});
    tinted.tints[1] = {{1, 0.5f, 0}, 1, 1};
    tinted.tints[2] = {{0, 0.5f, 1}, 1, 1};
    tinted.tints[3] = {{0, 1, 0.5f}, 1, 1};
    for (const int sample : {1, 8}) {
      Options sampled = options;
      sampled.sample = sample;
      const Measured m = measure(renderer, view, {tinted}, sampled, repeats);
      fmt::print(
          "       sets over a rest of {:.1f}, 1 in {}: draw {:8.3f} ms ({:6.2f} to {:6.2f})\n",
          double(rest), sample, m.draw.median, m.draw.low, m.draw.high);
    }
  }
  renderer.label({});
  fmt::print("       labels given in {:.1f} ms\n", given);
}

// The picture as it is shown, beside the exact one with the same tone curve: the largest difference
// of a byte, and how many pixels differ at all.
void compare_with_exact(Renderer& renderer, const View& view, const Appearance& look,
                        Options options) {
  Progress progress;
  const Frame drawn = renderer.render(view, {look}, options, progress);
  options.exact = true;
  const Frame exact = renderer.render(view, {look}, options, progress);
  const auto curve = haloscope::render::choose_tone_curve(exact.image);
  const auto a = haloscope::render::tone_map(drawn.image, curve, 1);
  const auto b = haloscope::render::tone_map(exact.image, curve, 1);
  int largest = 0;
  std::size_t differ = 0, by_two = 0;
  for (std::size_t i = 0; i < a.pixels.size(); ++i) {
    const int d = std::abs(int(a.pixels[i]) - int(b.pixels[i]));
    largest = std::max(largest, d);
    differ += d > 0;
    by_two += d > 1;
  }
  fmt::print(
      "       beside the exact picture: at most {} of 255; {} of {} bytes differ, {} by more "
      "than 1\n",
      largest, differ, a.pixels.size(), by_two);
}

// Table 2 of the paper: mean radius in pixels of the active particles, and what part of all they
// are.
struct TableRow {
  double radius, active_fraction;
};
constexpr TableRow kTable2[] = {{0.30, 1},
                                {0.62, 225972201 / 226.9e6},
                                {0.72, 212746328 / 226.9e6},
                                {1.40, 153647633 / 226.9e6},
                                {3.90, 64756141 / 226.9e6},
                                {8.99, 13686588 / 226.9e6},
                                {13.66, 4222214 / 226.9e6}};

void bench_views(const ViewsSetup& setup) {
  const Universe u = read_universe(setup.file, setup.box);
  const std::size_t n = u.count();
  Array<float> color(n);
  for (std::size_t i = 0; i < n; ++i) color[i] = float(i % 1000) / 1000;
  auto renderer =
      make_renderer(haloscope::compute::choose_device(setup.device), setup.gpu_memory * n);
  Progress progress;
  TypeInput in;
  in.count = n;
  for (std::size_t c = 0; c < 3; ++c) in.position[c] = u.position[c].data();
  if (setup.density)
    in.density_color = 33;
  else
    in.color[0] = color.data();
  in.packed = setup.packed;
  in.rows_aside = setup.packed && in.count >= (1u << 28);
  renderer->set_particles(u.domain, {in}, progress);
  // Coordinates, radius, color.
  const double gpu_bytes = (setup.packed ? 12 : 16) + (setup.density ? 0 : 4);
  fmt::print(
      "{} particles, {} on {}, {}² pixels, {} radii, {} mode; floor: one reading of {} B per "
      "particle at 4.28 TB/s "
      "= {:.2f} ms; device memory {:.1f} GB\n",
      n, setup.file, renderer->device_name(), setup.size, setup.fixed_radius ? "fixed" : "adaptive",
      setup.classic ? "classic" : "default", gpu_bytes, double(n) * gpu_bytes / 4.28e9,
      double(renderer->peak_device_memory()) / 1e9);

  View view;
  view.width = view.height = setup.size;
  view.fov_degrees = 45;
  const double c = setup.box / 2;
  view.target = {c, c, c};
  view.up = {0, 0, 1};
  auto place = [&](double distance) { view.eye = {c, c - distance, c}; };
  Appearance look;
  look.palette = kFire;
  look.brightness = 1e-6f;
  if (setup.density) {
    const float mean = float(std::log10(double(n) / std::pow(setup.box, 3)));
    look.color = {Transform::Log, mean - 1, mean + 4};
  }
  Options options;
  options.mode = setup.classic ? Mode::Classic : Mode::Default;
  options.large = LargeOn::Gpu;
  options.exact = setup.exact;
  options.sample = setup.sample;
  if (setup.classic) options.min_radius_pixels = 1;
  auto counts = [&] { return renderer->render(view, {look}, options, progress).counts; };
  if (setup.fixed_radius) look.fixed_radius = float(setup.box / std::cbrt(double(n)));
  // Both columns of the table are met: the camera's distance to the center gives the number of
  // active particles, a factor on all radii their mean radius.
  auto scale_radii = [&](double target) {
    for (int step = 0; step < 8; ++step) {
      const double factor = target / counts().mean_radius_pixels;
      look.radius_factor = float(look.radius_factor * factor);
      if (setup.fixed_radius) look.fixed_radius = float(look.fixed_radius * factor);
    }
  };
  auto recreate = [&](const TableRow& row) {
    if (row.active_fraction > 0.99) {
      place((row.radius < 0.5 ? 3.5 : 1.75) * setup.box);
    } else {
      double near = 1e-3 * setup.box, far = 2 * setup.box;
      for (int step = 0; step < 16; ++step) {
        const double middle = 0.5 * (near + far);
        place(middle);
        const Counts k = counts();
        (double(k.small + k.medium + k.large) < row.active_fraction * double(n) ? near : far) =
            middle;
      }
    }
    scale_radii(row.radius);
  };

  fmt::print(
      "{:>6} {:>10} {:>8} {:>9} {:>9} {:>9} {:>8} | {:>8} {:>16} {:>8} {:>8} {:>8} {:>8} | {:>8}\n",
      "radius", "active", "G upd.", "small", "medium", "large", "strategy", "draw ms",
      "(min to p95)", "small", "lists", "medium", "large", "floor %");
  for (const int number : setup.views) {
    recreate(kTable2[std::clamp(number, 1, 7) - 1]);
    for (int pass = 0; pass < (setup.paper ? 2 : 1); ++pass) {
      options.strategy = pass == 0 ? Strategy::Auto : Strategy::Paper;
      const Measured m = measure(*renderer, view, {look}, options,
                                 pass == 0 ? setup.repeats : std::max(3, setup.repeats / 5));
      const Counts& k = m.last.counts;
      const double active = double(k.small + k.medium + k.large);
      const double floor_ms = active * gpu_bytes / 4.28e9;
      fmt::print(
          "{:6.2f} {:10.0f} {:8.3f} {:9} {:9} {:9} {:>8} | {:8.3f} ({:6.2f} to {:6.2f}) {:8.3f} "
          "{:8.3f} {:8.3f} {:8.3f} | {:7.1f}{}\n",
          k.mean_radius_pixels, active, k.pixel_updates / 1e9, k.small, k.medium, k.large,
          pass == 0 ? "auto" : "paper", m.draw.median, m.draw.low, m.draw.high, m.median("small"),
          m.median("sort"), m.median("medium"), m.median("large"), 100 * floor_ms / m.draw.median,
          pass == 0 ? "" : fmt::format("  project {:.2f}", m.median("project")));
      std::fflush(stdout);
    }
    options.strategy = Strategy::Auto;
    if (setup.compare) compare_with_exact(*renderer, view, look, options);
    if (setup.sets && !setup.classic) bench_sets(*renderer, view, look, options, n, setup.repeats);
  }
  fmt::print("device memory with the drawing: {:.2f} GB, {:.2f} B per particle\n",
             double(renderer->peak_device_memory()) / 1e9,
             double(renderer->peak_device_memory()) / double(n));
}

// ---------------------------------------------------------------------------------------------

struct WideSetup {
  std::string device = "cuda";
  std::uint64_t count = 4000000;
  double radius = 12;  // median at 2048², pixels
  int repeats = 10;
  std::vector<int> sizes{2048, 4096, 8192, 16384};
};

// Clustered particles with log-normal radii; the picture shows the same at each resolution.
void bench_wide(const WideSetup& setup) {
  Domain domain;
  domain.side = 2;
  domain.origin = {-1, -1, -1};
  std::mt19937 random(6);
  std::normal_distribution<float> normal;
  std::uniform_real_distribution<float> uniform(0, 1);
  std::array<Array<std::uint32_t>, 3> position;
  for (auto& column : position) column = Array<std::uint32_t>(setup.count);
  Array<float> radius(setup.count), color(setup.count);
  std::array<std::array<float, 3>, 40> centers;
  for (auto& center : centers)
    for (auto& x : center) x = uniform(random) - 0.5f;
  for (std::size_t i = 0; i < setup.count; ++i) {
    const auto& center = centers[random() % centers.size()];
    for (std::size_t c = 0; c < 3; ++c)
      position[c][i] = domain.to_fixed(
          std::clamp(double(center[c] + 0.1f * normal(random)), -0.98, 0.98), int(c));
    radius[i] = float(setup.radius / 2048) * std::exp(0.5f * normal(random));
    color[i] = uniform(random);
  }
  TypeInput in;
  in.count = setup.count;
  for (std::size_t c = 0; c < 3; ++c) in.position[c] = position[c].data();
  in.radius = radius.data();
  in.color[0] = color.data();
  auto renderer = make_renderer(haloscope::compute::choose_device(setup.device));
  Progress progress;
  renderer->set_particles(domain, {in}, progress);
  Appearance look;
  look.palette = kFire;
  look.brightness = 1e-3f;
  View view;
  view.eye = {0, 0, 3};
  view.perspective = false;
  view.ortho_width = 1;
  fmt::print("{} particles, median radius {} px at 2048²; {}\n", setup.count, setup.radius,
             renderer->device_name());
  fmt::print("{:>6} {:>6} {:>9} {:>9} | {:>9} {:>20} {:>8} {:>8} {:>8} {:>8} {:>8}\n", "size", "",
             "radius", "G upd.", "draw ms", "(min to p95)", "small", "lists", "medium", "large",
             "levels");
  for (const bool exact : {false, true}) {
    double first = 0;
    for (const int size : setup.sizes) {
      view.width = view.height = size;
      Options options;
      options.exact = exact;
      const Measured m = measure(*renderer, view, {look}, options, setup.repeats);
      if (first == 0) first = m.draw.median;
      fmt::print(
          "{:6} {:>6} {:9.2f} {:9.2f} | {:9.2f} ({:8.2f} to {:7.2f}) {:8.2f} {:8.2f} {:8.2f} "
          "{:8.2f} {:8.2f}  {:.2f} times the first\n",
          size, exact ? "exact" : "levels", m.last.counts.mean_radius_pixels,
          m.last.counts.pixel_updates / 1e9, m.draw.median, m.draw.low, m.draw.high,
          m.median("small"), m.median("sort"), m.median("medium"), m.median("large"),
          m.median("levels"), m.draw.median / first);
      std::fflush(stdout);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"haloscope_bench: speed of the renderer"};
  app.require_subcommand(1);
  auto* cpu = app.add_subcommand("cpu", "1 M particles of median radius 5.8 px on 1024² pixels");
  int repeats = 10;
  int threads = 1;
  cpu->add_option("--repeat", repeats, "frames measured");
  cpu->add_option("--threads", threads, "CPU threads");
  bool packed = false;
  cpu->add_flag("--packed", packed, "places and radii in 12 bytes, as in large pictures");
  auto* views = app.add_subcommand("views", "the seven zoom positions of Rivi et al. 2014");
  ViewsSetup setup;
  views->add_option("FILE", setup.file, "raw float32 x y z")->required();
  views->add_option("--box", setup.box, "periodic box side")->required();
  views->add_option("--device", setup.device, "cuda, cuda:N or cpu");
  views->add_flag("--compare", setup.compare, "compare with the exact picture");
  views->add_option("--repeat", setup.repeats, "frames measured");
  views->add_option("--size", setup.size, "image side");
  views->add_flag("--fixed-radius", setup.fixed_radius,
                  "one radius for all, as Splotch was measured");
  views->add_flag("--paper", setup.paper, "the paper's scheme too");
  views->add_flag("--classic", setup.classic, "Splotch's kernel, double-precision projection");
  views->add_flag("--sets", setup.sets, "each view with sets of particles too");
  views->add_flag("--exact", setup.exact, "sums of float32, no levels");
  views->add_flag("--density", setup.density, "colors by local density, not a column of them");
  views->add_option("--gpu-memory", setup.gpu_memory,
                    "of the GPU, bytes per particle; 0: what it has");
  views->add_flag("--packed", setup.packed, "places and radii in 12 bytes, as in large pictures");
  views->add_option("--sample", setup.sample, "of how many particles one is drawn: 1, 2, 4 … 64");
  views->add_option("--views", setup.views, "which of the seven");
  auto* wide = app.add_subcommand("wide", "wide splats at growing resolutions");
  WideSetup wide_setup;
  wide->add_option("--device", wide_setup.device, "cuda, cuda:N or cpu");
  wide->add_option("--count", wide_setup.count, "particles");
  wide->add_option("--radius", wide_setup.radius, "median radius at 2048², pixels");
  wide->add_option("--repeat", wide_setup.repeats, "frames measured");
  wide->add_option("--sizes", wide_setup.sizes, "image sides");
  auto* boxes = app.add_subcommand("boxes", "the points of a universe that lie in a cube");
  BoxRowsSetup boxes_setup;
  boxes->add_option("FILE", boxes_setup.file, "raw float32 x y z")->required();
  boxes->add_option("--box", boxes_setup.box, "periodic box side")->required();
  boxes->add_option("--device", boxes_setup.device, "cuda, cuda:N or cpu");
  boxes->add_option("--count", boxes_setup.count, "points in a cube");
  boxes->add_option("--repeat", boxes_setup.repeats, "times measured");
  auto* gpus = app.add_subcommand("gpus", "pictures over several GPUs beside one");
  PicturesOverGpus gpus_setup;
  gpus->add_option("--devices", gpus_setup.devices, "cuda, cuda:N or cpu, one for each rank");
  gpus->add_option("--count", gpus_setup.count, "particles of one device");
  gpus->add_option("--radius", gpus_setup.radius, "median radius, pixels");
  gpus->add_option("--size", gpus_setup.size, "image side");
  gpus->add_option("--repeat", gpus_setup.repeats, "pictures measured");
  gpus->add_option("--wire", gpus_setup.wire, "auto, nccl, peer or host");
  gpus->add_option("--pictures", gpus_setup.pictures, "light, deterministic, map");
  CLI11_PARSE(app, argc, argv);
  try {
    if (*cpu)
      for (const Mode mode : {Mode::Classic, Mode::Default})
        bench_cpu(repeats, threads, mode, packed);
    if (*views) bench_views(setup);
    if (*wide) bench_wide(wide_setup);
    if (*boxes) bench_box_rows(boxes_setup);
    if (*gpus) bench_pictures_over_gpus(gpus_setup);
  } catch (const std::exception& e) {
    fmt::print(stderr, "haloscope_bench: error: {}\n", e.what());
    return 2;
  }
}
