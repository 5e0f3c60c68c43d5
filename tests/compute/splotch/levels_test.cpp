#include "compute/splotch/levels.inl"

#include "compute/exec/cpu.h"
#include "render/colors/tone_map.h"
#include "tests/catch.h"
#include "tests/made/size.h"
#include "tests/oracles/slow_levels.h"
#include "tests/renderers.h"
#include "tests/skip.h"

#include <tbb/global_control.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

// Wide splats on coarser levels against exact drawing.

using namespace haloscope;
using namespace haloscope::compute::splotch;
using haloscope::compute::Cpu;
using haloscope::compute::Device;

namespace {

// Beyond that part of a splat's peak nothing may be off: what the default kernel, (1 − r²)⁴ of its
// peak, is at most where the middle of a cell of 12 to the radius lies outside and a pixel of that
// cell inside: at 1 − √½/12 of the radius. 0.6 % was asked for.
constexpr double kBound = 0.0002;

// The picture is [0, 1] × [0, height/width] of the domain [−½, 1½]³.
View flat_view(int width, int height) {
  View view;
  view.eye = {0.5, 0.5 * height / width, 2};
  view.target = {0.5, 0.5 * height / width, 0.5};
  view.perspective = false;
  view.ortho_width = 1;
  view.width = width;
  view.height = height;
  return view;
}

Appearance look() {
  Appearance a;
  a.palette = {{0.1f, 0.5f, 1}, {1, 0.5f, 0.2f}};
  return a;
}

class Painter {
 public:
  Painter(Device device, const test::Particles& particles, std::uint64_t budget = 0)
      : renderer_(test::make_renderer(device, budget)) {
    Progress progress;
    renderer_->set_particles(test::open_domain(0, 1), {particles.input()}, progress);
  }
  Frame draw(const View& view, const Options& options = {}) {
    Progress progress;
    return renderer_->render(view, {look()}, options, progress);
  }
  Frame exact(const View& view) {
    Options options;
    options.exact = true;
    return draw(view, options);
  }

 private:
  std::unique_ptr<Renderer> renderer_;
};

// Centers in and around the picture, radii in pixels from `smallest` over `decades`.
test::Particles cloud(int count, double smallest, double decades, int pixels, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(0, 1);
  test::Particles particles;
  for (int i = 0; i < count; ++i)
    particles.add(test::open_domain(0, 1),
                  {1.4 * uniform(random) - 0.2, 1.4 * uniform(random) - 0.2, uniform(random)},
                  smallest * std::pow(10, decades * uniform(random)) / pixels,
                  0.1 + uniform(random), {uniform(random)});
  return particles;
}

// So many equal splats that levels take less time than they, everywhere.
test::Particles pile(double x, double y, double radius_pixels, double weight, int width,
                     int height) {
  int copies = 1;
  const double pixels = double(width) * height;
  const double each = std::min(pixels, 3.14159 * radius_pixels * radius_pixels);
  while (!worth_levels(std::uint64_t(copies), copies * each, width, height))
    copies += copies / 8 + 1;
  test::Particles particles;
  for (int k = 0; k < copies; ++k)
    particles.add(test::open_domain(0, 1), {x / width, y / width, 0.5}, radius_pixels / width,
                  weight / copies, {0.5});
  return particles;
}

double sum(const ImageF& image) {
  double total = 0;
  for (const float v : image.pixels) total += double(v);
  return total;
}

struct Difference {
  double most = 0, least_value = 0, peak = 0;
};

Difference compare(const ImageF& a, const ImageF& b) {
  REQUIRE(a.pixels.size() == b.pixels.size());
  Difference d;
  for (std::size_t i = 0; i < a.pixels.size(); ++i) {
    const double off = std::abs(double(a.pixels[i]) - double(b.pixels[i]));
    d.most = std::max(d.most, std::isfinite(off) ? off : HUGE_VAL);
    d.least_value = std::min(d.least_value, double(a.pixels[i]));
    d.peak = std::max(d.peak, double(b.pixels[i]));
  }
  return d;
}

// The largest difference of what is displayed, by the tone curve that is chosen for the exact
// picture.
double most_on_screen(const ImageF& a, const ImageF& b) {
  const render::ToneCurve curve = render::choose_tone_curve(b);
  auto display = [&](float light) {
    return std::min(1., std::asinh(double(light) / curve.softening) /
                            std::asinh(curve.white / curve.softening));
  };
  double most = 0;
  for (std::size_t i = 0; i < a.pixels.size(); ++i) {
    const double off = std::abs(display(a.pixels[i]) - display(b.pixels[i]));
    most = std::max(most, std::isfinite(off) ? off : HUGE_VAL);
  }
  return most;
}

bool same_bytes(const ImageF& a, const ImageF& b) {
  return a.pixels.size() == b.pixels.size() &&
         std::memcmp(a.pixels.data(), b.pixels.data(), a.pixels.size() * sizeof(float)) == 0;
}

}  // namespace

TEST_CASE("a splat's radius says its level", "[levels]") {
  CHECK(level_of(23.99f, 9) == 0);
  CHECK(level_of(24, 9) == 1);
  CHECK(level_of(47.99f, 9) == 1);
  CHECK(level_of(48, 9) == 2);
  CHECK(level_of(24 * 256, 9) == 9);
  CHECK(level_of(1e30f, 9) == 9);
  CHECK(level_of(std::numeric_limits<float>::infinity(), 9) == 9);
  CHECK(level_of(std::numeric_limits<float>::quiet_NaN(), 9) == 0);
  for (float radius = 24; radius < 24 * 256; radius *= 1.01f) {
    const float cells = radius / float(1 << level_of(radius, 9));
    CHECK((cells >= 12 && cells < 24));
  }
}

TEST_CASE("levels give back what a polynomial of the fifth degree is at each pixel", "[levels]") {
  // Upsampling is exact for them, so this shows any cell out of place.
  Cpu exec;
  const int sizes[][2] = {{1, 1}, {2, 7}, {64, 64}, {101, 37}, {130, 259}};
  for (const auto& size : sizes)
    for (int k = 1; k <= std::min(4, coarsest_level(size[0], size[1])); ++k) {
      INFO(size[0] << " × " << size[1] << ", level " << k);
      Levels<Cpu> levels(exec, size[0], size[1]);
      auto light = [&](double x, double y) {
        const double u = (x - 0.5 * size[0]) / (size[0] + 60), v = y / (size[1] + 60);
        return 40 + u + 0.5 * v + 2 * u * u + 2 * std::pow(u, 5) - u * std::pow(v, 3);
      };
      const Cells cells = levels.level(k);
      const double side = 1 << k;
      for (int y = 0; y < cells.height; ++y)
        for (int x = 0; x < cells.width; ++x)
          for (int c = 0; c < 4; ++c)
            cells.rgba[4 * (y * cells.width + x) + c] =
                float(light((x - cells.margin + 0.5) * side - 0.5,
                            (y - cells.margin + 0.5) * side - 0.5) *
                      (c + 1));
      levels.touch(k);
      std::vector<float> image(4 * std::size_t(size[0] * size[1]), 0.f);
      levels.add_to(image.data());
      double worst = 0;
      for (int y = 0; y < size[1]; ++y)
        for (int x = 0; x < size[0]; ++x)
          for (int c = 0; c < 3; ++c)
            worst = std::max(worst, std::abs(double(image[std::size_t(4 * (y * size[0] + x) + c)]) /
                                                 (light(x, y) * (c + 1)) -
                                             1));
      CHECK(worst < 1e-5);
    }
}

TEST_CASE("cores add a level as one cell after the other adds it", "[levels]") {
  Cpu exec;
  std::mt19937 random(8);
  std::uniform_real_distribution<float> uniform(-0.2f, 1);
  auto between = [&](int low, int high) { return int(random() % unsigned(high - low)) + low; };
  for (int trial = 0; trial < test::sized(60, 20); ++trial) {
    const int width = between(1, 700), height = between(1, 40), k = between(1, 3);
    auto filled = [&](Cells cells, std::vector<float>& light) {
      light.resize(4 * std::size_t(cells.width) * std::size_t(cells.height));
      for (std::size_t i = 0; i < light.size(); ++i) light[i] = i % 4 == 3 ? 0 : uniform(random);
      cells.rgba = light.data();
      return cells;
    };
    std::vector<float> from, one, other;
    const Cells coarse = filled(level_size(width, height, k), from);
    Cells fine = k == 1 ? Cells{nullptr, width, height, 0} : level_size(width, height, k - 1);
    fine = filled(fine, one);
    other = one;
    CellBox box;
    box.x0 = between(-fine.margin, fine.width - fine.margin);
    box.x1 = between(box.x0 + 1, fine.width - fine.margin + 1);
    box.y0 = between(-fine.margin, fine.height - fine.margin);
    box.y1 = between(box.y0 + 1, fine.height - fine.margin + 1);
    add_level_on_cpu(coarse, fine, box);
    Cells again = fine;
    again.rgba = other.data();
    const haloscope::test::AddLevel add(coarse, again, box);
    parallel_for(exec, "add a level", add.calls(), add);
    INFO("columns " << box.x0 << " to " << box.x1 << " of " << width << ", level " << k);
    CHECK(std::memcmp(one.data(), other.data(), one.size() * sizeof(float)) == 0);
  }
}

TEST_CASE("where nothing was drawn on a level, nothing need be added", "[levels]") {
  Cpu exec;
  constexpr int kWidth = 300, kHeight = 200;
  for (const int k : {1, 2, 3}) {
    std::vector<float> images[2];
    for (const bool all : {false, true}) {
      Levels<Cpu> levels(exec, kWidth, kHeight);
      const Cells cells = levels.level(k);
      const int x = 9, y = 7;  // a few bright cells
      for (int row = y; row < y + 3; ++row)
        for (int column = x; column < x + 4; ++column)
          for (int c = 0; c < 3; ++c)
            cells.rgba[4 * ((row + cells.margin) * cells.width + column + cells.margin) + c] =
                float(1 + c + row * column % 3);
      if (all)
        levels.touch(k);
      else
        levels.touch(k, {x, y, x + 4, y + 3});
      images[all].assign(4 * std::size_t(kWidth * kHeight), 0.f);
      levels.add_to(images[all].data());
    }
    INFO("level " << k);
    CHECK(images[0] == images[1]);
  }
}

TEST_CASE("on a level a splat is within 0.02 % of its peak, and its light is kept", "[levels]") {
  constexpr int kOffsets = test::sized(60, 12);
  std::mt19937 random(3);
  std::uniform_real_distribution<double> uniform(0, 1);
  for (const auto& device : test::devices())
    for (const double radius : {24., 27.4, 34., 47.8, 48., 62., 95.8, 96., 200.}) {
      const int pixels = int(2.2 * radius) + 70;
      const View view = flat_view(pixels, pixels);
      double worst = 0, flux = 0;
      bool any_difference = false;
      for (int k = 0; k < kOffsets; ++k) {
        const double middle = pixels / 2 - 32;
        const double x = middle + 64 * uniform(random), y = middle + 64 * uniform(random);
        Painter painter(device, pile(x, y, radius, 1, pixels, pixels));
        const ImageF exact = painter.exact(view).image, drawn = painter.draw(view).image;
        const Difference d = compare(drawn, exact);
        worst = std::max(worst, d.most / d.peak);
        any_difference = any_difference || d.most > 0;
        flux = std::max(flux, std::abs(sum(drawn) / sum(exact) - 1));
        CHECK(d.least_value == 0);
      }
      INFO(device << ", radius " << radius << ": off by " << worst << " of the peak, light by "
                  << flux);
      CHECK(any_difference);
      CHECK(worst < kBound);
      CHECK(flux < 1e-3);
    }
}

TEST_CASE("pictures on levels are on screen what exact ones are", "[levels]") {
  struct Scene {
    int count, width, height;
    double smallest, decades;
    unsigned seed;
  };
  for (const auto& device : test::devices())
    for (const Scene& s : {Scene{1000, 320, 200, 12, 1, 1}, Scene{6000, 257, 255, 0.2, 2.5, 2},
                           Scene{150, 300, 411, 20, 1.5, 3}, Scene{400, 100, 60, 60, 2, 4}}) {
      Painter painter(device, cloud(s.count, s.smallest, s.decades, s.width, s.seed));
      const View view = flat_view(s.width, s.height);
      const Frame exact = painter.exact(view), drawn = painter.draw(view);
      INFO(device << ", scene " << s.seed << ": " << 255 * most_on_screen(drawn.image, exact.image)
                  << " of 255, light off by " << sum(drawn.image) / sum(exact.image) - 1);
      CHECK(exact.counts.large > 0);
      CHECK(drawn.counts.large == exact.counts.large);
      CHECK_FALSE(same_bytes(drawn.image, exact.image));
      CHECK(compare(drawn.image, exact.image).least_value >= 0);
      CHECK(most_on_screen(drawn.image, exact.image) < 1. / 255);
      CHECK(std::abs(sum(drawn.image) / sum(exact.image) - 1) < 1e-3);
    }
}

TEST_CASE("splats much wider than the picture cover it", "[levels]") {
  const View view = flat_view(96, 50);
  for (const auto& device : test::devices())
    for (const double radius : {1e3, 1e5, 1e8}) {
      Painter painter(device, pile(19, 29, radius, radius * radius, 96, 50));
      const Difference d = compare(painter.draw(view).image, painter.exact(view).image);
      INFO(device << ", radius " << radius);
      CHECK(d.peak > 0);
      CHECK(d.most < kBound * d.peak);
    }
}

TEST_CASE("a splat beyond the picture's edge leaves there what exact drawing leaves", "[levels]") {
  const View view = flat_view(100, 80);
  for (const auto& device : test::devices())
    for (const double radius : {28., 60., 180.})
      for (const double beyond : {-3., 0.2, 0.5, 0.9}) {
        // Its center lies left of the picture by part of its radius, or above or below it.
        for (int side = 0; side < 4; ++side) {
          const double away = beyond * radius;
          const double places[4][2] = {{-away, 40}, {100 + away, 40}, {50, -away}, {50, 80 + away}};
          Painter painter(device,
                          pile(places[side][0], places[side][1], radius, radius * radius, 100, 80));
          const Difference d = compare(painter.draw(view).image, painter.exact(view).image);
          // 5/π, the default kernel's peak, times weight per pixel and color.
          const double peak = 1.5916 * 1e4 * 0.6;
          INFO(device << ", radius " << radius << ", " << beyond << " beyond side " << side);
          CHECK(d.most < kBound * peak);
        }
      }
}

TEST_CASE("beyond a splat there is no light on a level either", "[levels]") {
  // The tone curve looks at the pixels that have light: half a cell more or less of a splat's rim,
  // and none of the tails of the interpolation, which reach five cells beyond.
  const View view = flat_view(300, 300);
  for (const auto& device : test::devices())
    for (const double radius : {24., 60., 110.}) {
      Painter painter(device, pile(150.3, 149.8, radius, 1, 300, 300));
      const ImageF exact = painter.exact(view).image, drawn = painter.draw(view).image;
      std::uint64_t lit[2] = {0, 0};
      for (std::size_t i = 0; i < exact.pixels.size(); i += 3) {
        lit[0] += exact.pixels[i] > 0;
        lit[1] += drawn.pixels[i] > 0;
      }
      INFO(device << ", radius " << radius << ": " << lit[0] << " and " << lit[1] << " pixels");
      CHECK(std::abs(double(lit[1]) / double(lit[0]) - 1) < 0.03);
    }
}

TEST_CASE("what is not a sum of light, or must be exact, is drawn without levels", "[levels]") {
  const View view = flat_view(150, 100);
  const test::Particles particles = cloud(2000, 4, 1.5, 150, 8);
  for (const auto& device : test::devices()) {
    Painter painter(device, particles);
    std::vector<Options> all(5);
    for (auto& options : all) options.deterministic = true;
    all[1].strategy = Strategy::Paper;
    all[2].mode = Mode::Classic;
    all[3].mode = Mode::Classic;
    all[3].absorption = true;
    all[4].mode = Mode::Map;
    for (Options options : all) {
      const ImageF plain = painter.draw(view, options).image;
      options.exact = true;
      INFO(device << ", mode " << int(options.mode));
      CHECK(sum(plain) > 0);
      CHECK(same_bytes(plain, painter.draw(view, options).image));
    }
    // On the CPU exact pictures have the same bytes in every run, and are sums of floats.
    if (device.is_gpu()) continue;
    const ImageF exact = painter.exact(view).image, whole = painter.draw(view, all[0]).image;
    CHECK(same_bytes(exact, painter.exact(view).image));
    double apart = 0;
    for (std::size_t i = 0; i < exact.pixels.size(); ++i)
      if (exact.pixels[i] > 0)
        apart = std::max(apart, std::abs(double(whole.pixels[i]) / double(exact.pixels[i]) - 1));
    CHECK(apart < 1e-4);
    CHECK_FALSE(same_bytes(exact, painter.draw(view).image));
    Options classic;
    classic.mode = Mode::Classic;
    CHECK(same_bytes(painter.draw(view, classic).image, painter.draw(view, all[2]).image));
  }
}

TEST_CASE("on the CPU a few wide splats are not worth levels", "[levels]") {
  const View view = flat_view(150, 100);
  Painter narrow(Device::cpu(), cloud(5000, 0.1, 2, 150, 9));
  CHECK(same_bytes(narrow.draw(view).image, narrow.exact(view).image));
  Painter few(Device::cpu(), cloud(10, 20, 1, 150, 9));
  CHECK(same_bytes(few.draw(view).image, few.exact(view).image));
  CHECK_FALSE(worth_levels(0, 0, 1, 1));
  CHECK_FALSE(worth_levels(1, 1e6, 1000, 1000));
  CHECK(worth_levels(10000, 1e8, 1000, 1000));
}

TEST_CASE("on the CPU levels have the same bytes on any number of threads", "[levels]") {
  const View view = flat_view(300, 200);
  Painter painter(Device::cpu(), cloud(40000, 3, 1.7, 300, 5));
  const ImageF all = painter.draw(view).image;
  const tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);
  CHECK(same_bytes(all, painter.draw(view).image));
}

TEST_CASE("both executors draw the same light on levels, streamed too", "[gpu][levels]") {
  if (!is_usable(Device::cuda())) {
    test::skip(test::Needs::Gpu, "there is no GPU");
    return;
  }
  const View view = flat_view(640, 480);
  // A GPU draws crowds of narrower splats as products (gpu_paths_test.cpp).
  const test::Particles particles = cloud(40000, 24, 1.1, 640, 6);
  const ImageF cpu = Painter(Device::cpu(), particles).draw(view).image;
  // 24 bytes a particle: the second budget holds an eighth of them.
  for (const std::uint64_t budget : {0, 120000}) {
    const Frame gpu = Painter(Device::cuda(), particles, budget).draw(view);
    CHECK(gpu.counts.large_on_cpu == 0);
    const Difference d = compare(gpu.image, cpu);
    INFO("budget " << budget);
    // The GPU's lists round centers to 2⁻¹¹ pixels and radii to 2⁻¹⁴, which is up to 2e-4 of a
    // peak.
    CHECK(d.most < 2e-4 * d.peak);
  }
}
