#include "compute/splotch/sample.h"

#include "compute/exec/cpu.h"
#include "compute/splotch/samples.inl"
#include "tests/catch.h"
#include "tests/renderers.h"
#include "tests/skip.h"

#include <cmath>
#include <cstring>
#include <random>
#include <set>

// Samples of the particles: which ones they hold, and that their light is that of all.

using namespace haloscope;
using namespace haloscope::compute::splotch;
using haloscope::compute::Device;

namespace {

constexpr int kSamples[] = {2, 4, 8, 16, 32, 64};
constexpr int kPixels = 16;

// One world length is kPixels pixels; no radius reaches half of one, so that each particle's light
// falls into one pixel.
struct Box {
  Domain domain = test::open_domain(0, 1);
  test::Particles particles, squares;
  View view;
  Appearance look;

  explicit Box(int count, bool equal = false) {
    std::mt19937 random(11);
    std::uniform_real_distribution<double> uniform(0, 1);
    for (int i = 0; i < count; ++i) {
      std::array<double, 3> p;
      // Denser to one side, so that samples meet full pixels and empty ones.
      for (double& x : p) x = 0.01 + 0.98 * uniform(random) * uniform(random);
      const double weight = equal ? 1 : 0.1 + 3 * uniform(random) * uniform(random);
      particles.add(domain, p, 0.01, weight, {});
      squares.add(domain, p, 0.01, weight * weight, {});
    }
    view.eye = {0.5, 0.5, 2};
    view.target = {0.5, 0.5, 0.5};
    view.perspective = false;
    view.ortho_width = 1;
    view.width = view.height = kPixels;
    look.palette = {{1, 0.5f, 0.25f}};
  }

  std::unique_ptr<Renderer> renderer(Device device, const test::Particles& of,
                                     std::uint64_t budget = 0) const {
    Progress progress;
    auto made = test::make_renderer(device, budget);
    // Two types, one of them without particles.
    made->set_particles(domain, {of.input(), test::Particles().input()}, progress);
    return made;
  }
  Frame draw(Renderer& renderer, int sample, Mode mode = Mode::Default) const {
    Progress progress;
    Options options;
    options.mode = mode;
    options.sample = sample;
    return renderer.render(view, {look, look}, options, progress);
  }
};

double sum(const ImageF& image, std::size_t channel = 0) {
  double total = 0;
  for (std::size_t i = channel; i < image.pixels.size(); i += 3) total += double(image.pixels[i]);
  return total;
}

// float32 sums of some 10³ terms in any order.
void require_same_light(const ImageF& a, const ImageF& b) {
  REQUIRE(a.pixels.size() == b.pixels.size());
  for (std::size_t i = 0; i < a.pixels.size(); ++i)
    REQUIRE(std::abs(a.pixels[i] - b.pixels[i]) <= 1e-5f * std::abs(b.pixels[i]));
}

bool has_gpu() {
  if (is_usable(Device::cuda())) return true;
  haloscope::test::skip(haloscope::test::Needs::Gpu, "there is no GPU");
  return false;
}

}  // namespace

TEST_CASE("a sample holds one of every n consecutive particles, and coarser ones are parts of it",
          "[sample]") {
  for (const std::uint64_t count : {0, 1, 2, 63, 64, 65, 1000, 4097}) {
    std::set<std::uint64_t> finer;
    for (const int n : kSamples) {
      std::set<std::uint64_t> places;
      const std::uint64_t size = sample_size(count, n);
      CHECK(size >= count / std::uint64_t(n));
      CHECK(size <= count / std::uint64_t(n) + 1);
      for (std::uint64_t k = 0; k < size; ++k) {
        const std::uint64_t place = place_in_finer(k, n, 1);
        REQUIRE(place < count);
        REQUIRE(place / std::uint64_t(n) == k);
        if (n > 2) REQUIRE(finer.count(place) == 1);
        places.insert(place);
        // Cut from any finer sample it is the same.
        REQUIRE(place == place_in_finer(place_in_finer(k, n, n / 2), n / 2, 1));
      }
      finer = std::move(places);
    }
  }
}

TEST_CASE("each place of a stratum is chosen about as often as any other", "[sample]") {
  constexpr std::uint64_t kStrata = 64000;
  for (const int n : kSamples) {
    std::vector<double> chosen(std::size_t(n), 0.);
    for (std::uint64_t k = 0; k < kStrata; ++k)
      ++chosen[place_in_finer(k, n, 1) % std::uint64_t(n)];
    // Binomial counts: five standard deviations.
    const double expected = double(kStrata) / n;
    for (const double c : chosen) CHECK(std::abs(c - expected) < 5 * std::sqrt(expected));
  }
}

TEST_CASE("of very many particles no sample is cut for a moving camera", "[sample]") {
  CHECK(samples_for_motion(1000, {8, 64}) == std::vector<int>{1, 2, 4, 8, 16, 32, 64});
  CHECK(samples_for_motion(kVeryMany, {16, 64}) == std::vector<int>{1, 16, 64});
  // Where there is no room for the finer one.
  CHECK(samples_for_motion(kVeryMany, {64}) == std::vector<int>{1, 64});
}

TEST_CASE("kept samples take other colors as if they were made anew", "[sample]") {
  using haloscope::compute::Cpu;
  Cpu cpu;
  // The samples of the second type hold no particle, or few.
  for (const std::uint32_t few : {0u, 1u, 2u, 40u}) {
    CAPTURE(few);
    std::vector<Columns> types(2);
    std::vector<float> color[2], other[2];
    std::vector<std::uint32_t> x[2];
    std::vector<float> radius[2];
    for (std::size_t t = 0; t < 2; ++t) {
      const std::uint32_t count = t == 0 ? 1000 : few;
      for (std::uint32_t i = 0; i < count; ++i) {
        x[t].push_back(i);
        radius[t].push_back(float(i + 1));
        color[t].push_back(float(i));
        other[t].push_back(-float(i) - 1);
      }
      types[t].count = count;
      types[t].position = {x[t].data(), x[t].data(), x[t].data()};
      types[t].radius = radius[t].data();
      types[t].color[0] = color[t].data();
    }
    Samples<Cpu> kept, anew;
    for (const int n : kept_samples(2000)) kept.keep(cpu, types, n);
    for (std::size_t t = 0; t < 2; ++t) types[t].color[0] = other[t].data();
    REQUIRE(kept.take_colors(cpu, types));
    for (const int n : kept_samples(2000)) anew.keep(cpu, types, n);
    for (const int n : kept_samples(2000)) {
      const auto taken = kept.find(n)->columns(), made = anew.find(n)->columns();
      for (std::size_t t = 0; t < 2; ++t) {
        REQUIRE(taken[t].count == made[t].count);
        for (std::uint64_t i = 0; i < taken[t].count; ++i) {
          REQUIRE(taken[t].color[0][i] == made[t].color[0][i]);
          REQUIRE(taken[t].radius[i] == made[t].radius[i]);
        }
      }
    }
    // Vectors of colors are other columns.
    types[0].color[1] = types[0].color[2] = other[0].data();
    CHECK_FALSE(kept.take_colors(cpu, types));
  }
}

TEST_CASE("a sample's light is that of all particles, within what chance allows", "[sample]") {
  const Box box(100000);
  for (const auto& device : test::devices()) {
    const auto renderer = box.renderer(device, box.particles);
    const ImageF all = box.draw(*renderer, 1).image;
    const ImageF squares = box.draw(*box.renderer(device, box.squares), 1).image;
    for (const int n : kSamples) {
      const Frame frame = box.draw(*renderer, n);
      INFO(device << ", 1 of " << n);
      CHECK(frame.sample == n);
      CHECK(frame.counts.particles == sample_size(100000, n));
      // A particle that leaves x gives n x with probability 1/n: variance (n − 1) x². Two of one
      // stratum exclude each other, which only lowers the variance of their sum. A weight w leaves
      // x = w s², s pixels per world length, so that Σ x² = s² (s² Σ w²), the picture of w² times
      // s².
      const double factor = (n - 1) * double(kPixels) * double(kPixels);
      CHECK(std::abs(sum(frame.image) - sum(all)) < 5 * std::sqrt(factor * sum(squares)));
      // Each pixel: the mean of (x_n − x)²/σ² over those that some particle fell into is about 1 at
      // most; of 256 pixels it exceeds 2 only where light is lost or added.
      double chi2 = 0;
      int lit = 0;
      for (std::size_t i = 0; i < all.pixels.size(); i += 3) {
        if (!(squares.pixels[i] > 0)) continue;
        const double off = double(frame.image.pixels[i]) - double(all.pixels[i]);
        chi2 += off * off / (factor * double(squares.pixels[i]));
        ++lit;
      }
      REQUIRE(lit > 100);
      CHECK(chi2 / lit < 2);
      CHECK(chi2 / lit > 0.1);
    }
  }
}

TEST_CASE("in every mode a sample of equal particles has the light of all", "[sample]") {
  const Box box(20000, true);
  for (const auto& device : test::devices()) {
    const auto renderer = box.renderer(device, box.particles);
    for (const Mode mode : {Mode::Default, Mode::Map, Mode::Classic}) {
      const double all = sum(box.draw(*renderer, 1, mode).image);
      REQUIRE(all > 0);
      for (const int n : kSamples) {
        INFO(device << ", mode " << int(mode) << ", 1 of " << n);
        // Of strata there is at most one that is not full: n particles' light. In classic mode what
        // a small one leaves depends on where in its pixel it lies: up to a tenth of it, by chance.
        const double off = sum(box.draw(*renderer, n, mode).image) / all - 1;
        const double bound = mode == Mode::Classic ? 5 * 0.5 * std::sqrt(n / 20000.) : n / 20000.;
        CHECK(std::abs(off) < bound + 1e-5);
      }
    }
  }
}

TEST_CASE("all particles give the same bytes before and after a sample", "[sample]") {
  const Box box(30000);
  const auto renderer = box.renderer(Device::cpu(), box.particles);
  const ImageF before = box.draw(*renderer, 1).image;
  const Frame sample = box.draw(*renderer, 8);
  const ImageF after = box.draw(*renderer, 1).image;
  CHECK(std::memcmp(before.pixels.data(), after.pixels.data(), before.pixels.size() * 4) == 0);
  // Nor does it flicker.
  const ImageF again = box.draw(*renderer, 8).image;
  CHECK(std::memcmp(sample.image.pixels.data(), again.pixels.data(), again.pixels.size() * 4) == 0);
}

TEST_CASE("the absorbing model is drawn of all particles", "[sample]") {
  const Box box(2000);
  const auto renderer = box.renderer(Device::cpu(), box.particles);
  Progress progress;
  Options options;
  options.mode = Mode::Classic;
  options.absorption = true;
  options.sample = 8;
  const Frame frame = renderer->render(box.view, {box.look, box.look}, options, progress);
  CHECK(frame.sample == 1);
  CHECK(frame.counts.particles == 2000);
}

TEST_CASE("both executors draw the same sample", "[gpu][sample]") {
  if (!has_gpu()) return;
  const Box box(70001);
  const auto cpu = box.renderer(Device::cpu(), box.particles);
  const auto gpu = box.renderer(Device::cuda(), box.particles);
  for (const int n : kSamples) {
    INFO("1 of " << n);
    require_same_light(box.draw(*gpu, n).image, box.draw(*cpu, n).image);
  }
}

TEST_CASE("of streamed particles a sample on the GPU is drawn alone", "[gpu][sample]") {
  if (!has_gpu()) return;
  // 20 bytes a particle: 1.4 MB; a third of the budget is for samples.
  const Box box(70000);
  const auto cpu = box.renderer(Device::cpu(), box.particles);
  struct Case {
    std::uint64_t budget;
    int asked, drawn;
  };
  // Room for both samples; for that of 1 in 64 alone; for none.
  for (const Case& c :
       {Case{900000, 8, 8}, {900000, 16, 16}, {900000, 2, 8}, {200000, 8, 64}, {30000, 8, 1}}) {
    INFO("budget " << c.budget << ", 1 of " << c.asked);
    const auto gpu = box.renderer(Device::cuda(), box.particles, c.budget);
    const Frame frame = box.draw(*gpu, c.asked);
    CHECK(frame.sample == c.drawn);
    require_same_light(frame.image, box.draw(*cpu, c.drawn).image);
    require_same_light(box.draw(*gpu, 1).image, box.draw(*cpu, 1).image);
  }
}
