#include "app/session/toml_writer.h"
#include "app/viewer/key_names.h"
#include "app/viewer/loops.h"
#include "app/viewer/screen.h"
#include "render/gl/gl_objects.h"
#include "render/gl/window_context.h"

#include <fmt/format.h>

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <algorithm>
#include <atomic>
#include <cctype>
#include <imgui.h>

namespace haloscope::app::viewer {

namespace {

// Dear ImGui shows some answers to an event a frame or two later.
constexpr int kFramesAfterEvent = 3;
constexpr double kFlight = 0.8;           // widths of the picture per second
constexpr double kLongStep = 0.1;         // s: of a flight, after a stall
constexpr double kInterruptCheck = 0.25;  // s

// Something came from a job, or from mouse and keys: the sleep may have ended late all the same.
std::atomic<bool> woken{false};

// A window with a session in it.
class WindowLoop {
 public:
  WindowLoop(Viewer& viewer, Progress& progress)
      : viewer_(viewer),
        progress_(progress),
        window_(viewer.state().width, viewer.state().height, viewer.title()) {
    float x = 1, y = 1;
    glfwGetWindowContentScale(handle(), &x, &y);
    screen_ = std::make_unique<Screen>(handle(), std::max(x, 0.5f));
    glfwSetWindowUserPointer(handle(), this);
    // Before Dear ImGui's, which call these.
    glfwSetKeyCallback(handle(), [](GLFWwindow* w, int key, int scancode, int action, int mods) {
      woken = true;
      if (action == GLFW_PRESS) self(w).screen_->note_press(key);
      if (action != GLFW_RELEASE) self(w).key(key_name(key, scancode, mods));
    });
    glfwSetCharCallback(handle(), [](GLFWwindow* w, unsigned letter) {
      woken = true;
      if (letter < 128 && !std::isalpha(int(letter)) && letter != ' ')
        self(w).key(std::string(1, char(letter)));
    });
    glfwSetDropCallback(handle(), [](GLFWwindow* w, int count, const char** files) {
      std::string line = "open";
      for (int k = 0; k < count; ++k) line += fmt::format(" {}", session::quoted(files[k]));
      self(w).viewer_.push(line);
    });
    glfwSetCursorPosCallback(handle(), [](GLFWwindow*, double, double) { woken = true; });
    glfwSetMouseButtonCallback(handle(), [](GLFWwindow*, int, int, int) { woken = true; });
    glfwSetScrollCallback(handle(), [](GLFWwindow*, double, double) { woken = true; });
    glfwSetWindowRefreshCallback(handle(), [](GLFWwindow*) { woken = true; });
    viewer_.set_clipboard_source([this] {
      const char* const text = glfwGetClipboardString(handle());
      return std::string(text ? text : "");
    });
  }

  ~WindowLoop() {
    // Jobs wake this window as long as they run.
    viewer_.stop();
    viewer_.set_clipboard_source({});
  }

  void run() {
    int frames = kFramesAfterEvent;
    while (!viewer_.done() && !glfwWindowShouldClose(handle()) && !progress_.cancelled()) {
      if (frames > 0 || viewer_.animating(glfwGetTime()) || screen_->waits() || resizing_ > 0 ||
          flying()) {
        glfwPollEvents();
        frames = std::max(0, frames - 1);
      } else if (sleep()) {
        woken = true;
      } else {
        continue;
      }
      if (woken.exchange(false)) frames = kFramesAfterEvent;
      frame();
    }
    viewer_.stop();
  }

  void write(const std::string& stats) const {
    viewer_.frame_log().write(stats, screen_->uses_interop(), window_.renderer_name());
  }

 private:
  static WindowLoop& self(GLFWwindow* window) {
    return *static_cast<WindowLoop*>(glfwGetWindowUserPointer(window));
  }
  GLFWwindow* handle() const { return window_.handle(); }

  // Until an event, a job's word, or the time to refine the picture; false: only to look for an
  // interrupt, there is nothing to draw.
  bool sleep() const {
    const double begin = glfwGetTime();
    const auto due = viewer_.wake_at();
    const double seconds = std::min(due.value_or(begin + kInterruptCheck) - begin, kInterruptCheck);
    if (seconds <= 0) return true;
    glfwWaitEventsTimeout(seconds);
    const double now = glfwGetTime();
    return woken || now < begin + seconds || (due && now >= *due);
  }

  void key(const std::string& name) {
    // Text fields keep their letters.
    if (name.empty() || !ImGui::GetCurrentContext() || ImGui::GetIO().WantTextInput) return;
    // It closes the line for commands, and stops no job behind it.
    if (name == "Escape" && viewer_.is_open("commands")) return;
    if (const auto line = session::line_for_key(name)) viewer_.push(*line);
  }

  bool is_down(int key) const { return glfwGetKey(handle(), key) == GLFW_PRESS; }

  bool flying() const {
    if (ImGui::GetCurrentContext() && ImGui::GetIO().WantTextInput) return false;
    if (is_down(GLFW_KEY_LEFT_CONTROL) || is_down(GLFW_KEY_RIGHT_CONTROL)) return false;
    return is_down(GLFW_KEY_W) || is_down(GLFW_KEY_A) || is_down(GLFW_KEY_S) || is_down(GLFW_KEY_D);
  }

  void fly(double seconds) {
    if (!flying() || !viewer_.has_picture() || !viewer_.state().camera) return;
    const double step = kFlight * std::min(seconds, kLongStep);
    const double forward = double(is_down(GLFW_KEY_W)) - double(is_down(GLFW_KEY_S));
    const double right = double(is_down(GLFW_KEY_D)) - double(is_down(GLFW_KEY_A));
    if (forward != 0 || right != 0)
      viewer_.push(fmt::format("fly {} {}", forward * step, right * step));
  }

  void frame() {
    int width = 0, height = 0;
    glfwGetFramebufferSize(handle(), &width, &height);
    const double now = glfwGetTime(), seconds = now - last_;
    last_ = now;
    fly(seconds);
    // Minimized: jobs go on, nothing is drawn.
    PictureArea area;
    if (width > 0 && height > 0) {
      if (width != viewer_.state().width || height != viewer_.state().height)
        follow(width, height);
      else
        resizing_ = 0;
      area = screen_->picture_area(viewer_, width, height);
      viewer_.set_picture_size(int(area.width), int(area.height));
    }
    viewer_.update(now);
    obey();
    if (width < 1 || height < 1) return;
    screen_->serve(viewer_, width, height, area);
    render::gl::bind_window(width, height);
    render::gl::clear_window();
    screen_->draw(viewer_, width, height, now, seconds);
    glfwSwapBuffers(handle());
    viewer_.note_frame(glfwGetTime());
  }

  // The user has made the window another size, unless a command is about to.
  void follow(int width, int height) {
    if (resizing_ > 0) {
      --resizing_;
      return;
    }
    viewer_.push(fmt::format("size {} {}", width, height));
  }

  // What commands want of the window.
  void obey() {
    if (const auto size = viewer_.take_resize()) {
      int width = 0, height = 0;
      glfwGetFramebufferSize(handle(), &width, &height);
      if (width != (*size)[0] || height != (*size)[1]) {
        glfwSetWindowSize(handle(), (*size)[0], (*size)[1]);
        resizing_ = kFramesToResize;
      }
    }
    if (const auto text = viewer_.take_clipboard()) glfwSetClipboardString(handle(), text->c_str());
    if (const std::string title = viewer_.title(); title != title_) {
      title_ = title;
      glfwSetWindowTitle(handle(), title.c_str());
    }
  }

  // A window manager needs some frames to follow, or does not.
  static constexpr int kFramesToResize = 20;

  Viewer& viewer_;
  Progress& progress_;
  render::gl::WindowContext window_;
  std::unique_ptr<Screen> screen_;
  std::string title_;
  double last_ = 0;
  int resizing_ = 0;
};

}  // namespace

void run_window(Viewer& viewer, const std::string& stats, Progress& progress) {
  WindowLoop loop(viewer, progress);
  loop.run();
  if (!stats.empty()) loop.write(stats);
}

void wake_window() {
  woken = true;
  glfwPostEmptyEvent();
}

}  // namespace haloscope::app::viewer
