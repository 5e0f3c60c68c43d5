#include "render/gl/interop.h"

#include "tests/app/viewer/window_context.h"
#include "tests/catch.h"
#include "tests/renderers.h"
#include "tests/skip.h"

#include <iostream>
#include <random>
#include <string>

namespace haloscope::render::gl {

namespace {

using namespace compute::splotch;

// Pictures of some particles on the GPU, the same bits each time.
class Painter {
 public:
  Painter() : renderer_(make_renderer(compute::Device::cuda())) {
    const Domain domain = ::test::open_domain(0, 1);
    ::test::Particles particles;
    std::mt19937 random(3);
    std::uniform_real_distribution<double> uniform(0, 1);
    for (int i = 0; i < 2000; ++i)
      particles.add(domain, {uniform(random), uniform(random), uniform(random)}, 0.02,
                    0.1 + uniform(random), {uniform(random)});
    Progress progress;
    renderer_->set_particles(domain, {particles.input()}, progress);
  }

  Frame draw(int width, int height, bool keep_on_device) {
    View view;
    view.eye = {0.4, 0.3, 2.5};
    view.target = {0.5, 0.5, 0.5};
    view.width = width;
    view.height = height;
    Appearance look;
    look.palette = {{0.1f, 0.2f, 1}, {1, 0.5f, 0.1f}};
    Options options;
    options.deterministic = true;
    options.keep_on_device = keep_on_device;
    Progress progress;
    return renderer_->render(view, {look}, options, progress);
  }

 private:
  std::unique_ptr<Renderer> renderer_;
};

// Whether the texture holds the image, bit for bit, with A = 1.
bool holds(const Picture& picture, const ImageF& image) {
  const ImageF texture = picture.light().download();
  if (texture.width != image.width || texture.height != image.height) return false;
  const std::size_t pixels = image.pixels.size() / 3;
  for (std::size_t i = 0; i < pixels; ++i) {
    for (std::size_t c = 0; c < 3; ++c)
      if (texture.pixels[4 * i + c] != image.pixels[3 * i + c]) return false;
    if (texture.pixels[4 * i + 3] != 1) return false;
  }
  return pixels > 0;
}

}  // namespace

TEST_CASE("a texture that CUDA fills holds the host's frame, bit for bit", "[gpu][window]") {
  const auto context = haloscope::test::gl_context();
  if (!context) return;
  if (!is_usable(compute::Device::cuda())) {
    return haloscope::test::skip(haloscope::test::Needs::Gpu, "there is no GPU");
  }
  Painter painter;
  std::string why;
  const auto interop = make_interop(compute::Device::cuda(), why);
  if (!interop) {
    return haloscope::test::skip(haloscope::test::Needs::Window,
                                 "no interop with " + context->renderer_name() + ": " + why);
  }
  std::cout << "interop with " << context->renderer_name() << "\n";
  Picture picture;
  // Sizes go up, stay, and go down; odd ones, too.
  for (const int width : {64, 301, 301, 33}) {
    const Frame host = painter.draw(width, 47, false);
    const Frame kept = painter.draw(width, 47, true);
    REQUIRE(kept.on_device);
    interop->show(*kept.on_device, picture);
    CHECK(holds(picture, host.image));
  }
  // A picture from the host in between, of another size and then of the same.
  for (const int width : {50, 33}) {
    const Frame host = painter.draw(width, 47, false);
    interop->release();
    picture.upload(host.image);
    CHECK(holds(picture, host.image));
    const Frame kept = painter.draw(33, 47, true);
    interop->show(*kept.on_device, picture);
    CHECK(holds(picture, painter.draw(33, 47, false).image));
  }
  CHECK(context->faults().count == 0);
}

TEST_CASE("OpenGL tells the same GPU each time, or none", "[window]") {
  const auto context = haloscope::test::gl_context();
  if (!context) return;
  const auto first = context->gpu();
  const auto again = haloscope::test::gl_context();
  REQUIRE(again);
  CHECK(again->gpu() == first);
  CHECK(again->faults().count == 0);
  // Of no GPU at all that CUDA shows, it changes nothing.
  if (!compute::is_usable(compute::Device::cuda()))
    CHECK(compute::choose_device("auto", first) == compute::Device::cpu());
}

TEST_CASE("where OpenGL is not on the GPU that computes, a reason is given", "[window]") {
  const auto context = haloscope::test::gl_context();
  if (!context) return;
  std::string why;
  if (!make_interop(compute::Device::cuda(), why)) CHECK_FALSE(why.empty());
  why.clear();
  CHECK_FALSE(make_interop(compute::Device::cpu(), why));
  CHECK_FALSE(why.empty());
}

}  // namespace haloscope::render::gl
