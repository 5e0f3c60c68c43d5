// Sums of light in whole numbers: deterministic pictures, whatever the order of the particles and
// however they are divided among ranks.

#include "compute/exec/ranks.h"
#include "compute/splotch/light_tiles_cpu.h"
#include "compute/splotch/renderer.h"
#include "tests/catch.h"
#include "tests/gpus.h"
#include "tests/renderers.h"
#include "tests/skip.h"

#include <algorithm>
#include <atomic>
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

Frame drawn(Renderer& renderer, const test::Particles& particles, const Options& options,
            int height = kHeight) {
  Progress progress;
  renderer.set_particles(test::open_domain(0, 1), {particles.input()}, progress);
  View view;
  view.eye = {0.5, 0.5, 3};
  view.target = {0.5, 0.5, 0.5};
  view.fov_degrees = 30;
  view.width = kWidth;
  view.height = height;
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

struct RankedCase {
  const char* name;
  Options options;
  double bound;  // of the largest difference beside the brightest value; 0: the same bits
  int height = kHeight;
};

// Sums in whole numbers are the same. Of floats, each of n deposits in a pixel adds half a last
// place at most, in both pictures; wide splats on levels are resampled besides, by what the ranks'
// own splats are.
std::vector<RankedCase> ranked_cases(std::size_t count) {
  const double rounding = 2 * double(count + 4) * std::exp2(-24);
  std::vector<RankedCase> cases{{"deterministic", deterministic(), 0},
                                {"fewer rows than ranks", deterministic(), 0, 2},
                                {"exact", {}, rounding},
                                {"exact, large splats on the processor", {}, rounding},
                                {"light", {}, 1e-3},
                                {"classic", {}, 1e-3},
                                {"map", {}, 0}};
  cases[2].options.exact = cases[3].options.exact = true;
  // Left to the renderer it hangs on measured times, and the two round in their own ways.
  cases[2].options.large = LargeOn::Gpu;
  cases[3].options.large = LargeOn::Cpu;
  cases[5].options.mode = Mode::Classic;
  cases[6].options.mode = Mode::Map;
  return cases;
}

struct RankedFrame {
  Frame first;
  bool others_empty = true;
  std::vector<std::uint64_t> sent;  // bytes of each rank
};

// A rank for each device, with a run of the rows. `budget`: bytes of a GPU for the last rank's
// particles, 0: enough.
RankedFrame drawn_over(const std::vector<Device>& devices, Wire wire,
                       const test::Particles& particles, const RankedCase& one,
                       std::uint64_t budget = 0) {
  const int size = int(devices.size());
  RankedFrame result;
  result.sent.resize(devices.size());
  std::atomic<bool> others_empty{true};
  run_thread_ranks(size, [&](Ranks& ranks) {
    const Device device = devices[std::size_t(ranks.rank())];
    const auto renderer =
        device.is_gpu()
            ? make_cuda_renderer(device, ranks.rank() + 1 == size ? budget : 0, &ranks, wire)
            : make_cpu_renderer(&ranks);
    const std::uint64_t count = particles.position[0].size();
    std::vector<std::size_t> rows;
    for (std::uint64_t i = part_begin(count, ranks.rank(), size);
         i < part_begin(count, ranks.rank() + 1, size); ++i)
      rows.push_back(std::size_t(i));
    Frame frame = drawn(*renderer, chosen(particles, rows), one.options, one.height);
    result.sent[std::size_t(ranks.rank())] = frame.sent_bytes;
    if (ranks.first())
      result.first = std::move(frame);
    else if (!frame.image.pixels.empty())
      others_empty = false;
  });
  result.others_empty = others_empty;
  return result;
}

void check_over_ranks(const std::vector<Device>& devices, Wire wire,
                      const test::Particles& particles, const RankedCase& one, const Frame& whole,
                      std::uint64_t budget = 0) {
  const RankedFrame over = drawn_over(devices, wire, particles, one, budget);
  INFO(one.name << ", " << particles.position[0].size() << " particles, " << devices.size()
                << " ranks on " << devices.back() << ", wire " << int(wire));
  CHECK(over.others_empty);
  REQUIRE(over.first.image.pixels.size() == whole.image.pixels.size());
  if (one.bound == 0)
    CHECK(same_bytes(over.first.image, whole.image));
  else
    CHECK(difference(over.first.image, whole.image) < one.bound);
  CHECK(over.first.counts.particles == whole.counts.particles);
  CHECK(over.first.counts.small == whole.counts.small);
  CHECK(over.first.counts.medium == whole.counts.medium);
  CHECK(over.first.counts.large == whole.counts.large);
  CHECK(over.first.counts.inactive == whole.counts.inactive);
  CHECK(over.first.counts.mean_radius_pixels ==
        Approx(whole.counts.mean_radius_pixels).epsilon(1e-4));
  const auto& phases = over.first.timings.samples();
  CHECK(phases.count("composite") == 1);
  for (const char* phase : {"wait", "gather"})
    CHECK(phases.count(phase) == std::size_t(devices.size() > 1));
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
  Cpu cpu;
  add_to_light(cpu, splats.data(), splats.size(), target);
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
  Cpu cpu;
  add_to_light(cpu, splats.data(), splats.size(), target);
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

TEST_CASE("pictures in a fixed order tell the sizes that others tell", "[exact_light]") {
  test::Particles particles = made_particles(4000);
  // Larger than the picture.
  particles.add(test::open_domain(0, 1), {0.5, 0.5, 0.5}, 1.5, 1, {0.5});
  for (const auto& device : test::devices()) {
    const auto renderer = test::make_renderer(device);
    Options fast, absorbing;
    fast.exact = true;
    absorbing.absorption = true;
    const Counts expected = drawn(*renderer, particles, fast).counts;
    CHECK(expected.small > 0);
    CHECK(expected.medium > 0);
    CHECK(expected.large > 0);
    for (const Options& options : {deterministic(), absorbing}) {
      const Counts found = drawn(*renderer, particles, options).counts;
      INFO(device << (options.absorption ? ", absorbing" : ", deterministic"));
      CHECK(found.small == expected.small);
      CHECK(found.medium == expected.medium);
      CHECK(found.large == expected.large);
      CHECK(found.inactive == expected.inactive);
      // Sums in any order, some of them in float32.
      CHECK(found.mean_radius_pixels == Approx(expected.mean_radius_pixels).epsilon(1e-4));
      CHECK(found.pixel_updates == Approx(expected.pixel_updates).epsilon(1e-4));
    }
    // The paper's scheme has its own sizes.
    Options paper, ordered = deterministic();
    paper.strategy = ordered.strategy = Strategy::Paper;
    const Counts a = drawn(*renderer, particles, paper).counts,
                 b = drawn(*renderer, particles, ordered).counts;
    INFO(device << ", the paper's scheme");
    CHECK(a.large > expected.large);
    CHECK(b.small == a.small);
    CHECK(b.medium == a.medium);
    CHECK(b.large == a.large);
    CHECK(b.inactive == a.inactive);
    CHECK(a.mean_radius_pixels == Approx(expected.mean_radius_pixels).epsilon(1e-4));
    CHECK(b.mean_radius_pixels == Approx(expected.mean_radius_pixels).epsilon(1e-4));
  }
}

TEST_CASE("pictures over ranks are those of one process", "[ranks][exact_light]") {
  // Fewer particles than ranks too.
  for (const std::size_t count : {1, 3000}) {
    const test::Particles particles = made_particles(count);
    for (const RankedCase& one : ranked_cases(count)) {
      const auto alone_renderer = make_cpu_renderer();
      const Frame whole = drawn(*alone_renderer, particles, one.options, one.height);
      for (std::size_t size = 1; size <= 4; ++size)
        check_over_ranks(std::vector<Device>(size), Wire::Auto, particles, one, whole);
    }
  }
}

TEST_CASE("pictures over ranks on one GPU are those of one process", "[gpu][ranks][exact_light]") {
  if (!is_usable(Device::cuda())) return test::skip(test::Needs::Gpu, "there is no GPU");
  for (const std::size_t count : {1, 3000}) {
    const test::Particles particles = made_particles(count);
    for (const RankedCase& one : ranked_cases(count)) {
      const auto alone_renderer = make_cuda_renderer(Device::cuda());
      const Frame whole = drawn(*alone_renderer, particles, one.options, one.height);
      if (one.bound == 0) {
        const auto cpu = make_cpu_renderer();
        CHECK(same_bytes(drawn(*cpu, particles, one.options, one.height).image, whole.image));
      }
      for (std::size_t size = 1; size <= 3; ++size)
        for (const Wire wire : {Wire::Auto, Wire::Host})
          check_over_ranks(std::vector<Device>(size, Device::cuda()), wire, particles, one, whole);
    }
  }
}

TEST_CASE("a rank whose particles do not fit its GPU draws them all the same",
          "[gpu][ranks][exact_light]") {
  if (!is_usable(Device::cuda())) return test::skip(test::Needs::Gpu, "there is no GPU");
  const test::Particles particles = made_particles(30000);
  for (const RankedCase& one : ranked_cases(30000)) {
    const auto alone_renderer = make_cuda_renderer(Device::cuda());
    const Frame whole = drawn(*alone_renderer, particles, one.options, one.height);
    check_over_ranks({Device::cuda(), Device::cuda()}, Wire::Auto, particles, one, whole, 200000);
  }
}

TEST_CASE("pictures over two GPUs are those of one", "[gpu][ranks][exact_light]") {
  const auto gpus = test::two_gpus();
  if (gpus.empty()) return;
  const test::Particles particles = made_particles(3000);
  for (const RankedCase& one : ranked_cases(3000)) {
    const auto alone_renderer = make_cuda_renderer(gpus[0]);
    const Frame whole = drawn(*alone_renderer, particles, one.options, one.height);
    for (const Wire wire : {Wire::Auto, Wire::Peer, Wire::Host})
      check_over_ranks(gpus, wire, particles, one, whole);
  }
}

TEST_CASE("of a picture each rank sends the rows of others, and its own to the first",
          "[ranks][exact_light]") {
  const test::Particles particles = made_particles(30);
  const auto sent = drawn_over(std::vector<Device>(3), Wire::Auto, particles,
                               {"deterministic", deterministic(), 0, 91})
                        .sent;
  // Of 91 rows 30, 30 and 31 are theirs; sums have three numbers of 8 bytes a pixel, light of 4.
  CHECK(sent == std::vector<std::uint64_t>{kWidth * 61 * 24, kWidth * (61 * 24 + 30 * 12),
                                           kWidth * (60 * 24 + 31 * 12)});
}
