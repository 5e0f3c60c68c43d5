#include "render/colors/tone_map.h"
#include "tests/catch.h"
#include "tests/renderers.h"
#include "tests/skip.h"

#include <cmath>
#include <cstring>
#include <random>

// Pictures that stay on the GPU are those that the host gets.

using namespace haloscope;
using namespace haloscope::compute::splotch;
using haloscope::compute::Device;

namespace {

bool has_gpu() {
  if (is_usable(Device::cuda())) return true;
  haloscope::test::skip(haloscope::test::Needs::Gpu, "there is no GPU");
  return false;
}

struct Cloud {
  Domain domain = test::open_domain(0, 1);
  test::Particles particles;
  Appearance look;

  Cloud(int count, double radius) {
    std::mt19937 random(5);
    std::uniform_real_distribution<double> uniform(0, 1);
    for (int i = 0; i < count; ++i)
      particles.add(domain, {uniform(random), uniform(random), uniform(random)},
                    radius * (0.5 + uniform(random)), 0.1 + uniform(random), {uniform(random)});
    look.palette = {{0.1f, 0.2f, 1}, {1, 0.5f, 0.1f}};
  }
  std::unique_ptr<Renderer> renderer(Device device) const {
    Progress progress;
    auto made = test::make_renderer(device);
    made->set_particles(domain, {particles.input()}, progress);
    return made;
  }
  Frame draw(Renderer& renderer, int width, int height, Options options, bool keep) const {
    View view;
    view.eye = {0.4, 0.3, 2.5};
    view.target = {0.5, 0.5, 0.5};
    view.width = width;
    view.height = height;
    options.keep_on_device = keep;
    Progress progress;
    return renderer.render(view, {look}, options, progress);
  }
};

}  // namespace

TEST_CASE("without a GPU a picture comes to the host, whatever is asked for", "[default]") {
  const Cloud cloud(100, 0.01);
  const auto cpu = cloud.renderer(Device::cpu());
  const Frame frame = cloud.draw(*cpu, 20, 10, {}, true);
  CHECK_FALSE(frame.on_device);
  CHECK(render::has_light(frame.image));
}

TEST_CASE(
    "a picture on the GPU and its tone curve are those of the host, bit "
    "for bit",
    "[gpu]") {
  if (!has_gpu()) return;
  Options exact;
  exact.deterministic = true;
  // Beyond 2²⁰ pixels quantiles are taken of every third one.
  const int sizes[][2] = {{1, 1}, {301, 203}, {1601, 1103}};
  for (const int count : {0, 1, 3000}) {
    const Cloud cloud(count, 0.004);
    const auto gpu = cloud.renderer(Device::cuda());
    for (const auto& size : sizes) {
      INFO(count << " particles, " << size[0] << " × " << size[1]);
      const Frame host = cloud.draw(*gpu, size[0], size[1], exact, false);
      const Frame kept = cloud.draw(*gpu, size[0], size[1], exact, true);
      REQUIRE(kept.on_device);
      CHECK(kept.image.pixels.empty());
      CHECK(kept.on_device->width() == size[0]);
      const ImageF back = kept.on_device->to_host();
      REQUIRE(back.pixels.size() == host.image.pixels.size());
      CHECK(std::memcmp(back.pixels.data(), host.image.pixels.data(), back.pixels.size() * 4) == 0);
      CHECK(kept.on_device->light().lit == render::has_light(host.image));
      const render::ToneCurve a = render::choose_tone_curve(kept.on_device->light());
      const render::ToneCurve b = render::choose_tone_curve(host.image);
      CHECK(a.softening == b.softening);
      CHECK(a.white == b.white);
    }
  }
}

TEST_CASE("what the CPU draws beside the GPU is in the picture that stays there", "[gpu]") {
  if (!has_gpu()) return;
  const Cloud cloud(2000, 0.2);
  const auto gpu = cloud.renderer(Device::cuda());
  Options shared;
  shared.exact = true;
  shared.large = LargeOn::Cpu;
  const Frame host = cloud.draw(*gpu, 256, 256, shared, false);
  const Frame kept = cloud.draw(*gpu, 256, 256, shared, true);
  REQUIRE(kept.counts.large_on_cpu > 0);
  REQUIRE(kept.on_device);
  const ImageF back = kept.on_device->to_host();
  // float32 sums of some 10³ terms in any order.
  for (std::size_t i = 0; i < back.pixels.size(); ++i)
    REQUIRE(std::abs(back.pixels[i] - host.image.pixels[i]) <= 1e-5f * host.image.pixels[i]);
}

TEST_CASE("a picture on the GPU outlives its renderer, and its memory is used again", "[gpu]") {
  if (!has_gpu()) return;
  const Cloud cloud(500, 0.02);
  auto gpu = cloud.renderer(Device::cuda());
  Options exact;
  exact.deterministic = true;
  Frame first = cloud.draw(*gpu, 64, 64, exact, true);
  const Frame second = cloud.draw(*gpu, 64, 64, exact, true);
  // Both live, so both have memory of their own.
  CHECK(first.on_device->rgba() != second.on_device->rgba());
  const float* const place = first.on_device->rgba();
  first.on_device.reset();
  CHECK(cloud.draw(*gpu, 64, 64, exact, true).on_device->rgba() == place);
  const ImageF before = second.on_device->to_host();
  gpu.reset();
  const ImageF after = second.on_device->to_host();
  CHECK(std::memcmp(before.pixels.data(), after.pixels.data(), before.pixels.size() * 4) == 0);
}
