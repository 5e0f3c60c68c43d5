#include "analysis/particle_colors.h"

#include "analysis/halos/halo_finder.h"
#include "analysis/halos/halo_search.h"
#include "compute/clusters/cluster_tree.h"
#include "compute/splotch/run.h"
#include "core/error.h"
#include "tests/catch.h"
#include "tests/made/labeled.h"
#include "tests/renderers.h"
#include "tests/skip.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

// Particles in the colors of their halos.

using namespace haloscope;
using namespace haloscope::analysis;
using namespace haloscope::compute::splotch;
using haloscope::compute::Device;

namespace {

using Rgb = std::array<double, 3>;
using Matrix = std::array<Rgb, 3>;

Rgb times(const Matrix& m, const Rgb& v) {
  Rgb out{};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) out[i] += m[i][j] * v[j];
  return out;
}

// CIE 1976 L*a*b* of linear sRGB, D65.
Rgb lab(const Rgb& linear) {
  const Matrix to_xyz{
      {{0.4124, 0.3576, 0.1805}, {0.2126, 0.7152, 0.0722}, {0.0193, 0.1192, 0.9505}}};
  Rgb f = times(to_xyz, linear);
  f[0] /= 0.9505;
  f[2] /= 1.089;
  for (double& x : f) x = x > 0.008856 ? std::cbrt(x) : 7.787 * x + 16. / 116;
  return {116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])};
}

// Particles on a line, each in a pixel of its own. Two runs of them, so that where particles are
// streamed each chunk, of one run, fills the buffer that it is copied to.
constexpr int kCount = 2 * kRun;
// Bytes on the GPU that hold the samples of 1 in 8 and in 64, and by far not all particles.
constexpr std::uint64_t kStreamed = 10000;

// What particles are colored by before they get other values.
enum class Own { Vector, Density };

struct Row {
  Domain domain = test::open_domain(0, 1);
  test::Particles particles;
  std::vector<int> order;  // in the file; place on the line
  View view;
  Own own;

  explicit Row(Own by) : own(by) {
    order.resize(kCount);
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), std::mt19937(5));
    std::vector<double> color;
    if (own == Own::Vector) color = {0.3, 0.6, 0.9};
    for (const int place : order)
      particles.add(domain, {(place + 0.5) / kCount, 0.5, 0.5}, radius(place), 1, color);
    view.eye = {0.5, 0.5, 2};
    view.target = {0.5, 0.5, 0.5};
    view.perspective = false;
    view.ortho_width = 1;
    view.width = kCount;
    view.height = 1;
  }
  static double radius(int place) { return (0.1 + 0.01 * (place % 5)) / kCount; }
  TypeInput input() const {
    TypeInput in = particles.input();
    if (own == Own::Density) in.density_color = 1;
    return in;
  }
  Appearance look() const {
    Appearance look;
    if (own == Own::Vector) return look;
    look.palette = {{0, 0, 1}, {1, 0.5f, 0}};
    look.color = {Transform::Linear, 0, float(0.25 / std::pow(radius(0), 3))};
    return look;
  }
  // One value per particle in file order.
  template <class F>
  std::vector<float> values(const F& of_place) const {
    std::vector<float> out;
    for (const int place : order) out.push_back(float(of_place(place)));
    return out;
  }
};

// Each pixel has the hue of its particle's halo.
template <class F>
void check_hues(const std::vector<float>& pixels, const Appearance& look, const F& of_place) {
  REQUIRE(pixels.size() == 3 * std::size_t(kCount));
  for (int place = 0; place < kCount; ++place) {
    const auto& color = look.palette[std::size_t(of_place(place))];
    const float light = color[0] + color[1] + color[2];
    const float* const pixel = &pixels[3 * std::size_t(place)];
    const float seen = pixel[0] + pixel[1] + pixel[2];
    INFO("place " << place);
    for (std::size_t c = 0; c < 3; ++c)
      CHECK(pixel[c] / seen == Approx(color[c] / light).margin(1e-5));
  }
}

// A part of the pixels is lit, by eight times as much as when all particles are drawn.
void check_sample(const std::vector<float>& sampled, const std::vector<float>& all) {
  REQUIRE(sampled.size() == all.size());
  std::size_t lit = 0;
  for (std::size_t k = 0; k < sampled.size(); ++k) {
    if (sampled[k] == 0) continue;
    ++lit;
    CHECK(sampled[k] == Approx(8 * all[k]));
  }
  CHECK(lit > 0);
  CHECK(lit < sampled.size() / 4);
}

void check_recoloring(const Row& row, Device device, std::uint64_t budget) {
  const auto one = [](int place) { return place % 9; };
  const auto other = [](int place) { return (5 * place + 2) % 9; };
  const auto ones = row.values(one), others = row.values(other);
  const auto renderer = test::make_renderer(device, budget);
  Progress progress;
  const auto none = test::Particles();
  renderer->set_particles(row.domain, {row.input(), none.input()}, progress);
  Options options;
  options.deterministic = true;
  const Appearance own = row.look();
  Appearance by_halo;
  look_like_pieces(by_halo);
  const auto draw = [&](const Appearance& look, int sample) {
    options.sample = sample;
    const Frame frame = renderer->render(row.view, {look, look}, options, progress);
    CHECK(frame.sample == sample);
    return frame.image.pixels;
  };
  const auto before = draw(own, 1), sampled = draw(own, 8);
  check_sample(sampled, before);
  // Samples that were kept must not keep their colors.
  renderer->recolor({ones.data(), nullptr});
  const auto colored = draw(by_halo, 1);
  check_hues(colored, by_halo, one);
  check_sample(draw(by_halo, 8), colored);
  // From halos to other halos, nothing in between.
  renderer->recolor({others.data(), nullptr});
  const auto again = draw(by_halo, 1);
  check_hues(again, by_halo, other);
  check_sample(draw(by_halo, 8), again);
  renderer->recolor({});
  CHECK(draw(own, 1) == before);
  CHECK(draw(own, 8) == sampled);
}

}  // namespace

TEST_CASE("particles get other colors and their own again", "[splotch][halos]") {
  for (const Own own : {Own::Vector, Own::Density}) {
    const Row row(own);
    for (const auto& device : test::devices())
      for (const std::uint64_t budget : {std::uint64_t(0), kStreamed}) {
        INFO(device << ", budget " << budget << (own == Own::Density ? ", by density" : ""));
        check_recoloring(row, device, budget);
      }
  }
}

TEST_CASE("labels that are on a GPU color particles there", "[splotch][clusters]") {
  const Device device = Device::cuda();
  if (!compute::is_usable(device)) return skip(test::Needs::Gpu, "there is no GPU");
  const Row row(Own::Vector);
  const auto& position = row.particles.position;
  Progress progress;
  const auto tree = compute::clusters::make_cluster_tree(device, progress);
  tree->grow({{position[0].data(), position[1].data(), position[2].data()}, kCount}, {});
  tree->keep_cuts_alone();
  CHECK(tree->cut(kCount / 3, 2) > kPieceColors);
  const auto labels = tree->labels_of_cut();
  tree->cut(0, 1);  // another cut leaves them alone
  std::vector<float> values;
  for (const std::uint32_t label : labels->download())
    values.push_back(label == Labels::kNone ? 0.f : float(1 + label % kPieceColors));

  Appearance by_piece;
  look_like_pieces(by_piece);
  Options options;
  options.deterministic = true;
  const auto none = test::Particles();
  for (const std::uint64_t budget : {std::uint64_t(0), kStreamed}) {
    const auto renderer = test::make_renderer(device, budget);
    renderer->set_particles(row.domain, {row.input(), none.input()}, progress);
    const auto draw = [&](int sample) {
      options.sample = sample;
      return renderer->render(row.view, {by_piece, by_piece}, options, progress).image.pixels;
    };
    renderer->recolor({values.data(), nullptr});
    const auto expected = draw(1), sampled = draw(8), coarsest = draw(64);
    renderer->recolor({});
    const bool fits = budget == 0;
    CHECK(renderer->recolor_by({{labels.get(), 0, kCount, kPieceColors}, {}}) == fits);
    if (!fits) continue;
    CHECK((draw(1) == expected));
    CHECK((draw(8) == sampled));
    // Samples that are there take other colors in place.
    CHECK(renderer->recolor_by({{labels.get(), 0, kCount, 3}, {}}));
    CHECK_FALSE((draw(8) == sampled));
    CHECK_FALSE((draw(64) == coarsest));
    CHECK(renderer->recolor_by({{labels.get(), 0, kCount, kPieceColors}, {}}));
    CHECK((draw(1) == expected));
    CHECK((draw(8) == sampled));
    CHECK((draw(64) == coarsest));
    CHECK_FALSE(renderer->recolor_by({{labels.get(), 1, kCount, kPieceColors}, {}}));  // beyond
    CHECK_FALSE(renderer->recolor_by({{labels.get(), 0, kCount - 1, kPieceColors}, {}}));
  }
  CHECK_FALSE(
      test::make_renderer(Device::cpu())->recolor_by({{labels.get(), 0, kCount, kPieceColors}}));
}

TEST_CASE("rows that were left out keep the others' colors in place", "[halos]") {
  constexpr std::uint32_t kNone = Labels::kNone;
  const ParticleColors colors = test::labeled(1, {2, kNone, 12, kNone, 6}, 13);
  CHECK(color_values(colors, 1, 5, {}) == std::vector<float>{3, 0, 5, 0, 7});
  CHECK(color_values(colors, 1, 3, {0, 3}) == std::vector<float>{0, 5, 7});
  CHECK(color_values(colors, 0, 2, {}) == std::vector<float>{0, 0});
  CHECK_THROWS_AS(color_values(colors, 1, 4, {}), Error);
}

TEST_CASE("a field's values are colors between its limits", "[halos]") {
  auto finding = std::make_shared<Finding>();
  finding->finder = "halos";
  ParticleField& field = finding->fields["distance"];
  field.logarithmic = true;
  field.values[1] = {1, 0, 100, NAN, 10};
  CHECK(limits_of(field) == std::array<double, 2>{1, 100});
  field.limits = limits_of(field);
  CHECK(has_colors(*finding, "distance"));
  CHECK_FALSE(has_colors(*finding, "height"));
  CHECK_FALSE(has_colors(*finding, ""));
  const ParticleColors colors{finding, "distance"};
  // Below all limits, whatever those are.
  constexpr float kLowest = std::numeric_limits<float>::lowest();
  CHECK(color_values(colors, 1, 4, {2}) == std::vector<float>{1, 0, kLowest, 10});
  CHECK(color_values(colors, 4, 2, {}) == std::vector<float>{kLowest, kLowest});
  const Ranging ranging = ranging_of(field);
  CHECK(ranging.transform == Transform::Log);
  CHECK(ranging.low == 0);
  CHECK(ranging.high == 2);
}

TEST_CASE("a search's rows become labels of halos by their numbers", "[halos]") {
  HaloSearch search;
  search.linked = {1};
  search.particles.types.resize(2);
  search.particles.types[0].type = 0;
  search.particles.types[0].count = 2;
  search.particles.types[1].type = 1;
  search.particles.types[1].count = 12;
  search.particles.types[1].rejected_rows = {0, 5};
  // Ten halos of one particle each: rows 2, 3, … 11.
  search.members.begin = {0};
  for (std::uint32_t halo = 0; halo < 10; ++halo) {
    search.members.rows.push_back(halo + 2);
    search.members.begin.push_back(halo);
    search.members.begin.push_back(halo + 1);
  }
  const Labels labels = halo_labels(search);
  constexpr std::uint32_t kNone = Labels::kNone;
  CHECK(labels.pieces == 10);
  CHECK(labels.of.count(0) == 0);
  CHECK(labels.of.at(1) ==
        std::vector<std::uint32_t>{kNone, kNone, kNone, 0, 1, kNone, 2, 3, 4, 5, 6, 7, 8, 9});
}

TEST_CASE("consecutive halos have clearly different colors to all eyes", "[halos]") {
  // Machado, Oliveira & Fernandes (2009), severity 1.
  const Matrix kNormal{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  const Matrix kProtan{{{0.152286, 1.052583, -0.204868},
                        {0.114503, 0.786281, 0.099216},
                        {-0.003882, -0.048116, 1.051998}}};
  const Matrix kDeutan{{{0.367322, 0.860646, -0.227968},
                        {0.280085, 0.672501, 0.047413},
                        {-0.011820, 0.042940, 0.968881}}};
  Appearance look;
  look_like_pieces(look);
  REQUIRE(look.palette.size() == kPieceColors + 1);
  const auto seen = [&](const Matrix& eye, std::size_t halo) {
    const auto& color = look.palette[1 + halo % kPieceColors];
    Rgb rgb = times(eye, {color[0], color[1], color[2]});
    for (double& x : rgb) x = std::clamp(x, 0., 1.);
    return lab(rgb);
  };
  for (std::size_t halo = 0; halo < kPieceColors; ++halo) {
    CHECK(*std::max_element(look.palette[1 + halo].begin(), look.palette[1 + halo].end()) ==
          Approx(1).epsilon(0.01));
    for (const Matrix& eye : {kNormal, kProtan, kDeutan}) {
      const Rgb one = seen(eye, halo), next = seen(eye, halo + 1);
      // Of hue and chroma alone: brightness tells how dense a halo is.
      INFO(halo);
      CHECK(std::hypot(one[1] - next[1], one[2] - next[2]) > 50);
    }
  }
}
