#include "compute/splotch/ranging.h"
#include "render/colors/classic_image.h"
#include "tests/catch.h"
#include "tests/oracles/splotch_reference.h"
#include "tests/renderers.h"

#include <functional>
#include <random>

// Classic mode against the independent reference, on every executor and strategy.

using namespace haloscope;
using namespace haloscope::compute::splotch;
using haloscope::compute::Device;
using splotch_reference::Scene;
using splotch_reference::Vec;

namespace {

// Clustered particles in a box of side 10, with radii over two decades.
Scene random_scene(unsigned seed, int count = 1500) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(0, 1);
  std::normal_distribution<double> normal;
  Scene s;
  std::vector<Vec> centers;
  for (int k = 0; k < 6; ++k)
    centers.push_back({10 * uniform(random), 10 * uniform(random), 10 * uniform(random)});
  for (int i = 0; i < count; ++i) {
    splotch_reference::Particle p;
    const Vec& center = centers[std::size_t(random() % centers.size())];
    // Nothing lies exactly on the box's edge, where depths and periodic images would tie.
    for (std::size_t c = 0; c < 3; ++c) {
      const double x = center[c] + 0.8 * normal(random);
      p.position[c] = float(x > 0 && x < 10 ? x : 10 * uniform(random));
    }
    p.radius = float(0.02 * std::pow(10, 1.2 * uniform(random)));
    p.intensity = float(0.1 + uniform(random));
    p.color = {float(std::pow(10, 4 * uniform(random) - 1)), float(100 * normal(random)),
               float(5 * uniform(random))};
    s.particles.push_back(p);
  }
  s.camera = {4.3, -9, 6};
  s.lookat = {5, 5, 5};
  s.sky = {0, 0, 1};
  s.width = s.height = 128;
  s.looks[0].color_log = true;
  s.looks[0].brightness = 1.5;
  s.looks[0].palette = {{0, 0, 0.3}, {0.9, 0.1, 0}, {1, 0.8, 0.1}, {1, 1, 1}};
  return s;
}

struct Named {
  std::string name;
  Scene scene;
};

std::vector<Named> scenes() {
  std::vector<Named> all;
  auto add = [&](const std::string& name, const std::function<void(Scene&)>& change) {
    Scene s = random_scene(unsigned(100 + all.size()));
    change(s);
    all.push_back({name, s});
  };
  add("perspective, log color", [](Scene&) {});
  add("orthographic, linear color", [](Scene& s) {
    s.perspective = false;
    s.looks[0].color_log = false;
    s.fov = 30;
  });
  add("asinh color with limits, log intensity with limits", [](Scene& s) {
    auto& look = s.looks[0];
    look.color_log = false;
    look.color_asinh = true;
    look.color_min = 0;
    look.color_max = 4;
    look.intensity_log = true;
    look.intensity_min = -1;
    look.intensity_max = 0.1;
  });
  add("vector color", [](Scene& s) {
    s.looks[0].vector_color = true;
    s.looks[0].color_log = false;
    s.looks[0].color_asinh = true;
  });
  add("absorption by depth", [](Scene& s) { s.a_eq_e = false; });
  add("absorption, red descending, orthographic", [](Scene& s) {
    s.a_eq_e = false;
    s.sort_type = 2;
    s.perspective = false;
  });
  add("absorption, red ascending, gray 0.01", [](Scene& s) {
    s.a_eq_e = false;
    s.sort_type = 3;
    s.gray = 0.01;
  });
  add("absorption, radius descending, vector color", [](Scene& s) {
    s.a_eq_e = false;
    s.sort_type = 4;
    s.looks[0].vector_color = true;
    s.looks[0].color_log = false;
  });
  add("depth limits, roll, tone", [](Scene& s) {
    s.zmin = 11;
    s.zmax = 16;
    s.sky = {0.5, 0.1, 0.8};
    s.gamma = 0.7;
    s.contrast = 1.3;
    s.brightness = 0.02;
  });
  add("landscape format, no minimal radius", [](Scene& s) {
    s.width = 150;
    s.height = 60;
    s.minrad_pix = 0;
  });
  add("portrait format, large minimal radius", [](Scene& s) {
    s.width = 60;
    s.height = 150;
    s.minrad_pix = 4;
  });
  add("periodic", [](Scene& s) {
    s.periodic = true;
    s.box = 10;
    s.lookat = {9, 1, 5};
    s.camera = {9, -9, 7};
  });
  // Eyes that also stand at different heights and depths, so that the camera's axes and distance
  // are far from the center's.
  const auto one_eye = [](Scene& s, Vec aside) {
    s.center = s.camera;
    for (std::size_t c = 0; c < 3; ++c) s.camera[c] += aside[c];
  };
  add("left eye", [&](Scene& s) { one_eye(s, {-1.5, 0, 0}); });
  add("right eye, raised and nearer, landscape format", [&](Scene& s) {
    s.width = 150;
    s.height = 60;
    one_eye(s, {2, 2.5, 1});
  });
  add("left eye, orthographic", [&](Scene& s) {
    s.perspective = false;
    one_eye(s, {-2, 1, 0.5});
  });
  add("right eye, periodic", [&](Scene& s) {
    s.periodic = true;
    s.box = 10;
    s.lookat = {9, 1, 5};
    s.camera = {9, -9, 7};
    one_eye(s, {2, 0, -1});
  });
  add("left eye, absorption", [&](Scene& s) {
    s.a_eq_e = false;
    one_eye(s, {-1, 0, 2});
  });
  add("an eye at the target", [&](Scene& s) {
    s.center = s.camera;
    s.camera = s.lookat;
    s.looks[0].brightness = 0.1;
  });
  add("two types with their own looks", [](Scene& s) {
    for (std::size_t i = 0; i < s.particles.size(); i += 3) s.particles[i].type = 1;
    auto& look = s.looks[1];
    look.brightness = 0.4;
    look.smooth_factor = 1.7;
    look.size_fac = 0.5;
    look.palette = {{0, 0.4, 1}, {1, 1, 1}};
  });
  add("inside, with giants", [](Scene& s) {
    s.camera = {5.3, 3.6, 4.9};
    s.lookat = {5, 5.2, 5};
    s.fov = 70;
    s.looks[0].brightness = 0.15;
    s.looks[0].smooth_factor = 2;
  });
  add("fixed radius, constant intensity", [](Scene& s) {
    s.looks[0].size_fix = 0.13;
    for (auto& p : s.particles) p.intensity = 7;
  });
  add("far: all unresolved, no minimal radius", [](Scene& s) {
    s.camera = {5, -300, 5};
    s.fov = 8;
    s.minrad_pix = 0;
    s.looks[0].brightness = 0.1;
  });
  return all;
}

Ranging resolve(const std::vector<const float*>& columns, std::size_t rows, bool log, bool asinh,
                double low, double high) {
  const Transform t = log ? Transform::Log : asinh ? Transform::Asinh : Transform::Linear;
  Ranging r = data_range(columns.data(), int(columns.size()), rows, t);
  if (!std::isnan(low)) r.low = float(low);
  if (!std::isnan(high)) r.high = float(high);
  return r;
}

// Draws the reference's scene with the renderer; returns light before the 8-bit step.
Frame draw(const Scene& s, Device device, const Options& options, std::uint64_t memory_budget = 0) {
  const Domain domain = s.periodic ? test::periodic_domain(s.box) : test::open_domain(-1, 11);
  std::vector<test::Particles> types(s.looks.size());
  std::vector<TypeInput> inputs;
  std::vector<Appearance> appearances;
  for (const auto& [type, look] : s.looks) {
    auto& columns = types[inputs.size()];
    for (const auto& p : s.particles)
      if (p.type == type)
        columns.add(domain, p.position, p.radius, p.intensity,
                    look.vector_color ? std::vector<double>{p.color[0], p.color[1], p.color[2]}
                                      : std::vector<double>{p.color[0]});
    inputs.push_back(columns.input());
    Appearance a;
    std::vector<const float*> colors;
    for (const auto& c : columns.color)
      if (!c.empty()) colors.push_back(c.data());
    const std::size_t rows = columns.radius.size();
    a.color =
        resolve(colors, rows, look.color_log, look.color_asinh, look.color_min, look.color_max);
    a.intensity = resolve({columns.weight.data()}, rows, look.intensity_log, false,
                          look.intensity_min, look.intensity_max);
    for (const auto& node : look.palette)
      a.palette.push_back({float(node[0]), float(node[1]), float(node[2])});
    a.brightness = float(look.brightness);
    a.smooth_factor = float(look.smooth_factor);
    a.radius_factor = float(look.size_fac);
    a.fixed_radius = float(look.size_fix);
    appearances.push_back(a);
  }
  View view;
  view.eye = s.camera;
  view.target = s.lookat;
  view.up = s.sky;
  view.perspective = s.perspective;
  view.fov_degrees = s.fov;
  view.width = s.width;
  view.height = s.height;
  view.z_near = s.zmin;
  view.z_far = s.zmax;
  view.stereo_center = s.center;
  Progress progress;
  auto renderer = test::make_renderer(device, memory_budget);
  renderer->set_particles(domain, inputs, progress);
  return renderer->render(view, appearances, options, progress);
}

Options classic_options(const Scene& s) {
  Options o;
  o.mode = Mode::Classic;
  o.absorption = !s.a_eq_e;
  o.gray_absorption = float(s.gray);
  o.absorption_order = AbsorptionOrder(s.sort_type);
  o.min_radius_pixels = float(s.minrad_pix);
  return o;
}

struct Difference {
  double largest = 0;     // in light
  int largest_byte = 0;   // of the 8-bit image
  double brightest = 0;   // of the reference
  double off_by_1e4 = 0;  // fraction of values off by more than 1e-4
};

Difference compare(const Scene& s, const Frame& frame) {
  const std::vector<double> expected = splotch_reference::render(s);
  const render::ClassicTone tone{s.gamma, s.brightness, s.contrast};
  const Image8 bytes = render::classic_image(frame.image, !s.a_eq_e, tone);
  REQUIRE(frame.image.pixels.size() == expected.size());
  REQUIRE(bytes.pixels.size() == expected.size());
  Difference d;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    double light = frame.image.pixels[i];
    if (s.a_eq_e) light = 1 - std::exp(-light);
    if (s.gamma != 1 || s.brightness != 0 || s.contrast != 1)
      light = s.contrast * std::pow(light, s.gamma) + s.brightness;
    const int byte = int(std::clamp(256 * expected[i], 0.0, 255.0));
    // std::max passes over a NaN, which no picture may hold.
    const bool finite = std::isfinite(light) && std::isfinite(expected[i]);
    const double off = finite ? std::abs(light - expected[i]) : HUGE_VAL;
    d.largest = std::max(d.largest, off);
    d.largest_byte = std::max(d.largest_byte, std::abs(int(bytes.pixels[i]) - byte));
    d.brightest = std::max(d.brightest, expected[i]);
    d.off_by_1e4 += off > 1e-4 ? 1.0 / double(expected.size()) : 0;
  }
  return d;
}

void require_equal(const Scene& scene, const Frame& frame) {
  const Difference d = compare(scene, frame);
  // A picture that is black or white everywhere would compare equal to anything like it.
  CHECK(d.brightest > 0.1);
  CHECK(d.largest <= 1.0 / 255);
  CHECK(d.largest_byte <= 1);
  // float32 sums of a thousand terms keep five digits; more only where a pixel center lies within
  // rounding of a splat's hard edge.
  CHECK(d.off_by_1e4 < 1e-3);
}

}  // namespace

TEST_CASE("classic mode equals the independent reference", "[classic]") {
  for (const auto& [name, scene] : scenes())
    for (const auto& device : test::devices()) {
      INFO(name << " on " << device);
      Options options = classic_options(scene);
      require_equal(scene, draw(scene, device, options));
      options.deterministic = true;
      require_equal(scene, draw(scene, device, options));
      if (!scene.a_eq_e) continue;
      options.deterministic = false;
      options.strategy = Strategy::Paper;
      require_equal(scene, draw(scene, device, options));
    }
}

TEST_CASE("the reference scenes reach every class", "[classic]") {
  Counts sum;
  for (const auto& [name, scene] : scenes()) {
    Options options = classic_options(scene);
    options.strategy = Strategy::Paper;
    options.absorption = false;
    const Counts c = draw(scene, Device::cpu(), options).counts;
    sum.small += c.small;
    sum.medium += c.medium;
    sum.large += c.large;
    sum.inactive += c.inactive;
    CHECK(c.small + c.medium + c.large + c.inactive == scene.particles.size());
  }
  CHECK(sum.small > 100);
  CHECK(sum.medium > 100);
  CHECK(sum.large > 100);
  CHECK(sum.inactive > 100);
}
