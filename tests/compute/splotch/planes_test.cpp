// Slabs of a view: what lies outside of them is not there, on either executor and in every mode.

#include "tests/catch.h"
#include "tests/renderers.h"

#include <cmath>
#include <functional>
#include <random>
#include <vector>

using namespace haloscope;
using namespace haloscope::compute::splotch;

namespace {

constexpr int kPixels = 48, kCount = 3000;

struct Made {
  std::vector<std::array<double, 3>> places;
  Domain domain;

  explicit Made(const Domain& in) : domain(in) {
    std::mt19937 random(7);
    std::uniform_real_distribution<double> uniform(0, 1);
    for (int k = 0; k < kCount; ++k)
      places.push_back({uniform(random), uniform(random), uniform(random)});
  }
  test::Particles those(const std::function<bool(const std::array<double, 3>&)>& inside) const {
    test::Particles kept;
    for (std::size_t k = 0; k < places.size(); ++k)
      if (inside(places[k]))
        kept.add(domain, places[k], 0.002 * std::pow(30., double(k % 11) / 10), 1 + double(k % 5),
                 {double(k % 7)});
    return kept;
  }
};

View view_of_box(bool perspective) {
  View view;
  view.eye = {0.5, 0.5, perspective ? 2.5 : 2};
  view.target = {0.5, 0.5, 0.5};
  view.up = {0, 1, 0};
  view.perspective = perspective;
  view.ortho_width = perspective ? 0 : 1;
  view.width = view.height = kPixels;
  return view;
}

Frame drawn(compute::Device device, const test::Particles& particles, const Domain& domain,
            const View& view, Mode mode) {
  Progress progress;
  auto renderer = test::make_renderer(device);
  renderer->set_particles(domain, {particles.input()}, progress);
  Appearance look;
  look.palette = {{1, 1, 1}, {1, 1, 1}};
  Options options;
  options.mode = mode;
  return renderer->render(view, {look}, options, progress);
}

// The slab of all particles is the picture of those in it.
void check_slab(const Made& made, const View& slab,
                const std::function<bool(const std::array<double, 3>&)>& inside) {
  View all = slab;
  all.planes.reset();
  all.z_near = 0;
  all.z_far = 1e23;
  const test::Particles whole = made.those([](const auto&) { return true; });
  const test::Particles part = made.those(inside);
  REQUIRE(part.weight.size() > 50);
  REQUIRE(part.weight.size() < whole.weight.size() / 2);
  for (const auto& device : test::devices())
    for (const Mode mode : {Mode::Default, Mode::Map}) {
      if (mode == Mode::Map && slab.perspective) continue;
      INFO(device << ", mode " << int(mode));
      const Frame cut = drawn(device, whole, made.domain, slab, mode);
      const Frame want = drawn(device, part, made.domain, all, mode);
      double largest = 0, off = 0;
      for (std::size_t k = 0; k < want.image.pixels.size(); ++k) {
        largest = std::max(largest, double(want.image.pixels[k]));
        off = std::max(off, std::abs(double(cut.image.pixels[k]) - double(want.image.pixels[k])));
      }
      CHECK(largest > 0);
      CHECK(off <= 1e-4 * largest);
    }
}

}  // namespace

TEST_CASE("between two planes are those particles and no others", "[slab]") {
  for (const bool periodic : {true, false}) {
    const Made made(periodic ? Domain{{0, 0, 0}, 1, true} : test::open_domain(0, 1));
    for (std::size_t axis = 0; axis < 3; ++axis)
      for (const bool perspective : {true, false}) {
        INFO("axis " << axis << (periodic ? ", periodic" : ""));
        View view = view_of_box(perspective);
        view.planes = Planes{axis, 0.3, 0.5};
        check_slab(made, view, [axis](const auto& p) { return p[axis] >= 0.3 && p[axis] <= 0.5; });
      }
  }
}

TEST_CASE("planes on both sides of a periodic box's edge hold what is between them", "[slab]") {
  const Made made(Domain{{0, 0, 0}, 1, true});
  const auto outer = [](const auto& p) { return p[1] >= 0.9 || p[1] <= 0.15; };
  View view = view_of_box(false);
  view.planes = Planes{1, 0.9, 0.15};
  check_slab(made, view, outer);
  view.planes = Planes{1, -0.1, 0.15};
  check_slab(made, view, outer);
  // By more than one box, as a state file may have it.
  view.planes = Planes{1, 2.9, 0.15};
  check_slab(made, view, outer);
}

TEST_CASE("planes as far apart as a periodic box leave nothing out", "[slab]") {
  const Made made(Domain{{0, 0, 0}, 1, true});
  const test::Particles whole = made.those([](const auto&) { return true; });
  View view = view_of_box(false);
  view.planes = Planes{2, -3, 3};
  for (const auto& device : test::devices()) {
    const Frame frame = drawn(device, whole, made.domain, view, Mode::Default);
    CHECK(frame.counts.inactive == 0);
  }
}

TEST_CASE("planes beside a set without a box leave nothing", "[slab]") {
  const Made made(test::open_domain(0, 1));
  const test::Particles whole = made.those([](const auto&) { return true; });
  View view = view_of_box(false);
  view.planes = Planes{0, 50, 60};
  for (const auto& device : test::devices()) {
    const Frame frame = drawn(device, whole, made.domain, view, Mode::Default);
    CHECK(frame.counts.inactive == frame.counts.particles);
  }
}
