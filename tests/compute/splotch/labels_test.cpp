#include "tests/catch.h"
#include "tests/renderers.h"
#include "tests/skip.h"

#include <algorithm>
#include <cmath>
#include <random>

// Labels of particles and the tints that change their light, against pictures of other particles
// without any.

using namespace haloscope;
using namespace haloscope::compute::splotch;
using haloscope::compute::Device;

namespace {

constexpr int kPixels = 96;

// Particles of all sizes, from parts of a pixel to a third of the picture, two types of them.
struct Crowd {
  Domain domain = test::open_domain(0, 1);
  test::Particles types[2];
  std::vector<std::uint8_t> labels[2];
  View view;
  Appearance look;

  explicit Crowd(int count, bool wide = true) {
    std::mt19937 random(5);
    std::uniform_real_distribution<double> uniform(0, 1);
    for (int i = 0; i < count; ++i) {
      std::array<double, 3> p;
      for (double& x : p) x = 0.01 + 0.98 * uniform(random);
      const double radius = 0.002 * std::pow(wide ? 150. : 4., uniform(random));
      types[i % 2].add(domain, p, radius, 0.5 + uniform(random), {uniform(random)});
      labels[i % 2].push_back(std::uint8_t(4 * uniform(random) * uniform(random)));
    }
    view.eye = {0.5, 0.5, 2};
    view.target = {0.5, 0.5, 0.5};
    view.width = view.height = kPixels;
    look.palette = {{1, 0.2f, 0.1f}, {0.1f, 0.4f, 1}};
  }

  std::unique_ptr<Renderer> renderer(Device device, std::uint64_t budget = 0) const {
    return renderer_of(device, {types[0].input(), types[1].input()}, budget);
  }
  std::unique_ptr<Renderer> renderer_of(Device device, const std::vector<TypeInput>& inputs,
                                        std::uint64_t budget = 0) const {
    Progress progress;
    auto made = test::make_renderer(device, budget);
    made->set_particles(domain, inputs, progress);
    return made;
  }
  std::unique_ptr<Renderer> labeled(Device device, std::uint64_t budget = 0) const {
    auto made = renderer(device, budget);
    made->label({labels[0].data(), labels[1].data()});
    return made;
  }
  // The particles with a label alone.
  std::unique_ptr<Renderer> those_with(Device device, int label) const {
    std::array<test::Particles, 2> part;
    for (std::size_t t = 0; t < 2; ++t)
      for (std::size_t i = 0; i < labels[t].size(); ++i) {
        if (labels[t][i] != label) continue;
        for (std::size_t c = 0; c < 3; ++c) part[t].position[c].push_back(types[t].position[c][i]);
        part[t].radius.push_back(types[t].radius[i]);
        part[t].weight.push_back(types[t].weight[i]);
        part[t].color[0].push_back(types[t].color[0][i]);
      }
    return renderer_of(device, {part[0].input(), part[1].input()});
  }
  Frame draw(Renderer& renderer, const std::vector<Tint>& tints,
             const Options& options = {}) const {
    Progress progress;
    Appearance tinted = look;
    tinted.tints = tints;
    return renderer.render(view, {tinted, tinted}, options, progress);
  }
};

Tint tint(std::array<float, 3> color, float strength, float brightness = 1) {
  return {color, strength, brightness};
}
const Tint kHidden = tint({1, 1, 1}, 0, 0);

// Largest difference by the brightest channel of the picture: sums of some thousand float32 terms,
// each of which is right to a few steps of 6e-8, in any order; wide splats on levels are drawn to a
// thousandth.
double apart(const ImageF& a, const ImageF& b) {
  REQUIRE(a.pixels.size() == b.pixels.size());
  double brightest = 1e-30, most = 0;
  for (std::size_t i = 0; i < a.pixels.size(); ++i) {
    brightest = std::max(brightest, double(std::abs(b.pixels[i])));
    most = std::max(most, double(std::abs(a.pixels[i] - b.pixels[i])));
  }
  return most / brightest;
}
constexpr double kSums = 2e-5;
constexpr double kLevels = 2e-3;
// A GPU draws small splats without labels in groups, with light of 12 bits, and those with labels
// one by one: half of the last bit where a pixel has one splat alone.
constexpr double kGroups = kSums + 1.0 / 8192;

std::vector<Options> ways() {
  std::vector<Options> all(4);
  all[1].exact = true;
  all[2].strategy = Strategy::Paper;
  all[3].deterministic = true;
  return all;
}

double bound_of(const Options& options) {
  const bool levels =
      options.strategy == Strategy::Auto && !options.exact && !options.deterministic;
  return levels ? kLevels : kSums;
}

ImageF sum_of(const std::vector<std::pair<const ImageF*, std::array<float, 3>>>& parts) {
  ImageF sum = *parts.front().first;
  for (std::size_t i = 0; i < sum.pixels.size(); ++i) {
    sum.pixels[i] = 0;
    for (const auto& [image, factor] : parts) sum.pixels[i] += image->pixels[i] * factor[i % 3];
  }
  return sum;
}

}  // namespace

TEST_CASE("the picture with the rest hidden is that of the members alone", "[labels]") {
  const Crowd crowd(6000);
  for (const Device device : test::devices())
    for (const Options& options : ways()) {
      CAPTURE(device, options.exact, int(options.strategy), options.deterministic);
      const Frame hidden =
          crowd.draw(*crowd.labeled(device), {kHidden, kHidden, Tint{}, kHidden}, options);
      const Frame alone = crowd.draw(*crowd.those_with(device, 2), {}, options);
      CHECK(apart(hidden.image, alone.image) < bound_of(options));
      // Nothing hidden counts as drawn.
      CHECK(hidden.counts.small == alone.counts.small);
      CHECK(hidden.counts.medium == alone.counts.medium);
      CHECK(hidden.counts.large == alone.counts.large);
      CHECK(hidden.counts.small + hidden.counts.medium + hidden.counts.large +
                hidden.counts.inactive ==
            6000);
    }
}

TEST_CASE("a dimmed rest adds its share of its own picture", "[labels]") {
  const Crowd crowd(6000);
  for (const Device device : test::devices())
    for (const Options& options : ways()) {
      CAPTURE(device, options.exact, int(options.strategy), options.deterministic);
      std::vector<Frame> parts;
      for (int label = 0; label < 4; ++label)
        parts.push_back(crowd.draw(*crowd.those_with(device, label), {}, options));
      const auto times = [](float f) { return std::array<float, 3>{f, f, f}; };
      const ImageF expected = sum_of({{&parts[0].image, times(0.1f)},
                                      {&parts[1].image, times(1)},
                                      {&parts[2].image, times(0.5f)},
                                      {&parts[3].image, times(1)}});
      const Frame frame = crowd.draw(*crowd.labeled(device),
                                     {tint({}, 0, 0.1f), Tint{}, tint({}, 0, 0.5f)}, options);
      CHECK(apart(frame.image, expected) < bound_of(options));
    }
}

TEST_CASE("a replaced color has its strength, and keeps a particle's light", "[labels]") {
  const Crowd crowd(6000);
  const std::array<float, 3> red{2, 0.25f, 0}, white{1, 1, 1};
  for (const Device device : test::devices()) {
    CAPTURE(device);
    Options options;
    options.exact = true;
    const Frame own = crowd.draw(*crowd.those_with(device, 1), {}, options);
    const Frame rest = crowd.draw(*crowd.those_with(device, 0), {}, options);
    // Colorless, for the light alone.
    Crowd gray = crowd;
    gray.look.palette = {white};
    const Frame light = gray.draw(*crowd.those_with(device, 1), {}, options);
    for (const float strength : {0.f, 0.3f, 1.f}) {
      const float kept = 1 - strength;
      const ImageF expected =
          sum_of({{&rest.image, {1, 1, 1}},
                  {&own.image, {kept, kept, kept}},
                  {&light.image, {strength * red[0], strength * red[1], strength * red[2]}}});
      const Frame frame = crowd.draw(*crowd.labeled(device),
                                     {Tint{}, tint(red, strength), kHidden, kHidden}, options);
      CHECK(apart(frame.image, expected) < kSums);
    }
  }
}

TEST_CASE("labels without tints, and particles without labels, are drawn as ever", "[labels]") {
  const Crowd crowd(6000);
  for (const Device device : test::devices()) {
    CAPTURE(device);
    const auto plain = crowd.renderer(device);
    Options options;
    options.deterministic = true;  // to the same bits
    const Frame before = crowd.draw(*plain, {}, options);
    const auto same = [&](const Frame& frame) { return frame.image.pixels == before.image.pixels; };
    // Tints change nobody without a label.
    CHECK(same(crowd.draw(*plain, {kHidden, kHidden, kHidden, kHidden}, options)));
    plain->label({crowd.labels[0].data(), crowd.labels[1].data()});
    CHECK(same(crowd.draw(*plain, {}, options)));
    CHECK_FALSE(same(crowd.draw(*plain, {kHidden}, options)));
    // A type without a list has the label 0.
    plain->label({nullptr, nullptr});
    CHECK(same(crowd.draw(*plain, {Tint{}, kHidden, kHidden, kHidden}, options)));
    CHECK(crowd.draw(*plain, {kHidden}, options).counts.inactive == 6000);
    plain->label({});
    CHECK(same(crowd.draw(*plain, {kHidden, kHidden, kHidden, kHidden}, options)));
  }
}

TEST_CASE("samples of the particles have their labels", "[labels][sample]") {
  const Crowd crowd(200'000, false);
  for (const Device device : test::devices())
    for (const int sample : {2, 8, 16, 64}) {
      CAPTURE(device, sample);
      Options options;
      options.sample = sample;
      const auto labeled = crowd.labeled(device);
      const Frame all = crowd.draw(*labeled, {}, options);
      std::vector<ImageF> parts;
      std::uint64_t drawn = 0;
      for (std::size_t label = 0; label < 4; ++label) {
        std::vector<Tint> tints(4, kHidden);
        tints[label] = Tint{};
        const Frame frame = crowd.draw(*labeled, tints, options);
        drawn += frame.counts.small + frame.counts.medium + frame.counts.large;
        // Each part has about as many as there are in all: four standard deviations.
        double of_label = 0;
        for (const auto& labels : crowd.labels)
          of_label += double(std::count(labels.begin(), labels.end(), int(label)));
        const double active = double(all.counts.small + all.counts.medium + all.counts.large);
        const double expected = active * of_label / 200'000;
        const double got = double(frame.counts.small + frame.counts.medium + frame.counts.large);
        CHECK(std::abs(got - expected) < 4 * std::sqrt(expected) + 1);
        parts.push_back(frame.image);
      }
      CHECK(drawn == all.counts.small + all.counts.medium + all.counts.large);
      const ImageF sum = sum_of({{&parts[0], {1, 1, 1}},
                                 {&parts[1], {1, 1, 1}},
                                 {&parts[2], {1, 1, 1}},
                                 {&parts[3], {1, 1, 1}}});
      CHECK(apart(sum, all.image) < kLevels);
      // Labels given later are those of the samples too.
      labeled->label({nullptr, nullptr});
      CHECK(apart(crowd.draw(*labeled, {Tint{}, kHidden, kHidden, kHidden}, options).image,
                  all.image) < kGroups);
    }
}

TEST_CASE("in a sample too, a label is that of its particle", "[labels][sample]") {
  Crowd crowd(100'000, false);
  // The left half of the picture and the right one.
  for (std::size_t t = 0; t < 2; ++t)
    for (std::size_t i = 0; i < crowd.labels[t].size(); ++i)
      crowd.labels[t][i] = crowd.domain.to_world(crowd.types[t].position[0][i], 0) < 0.5 ? 1 : 2;
  for (const Device device : test::devices()) {
    const auto labeled = crowd.labeled(device);
    for (const int sample : {1, 2, 8, 32, 64}) {
      CAPTURE(device, sample);
      Options options;
      options.sample = sample;
      const ImageF image = crowd.draw(*labeled, {kHidden, Tint{}, kHidden}, options).image;
      double left = 0, right = 0;
      // No splat reaches over 3 pixels.
      for (int y = 0; y < kPixels; ++y)
        for (int x = 0; x < kPixels; ++x)
          (x < kPixels / 2 + 4 ? left : right) +=
              double(image.pixels[std::size_t(3 * (y * kPixels + x))]);
      CHECK(left > 0);
      CHECK(right == 0);
    }
  }
}

TEST_CASE("maps and classic pictures know no tints", "[labels]") {
  const Crowd crowd(3000);
  for (const Device device : test::devices())
    for (const Mode mode : {Mode::Classic, Mode::Map}) {
      CAPTURE(device, int(mode));
      Options options;
      options.mode = mode;
      options.deterministic = true;
      const Frame without = crowd.draw(*crowd.renderer(device), {}, options);
      const Frame with =
          crowd.draw(*crowd.labeled(device), {kHidden, kHidden, kHidden, kHidden}, options);
      const bool same = with.image.pixels == without.image.pixels;
      CHECK(same);
    }
}

TEST_CASE("streamed particles have their labels", "[labels][gpu]") {
  if (!is_usable(Device::cuda())) return test::skip(test::Needs::Gpu, "there is no GPU");
  const Crowd crowd(300'000, false);
  const std::vector<Tint> tints{kHidden, tint({1, 0, 0}, 0.5f), tint({}, 0, 0.25f), kHidden};
  // A budget of 4 MB holds neither type.
  const auto streamed = crowd.labeled(Device::cuda(), 4u << 20);
  const Frame here = crowd.draw(*crowd.labeled(Device::cuda()), tints);
  const Frame there = crowd.draw(*streamed, tints);
  CHECK(apart(there.image, here.image) < kLevels);
  streamed->label({});
  CHECK(apart(crowd.draw(*streamed, {}).image,
              crowd.draw(*crowd.renderer(Device::cuda()), {}).image) < kLevels);
}

TEST_CASE("both executors tint alike", "[labels][gpu]") {
  if (!is_usable(Device::cuda())) return test::skip(test::Needs::Gpu, "there is no GPU");
  const Crowd crowd(20'000);
  const std::vector<Tint> tints{tint({}, 0, 0.1f), tint({1, 0, 0}, 1), tint({0, 1, 0}, 0.5f),
                                kHidden};
  for (const LargeOn large : {LargeOn::Cpu, LargeOn::Gpu}) {
    Options options;
    options.exact = true;
    options.large = large;
    const Frame cpu = crowd.draw(*crowd.labeled(Device::cpu()), tints, options);
    const Frame gpu = crowd.draw(*crowd.labeled(Device::cuda()), tints, options);
    CHECK(apart(gpu.image, cpu.image) < kSums);
    CHECK(gpu.counts.small + gpu.counts.medium + gpu.counts.large ==
          cpu.counts.small + cpu.counts.medium + cpu.counts.large);
  }
}
