#include "app/viewer/loops.h"
#include "app/viewer/screen.h"
#include "render/gl/gl_context.h"

#include <chrono>
#include <memory>

namespace haloscope::app::viewer {

namespace {

// The longest sleep, so that an interrupt is noticed.
constexpr auto kNap = std::chrono::milliseconds(50);

}  // namespace

void run_headless(Viewer& viewer, Doorbell& bell, double content_scale, Progress& progress) {
  viewer.set_headless();
  // Only what is made of overlays and panels needs OpenGL.
  std::unique_ptr<render::gl::Context> context;
  std::unique_ptr<Screen> screen;
  const auto begin = std::chrono::steady_clock::now();
  while (!viewer.done()) {
    progress.report("session", 0);
    const int width = viewer.state().width, height = viewer.state().height;
    const auto area = Screen::picture_area(viewer, float(content_scale), width, height);
    viewer.set_picture_size(int(area.width), int(area.height));
    viewer.update(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    if (viewer.exporter().wants_screen()) {
      if (!screen) {
        context = render::gl::make_headless_context();
        screen = std::make_unique<Screen>(nullptr, float(content_scale));
      }
      screen->serve(viewer, width, height);
    }
    if (viewer.idle()) break;
    bell.wait(kNap);
  }
  // Of the context, so before it.
  screen.reset();
}

}  // namespace haloscope::app::viewer
