// Sums of light in whole numbers: deterministic pictures, whatever the order of the particles and
// however they are divided among ranks.

#include "compute/exec/ranks.h"
#include "compute/splotch/light_tiles_cpu.h"
#include "compute/splotch/over_ranks.h"
#include "compute/splotch/renderer.h"
#include "tests/catch.h"
#include "tests/renderers.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

using namespace haloscope;
using namespace haloscope::compute;
using namespace haloscope::compute::splotch;

namespace {

constexpr int kWidth = 150, kHeight = 101;

// Of all sizes from far below a pixel to half the picture; the last are a million times brighter
// than the first, so that ranks would choose units of their own.
test::Particles made_particles(std::size_t count) {
  const Domain domain = test::open_domain(0, 1);
  test::Particles particles;
  std::mt19937 random(5);
  std::uniform_real_distribution<double> anywhere(0, 1), octaves(-12, -2);
  for (std::size_t i = 0; i < count; ++i)
    particles.add(
        domain, {anywhere(random), anywhere(random), anywhere(random)}, std::exp2(octaves(random)),
        (0.5 + anywhere(random)) * std::exp2(20. * double(i) / double(count)), {anywhere(random)});
  return particles;
}

test::Particles chosen(const test::Particles& all, const std::vector<std::size_t>& rows) {
  test::Particles some;
  for (const std::size_t i : rows) {
    for (std::size_t c = 0; c < 3; ++c) some.position[c].push_back(all.position[c][i]);
    some.radius.push_back(all.radius[i]);
    some.weight.push_back(all.weight[i]);
    some.color[0].push_back(all.color[0][i]);
  }
  return some;
}

Frame drawn(Renderer& renderer, const test::Particles& particles, const Options& options) {
  Progress progress;
  renderer.set_particles(test::open_domain(0, 1), {particles.input()}, progress);
  View view;
  view.eye = {0.5, 0.5, 3};
  view.target = {0.5, 0.5, 0.5};
  view.fov_degrees = 30;
  view.width = kWidth;
  view.height = kHeight;
  Appearance look;
  look.palette = {{1, 0.2f, 0}, {0, 0.3f, 1}};
  look.brightness = 1e-3f;
  return renderer.render(view, {look}, options, progress);
}

Options deterministic() {
  Options options;
  options.deterministic = true;
  return options;
}

bool same_bytes(const ImageF& a, const ImageF& b) {
  return a.pixels.size() == b.pixels.size() &&
         std::memcmp(a.pixels.data(), b.pixels.data(), a.pixels.size() * sizeof(float)) == 0;
}

// Largest difference beside the brightest value.
double difference(const ImageF& a, const ImageF& b) {
  double most = 0, brightest = 0;
  for (std::size_t i = 0; i < a.pixels.size(); ++i) {
    most = std::max(most, std::abs(double(a.pixels[i]) - double(b.pixels[i])));
    brightest = std::max(brightest, double(a.pixels[i]));
  }
  return most / brightest;
}

std::vector<Splat> made_splats(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> part(-0.5f, 0.5f), octaves(-3, 6), light(-20, 20);
  std::vector<Splat> splats;
  for (std::size_t i = 0; i < count; ++i) {
    Splat s{};
    s.ix = int(random() % (kWidth + 40)) - 20;
    s.iy = int(random() % (kHeight + 40)) - 20;
    s.radius = std::exp2(octaves(random));
    if (s.radius <= kSmallRadius) {  // those lie on the picture
      s.ix = std::clamp(s.ix, 0, kWidth - 1);
      s.iy = std::clamp(s.iy, 0, kHeight - 1);
    }
    s.fx = part(random);
    s.fy = part(random);
    for (float& e : s.emission) e = std::exp2(light(random));
    splats.push_back(s);
  }
  return splats;
}

AllLightPeaks all_peaks(const std::vector<Splat>& splats) {
  AllLightPeaks all;
  all.add(peaks_of(splats.data(), splats.size()));
  return all;
}

}  // namespace

TEST_CASE("tiles sum light as pixels do, to the bit", "[default][exact_light]") {
  const std::vector<Splat> splats = made_splats(3000, 2);
  LightTarget target;
  target.width = kWidth;
  target.height = kHeight;
  target.unit = LightUnit(all_peaks(splats));
  std::vector<std::int64_t> tiles(3 * kWidth * kHeight), plain(tiles.size());
  target.rgb = tiles.data();
  add_to_light(splats.data(), splats.size(), target);
  for (int y = 0; y < kHeight; ++y)
    for (int x = 0; x < kWidth; ++x)
      for (const Splat& s : splats)
        add_deposit(s, x, y, target.unit.per_unit, &plain[std::size_t(3 * (y * kWidth + x))]);
  CHECK(tiles == plain);
  CHECK(*std::max_element(plain.begin(), plain.end()) > (std::int64_t(1) << 40));
}

TEST_CASE("the unit of light leaves room for all particles in one pixel", "[exact_light]") {
  std::mt19937 random(8);
  std::uniform_real_distribution<double> octaves(-126, 127);
  for (const std::size_t count : {1, 2, 3, 1000, 100000})
    for (const bool alike : {true, false}) {
      std::vector<float> peaks;
      for (std::size_t i = 0; i < count; ++i)
        peaks.push_back(alike ? 1.75f : float(std::exp2(octaves(random))));
      AllLightPeaks all;
      LightPeaks some;
      for (const float p : peaks) some.add(p);
      all.add(some);
      const LightUnit unit(all);
      const double sum = std::accumulate(peaks.begin(), peaks.end(), 0.);
      INFO(count << " peaks" << (alike ? ", alike" : ""));
      CHECK(unit.size * unit.per_unit == 1);
      CHECK(sum * unit.per_unit < std::exp2(61));
      CHECK(double(all.largest) * unit.per_unit < std::exp2(50));
      // And no more than it needs: one of the bounds is within 4 of what it was.
      CHECK((sum * unit.per_unit > std::exp2(58) ||
             double(all.largest) * unit.per_unit >= std::exp2(49)));
      // In another order, in two parts.
      std::shuffle(peaks.begin(), peaks.end(), random);
      AllLightPeaks parts;
      for (const bool first : {true, false}) {
        LightPeaks half;
        for (std::size_t i = 0; i < count; ++i)
          if ((i < count / 3) == first) half.add(peaks[i]);
        parts.add(half);
      }
      CHECK(LightUnit(parts).size == unit.size);
    }
  CHECK(LightUnit(AllLightPeaks()).per_unit == 0);
  LightPeaks odd;
  for (const float p : {0.f, -1.f, std::numeric_limits<float>::quiet_NaN()}) odd.add(p);
  CHECK(odd.largest == 0);
}

TEST_CASE("a hundred thousand splats in one pixel are summed whole", "[exact_light]") {
  std::vector<Splat> splats(100000);
  for (Splat& s : splats) s = {7, 9, 0.25f, -0.25f, 0.1f, {1.f / 3, 1, 0.1f}, 1};
  std::vector<std::int64_t> sums(3 * kWidth * kHeight);
  const LightTarget target{kWidth, kHeight, sums.data(), LightUnit(all_peaks(splats))};
  add_to_light(splats.data(), splats.size(), target);
  const std::int64_t* const rgb = &sums[std::size_t(3 * (9 * kWidth + 7))];
  CHECK(double(rgb[1]) * target.unit.size == Approx(1e5).epsilon(1e-14));
  CHECK(double(rgb[0]) * target.unit.size == Approx(1e5 * double(1.f / 3)).epsilon(1e-12));
  CHECK(std::count_if(sums.begin(), sums.end(), [](auto s) { return s != 0; }) == 3);
}

TEST_CASE("deterministic pictures do not hang on the order of the particles", "[exact_light]") {
  const test::Particles particles = made_particles(4000);
  std::vector<std::size_t> order(4000);
  std::iota(order.begin(), order.end(), std::size_t(0));
  std::shuffle(order.begin(), order.end(), std::mt19937(3));
  const test::Particles shuffled = chosen(particles, order);
  for (const auto& device : test::devices()) {
    const auto renderer = test::make_renderer(device);
    const ImageF one = drawn(*renderer, particles, deterministic()).image;
    INFO(device);
    CHECK(same_bytes(drawn(*renderer, shuffled, deterministic()).image, one));
    Options floats;
    floats.exact = true;
    CHECK(difference(drawn(*renderer, particles, floats).image, one) < 1e-5);
    const auto cpu = make_cpu_renderer();
    CHECK(same_bytes(drawn(*cpu, particles, deterministic()).image, one));
  }
}

TEST_CASE("pictures over ranks are those of one process", "[ranks][exact_light]") {
  struct Case {
    const char* name;
    Options options;
    bool exact;
  };
  std::vector<Case> cases{{"deterministic", deterministic(), true},
                          {"light", {}, false},
                          {"classic", {}, false},
                          {"map", {}, true}};
  cases[2].options.mode = Mode::Classic;
  cases[3].options.mode = Mode::Map;
  // Fewer particles than ranks too, and pictures with fewer rows than ranks are cut alike.
  for (const std::size_t count : {1, 3000}) {
    const test::Particles particles = made_particles(count);
    for (const Case& one : cases) {
      const auto alone_renderer = make_cpu_renderer();
      const Frame whole = drawn(*alone_renderer, particles, one.options);
      for (int size = 1; size <= 4; ++size) {
        Frame first;
        bool others_empty = true;
        run_thread_ranks(size, [&](Ranks& ranks) {
          const auto renderer = make_cpu_renderer(&ranks);
          std::vector<std::size_t> rows;
          for (std::uint64_t i = part_begin(count, ranks.rank(), size);
               i < part_begin(count, ranks.rank() + 1, size); ++i)
            rows.push_back(std::size_t(i));
          Frame frame = drawn(*renderer, chosen(particles, rows), one.options);
          if (ranks.first())
            first = std::move(frame);
          else if (!frame.image.pixels.empty())
            others_empty = false;
        });
        INFO(one.name << ", " << count << " particles, " << size << " ranks");
        CHECK(others_empty);
        REQUIRE(first.image.pixels.size() == whole.image.pixels.size());
        if (one.exact)
          CHECK(same_bytes(first.image, whole.image));
        else
          CHECK(difference(first.image, whole.image) < 1e-3);
        CHECK(first.counts.particles == whole.counts.particles);
        CHECK(first.counts.small == whole.counts.small);
        CHECK(first.counts.medium == whole.counts.medium);
        CHECK(first.counts.large == whole.counts.large);
        CHECK(first.counts.inactive == whole.counts.inactive);
        CHECK(first.counts.mean_radius_pixels == Approx(whole.counts.mean_radius_pixels));
      }
    }
  }
}
