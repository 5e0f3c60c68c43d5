#include "app/viewer/loops.h"
#include "app/viewer/screen.h"
#include "render/gl/gl_context.h"
#include "render/gl/gl_objects.h"

#include <chrono>
#include <memory>
#include <thread>

namespace haloscope::app::viewer {

namespace {

// The longest sleep, so that an interrupt is noticed.
constexpr auto kNap = std::chrono::milliseconds(50);
// How long a display shows a frame.
using Clock = std::chrono::steady_clock;
constexpr auto kShown = std::chrono::duration_cast<Clock::duration>(std::chrono::seconds(1)) / 60;

class HeadlessLoop {
 public:
  HeadlessLoop(Viewer& viewer, const HeadlessChoice& choice) : viewer_(viewer), choice_(choice) {
    viewer_.set_headless();
    viewer_.set_patient(!choice.real_time);
    viewer_.set_content_scale(float(choice.scale));
    if (!choice.real_time) return;
    open_screen();
    viewer_.set_window_gpu(context_->gpu());
  }

  void run(Doorbell& bell, Progress& progress) {
    while (!viewer_.done()) {
      progress.report("session", 0);
      frame();
      if (viewer_.idle()) break;
      if (choice_.real_time ? !viewer_.animating(now()) : !viewer_.program_waits()) bell.wait(kNap);
    }
    if (!choice_.stats.empty())
      viewer_.frame_log().write(choice_.stats, screen_ && screen_->uses_interop(),
                                context_ ? context_->renderer_name() : "");
  }

 private:
  double now() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }

  // Only what is made of overlays and panels needs OpenGL.
  void open_screen() {
    if (screen_) return;
    context_ = render::gl::make_headless_context();
    screen_ = std::make_unique<Screen>(nullptr);
  }

  void frame() {
    const int width = viewer_.state().width, height = viewer_.state().height;
    const auto area = Screen::picture_area(viewer_, width, height);
    viewer_.set_picture_size(int(area.width), int(area.height));
    viewer_.update(now());
    if (viewer_.exporter().wants_screen()) {
      open_screen();
      screen_->serve(viewer_, width, height, area);
    }
    if (!choice_.real_time) return;
    draw(width, height);
    viewer_.note_frame(now());
    wait_for_display();
  }

  void draw(int width, int height) {
    const double time = now();
    if (target_.width() != width || target_.height() != height)
      target_ = render::gl::Framebuffer(width, height);
    target_.bind();
    target_.clear();
    screen_->draw(viewer_, width, height, time, time - last_);
    // A window waits for its frame too, or times would be those of orders not yet carried out.
    render::gl::finish();
    last_ = time;
  }

  // As a window waits for its display. Frames that nobody could see would take turns on the GPU
  // with what draws the picture.
  void wait_for_display() {
    due_ += kShown * ((Clock::now() - due_) / kShown + 1);
    std::this_thread::sleep_until(due_);
  }

  Viewer& viewer_;
  HeadlessChoice choice_;
  Clock::time_point begin_ = Clock::now();
  Clock::time_point due_ = begin_;  // of the next frame
  double last_ = 0;
  // What OpenGL made ends before it.
  std::unique_ptr<render::gl::Context> context_;
  render::gl::Framebuffer target_;
  std::unique_ptr<Screen> screen_;
};

}  // namespace

void run_headless(Viewer& viewer, Doorbell& bell, const HeadlessChoice& choice,
                  Progress& progress) {
  HeadlessLoop(viewer, choice).run(bell, progress);
}

}  // namespace haloscope::app::viewer
